// Debias: the α-slider of the dashboard with its own arithmetic (exact.js), from the intervals of each item.
import drawCurve from "../../debias/curve.js";
import { exactCurve } from "../../debias/exact.js";
import { element, percent, unpack, whole } from "../../shared/drawing/dom.js";
import { rate, sentence } from "./numbers.js";
import { caption, component, empty, finding, head, link, section, select } from "./parts.js";
import { change, go, one } from "./state.js";

const DOMAIN = [0, 1];
const counted = (n, noun) => `${whole(n)} ${n === 1 ? noun : `${noun}s`}`;
const share = (k, n) => (n < 10 ? `${k}` : percent(k / n)); // of how many is said beside it

function pack(numbers) {
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  let letters = "";
  for (let k = 0; k < bytes.length; k += 0x8000) letters += String.fromCharCode(...bytes.subarray(k, k + 0x8000));
  return btoa(letters);
}

// A curve over the items of one subset, as exact.js takes it, and which items these are.
export function curveOf(of, raw, subset, side) {
  raw.ready ??= { at: unpack(raw.at, Int32Array), owner: unpack(raw.owner, Int32Array), lo: unpack(raw.lo, Float64Array), hi: unpack(raw.hi, Float64Array) };
  const { at, owner, lo, hi } = raw.ready;
  const place = new Int32Array(at.length).fill(-1);
  const items = [];
  at.forEach((item, k) => {
    if (of.subsets[of.subset[item]].name === subset) place[k] = items.push(item) - 1;
  });
  let constant = 0;
  const kept = [];
  owner.forEach((k, piece) => {
    if (place[k] < 0) return;
    if (lo[piece] < DOMAIN[0] && hi[piece] > DOMAIN[1]) constant += 1;
    else if (hi[piece] > DOMAIN[0] && lo[piece] < DOMAIN[1]) kept.push(piece);
  });
  const group = raw.groups[subset];
  const curve = {
    key: raw.prior, label: raw.label, colour: side.colour, dash: raw.dash, n: items.length, constant,
    owner: pack(Int32Array.from(kept, (piece) => place[owner[piece]])), lo: pack(Float64Array.from(kept, (piece) => lo[piece])),
    hi: pack(Float64Array.from(kept, (piece) => hi[piece])), best: group?.best ?? null,
  };
  return { curve, items, chance: group?.chance ?? null, finding: group?.finding ?? "", whole: group?.whole ?? "", thin: group?.thin ?? "", note: raw.note, cancels: raw.cancels };
}

// What taking some of the prior away does, counted here: the sentences that were written beforehand are of α* and of 1.
// Without a test no direction is claimed.
function atAlpha(mine, exact, alpha, side, metric, subset, name) {
  const n = mine.items.length;
  const [before, after, [won, lost]] = [exact.right(0), exact.right(alpha), exact.flips(0, alpha)];
  const thin = mine.thin ? `Nothing debiased can be claimed of ${side.name}: ${mine.thin}; taking` : "Taking";
  const claim = `${thin} α = ${Number(alpha.toPrecision(3))} of its language prior away wins ${side.name} ${whole(won)} and loses it ${whole(lost)} of ${counted(n, "item")} of ${subset}: ${share(after, n)} against ${share(before, n)}`;
  return sentence(claim, n, "items", ["counted in the published page, no interval and no test", metric, `P(t) from ${mine.curve.label}`, "exact over α", name]);
}

const rightAt = (of, raw, alpha) => {
  const { at, owner, lo, hi } = raw.ready;
  const found = new Set();
  owner.forEach((k, piece) => lo[piece] < alpha && alpha < hi[piece] && found.add(at[k]));
  return found;
};

export const able = (of) => of.sides.filter((side) => side.curves.length);

function flips(of, raw, items, since, alpha, side) {
  const [before, after] = [rightAt(of, raw, since), rightAt(of, raw, alpha)];
  const node = element("div", "flips");
  const inside = new Set(items);
  const lists = [["▲ won", "fs-right", items.filter((item) => after.has(item) && !before.has(item))], ["▼ lost", "fs-wrong", items.filter((item) => before.has(item) && !after.has(item) && inside.has(item))]];
  for (const [word, look, list] of lists) {
    const box = element("div");
    const top = element("p", "fs-flips");
    top.append(element("span", `fs-chip ${look}`, `${word} ${whole(list.length)}`));
    const rows = element("ul", "plain-list");
    rows.append(...list.slice(0, 12).map((item) => {
      const line = element("li");
      line.append(link(of.ids[item], "item", { benchmark: of.about.name, item: of.ids[item], model: side.model, kind: side.kind }));
      return line;
    }));
    if (list.length > 12) rows.append(element("li", "quiet-text", `and ${whole(list.length - 12)} more`));
    box.append(top, rows);
    node.append(box);
  }
  return node;
}

export function drawDebias({ of, root, name, params }) {
  root.append(head("Debias", "Which verdicts does the language prior decide?", "Move α: at 0 the model's own log P(t | i) judges, at 1 all of log P(t) is taken away. Every value is exact, worked out here from the items' own intervals."));
  const sides = able(of);
  if (!sides.length) {
    root.append(empty("No α here", of.about.withheld.some((text) => text.startsWith("Scores")) ? "These runs' scores are not in here, and α needs them." : "None of these models speaks and has a prior to be taken away."));
    return null;
  }
  const set = (changed) => change("debias", { ...params, ...changed });
  const side = sides.find((each) => each.model === one(params, "model")) ?? sides[0];
  const metrics = [...new Map(side.curves.map((curve) => [curve.metric, curve.title]))].sort(([a], [b]) => Boolean(of.metrics.get(b)?.decides) - Boolean(of.metrics.get(a)?.decides));
  const subsets = of.subsets.filter((each) => side.curves.some((curve) => curve.groups[each.name]));
  const subset = (subsets.find((each) => each.name === one(params, "subset")) ?? subsets.find((each) => each.protocol === "choice") ?? subsets[0]).name;
  const offered = metrics.filter(([metric]) => side.curves.some((curve) => curve.metric === metric && curve.groups[subset]));
  const metric = (offered.find(([key]) => key === one(params, "metric")) ?? offered[0])[0];
  const lines = side.curves.filter((curve) => curve.metric === metric && curve.groups[subset]);
  const focus = lines.find((curve) => curve.prior === one(params, "prior")) ?? lines[0];
  const tools = element("div", "tools");
  tools.append(select("Model", sides.map((each) => [each.model, each.name]), side.model, (model) => set({ model })), select("Subset", subsets.map((each) => [each.name, each.title]), subset, (to) => set({ subset: to, metric: "" })));
  if (offered.length > 1) tools.append(select("Judged by", offered, metric, (to) => set({ metric: to })));
  if (lines.length > 1) tools.append(select("P(t) from", lines.map((curve) => [curve.prior, curve.label]), focus.prior, (prior) => set({ prior })));
  root.append(tools);
  const drawn = lines.map((raw) => curveOf(of, raw, subset, side));
  const mine = drawn[lines.indexOf(focus)];
  const curves = drawn.map((each) => each.curve);
  const exact = exactCurve(mine.curve, DOMAIN);
  const box = component("curve", "debias");
  root.append(box.host);
  const below = element("div");
  const copied = element("div");
  const start = [Number(one(params, "alpha", "0")) || 0, Number(one(params, "since", "0")) || 0];
  const said = element("p", "counted");
  const settled = (alpha, since) => {
    const right = exact.right(alpha);
    said.textContent = `At α = ${alpha.toFixed(3)}: right ${rate(right, mine.items.length)}, Wilson's interval, counted on this page`;
    Object.assign(said.dataset, { right: String(right), n: String(mine.items.length), alpha: String(alpha) });
    const star = mine.curve.best?.alpha ?? 1;
    const spoken = alpha || star; // before α is moved, α* is spoken of
    const text = mine.cancels || spoken === star ? mine.finding : spoken === 1 ? mine.whole : atAlpha(mine, exact, spoken, side, focus.title, subsets.find((each) => each.name === subset).title, name);
    copied.replaceChildren(finding(text, `flipside-${name}-alpha`, () => box.host, { benchmark: name, model: side.model, subset, metric, prior: focus.prior, alpha: String(spoken) }));
    below.replaceChildren(section("What flips", `between α₁ = ${since.toFixed(3)} and α = ${alpha.toFixed(3)}`), alpha === since ? caption("Both are the same α: move one of them.") : flips(of, focus, mine.items, since, alpha, side));
  };
  const stop = box.run(drawCurve, {
    signature: [name, side.key, subset, metric, focus.prior].join(" "), curves, focus: focus.prior, domain: DOMAIN, chance: mine.chance, plane: null,
    title: `${focus.title.toLowerCase()}, ${side.name}, log P(t | i) − α log P(t)`, band: null, published: [],
    alt: `Share of right items against α for ${curves.length} sources of P(t)${mine.curve.best ? `; best at α* = ${mine.curve.best.text}` : ""}`, alpha: start[0], since: start[1],
  }, (what, value) => {
    if (what === "picked") go("item", { benchmark: name, item: of.ids[mine.items[value]], model: side.model, kind: side.kind });
    else {
      history.replaceState(null, "", `#/debias?${new URLSearchParams({ benchmark: name, model: side.model, subset, metric, prior: focus.prior, alpha: String(value[0]), since: String(value[1]) })}`);
      settled(...value);
    }
  });
  root.append(said);
  if (mine.note) root.append(caption(`${mine.note}.`));
  if (mine.curve.best) root.append(caption(`★ α* = ${mine.curve.best.text}, ${percent(mine.curve.best.value)}: chosen on these very items, so it flatters.`));
  root.append(copied, below);
  settled(...start);
  return stop;
}
