// Two captions token by token under each other; the slider recolours and sums anew without asking the server.
import { along, button, clamp, css, element, inkOn, plain, signed, slider } from "../shared/drawing/dom.js";

const chance = (value) => (value === null ? "–" : `${(100 * Math.exp(value)).toPrecision(3)} %`);

// Background and ink at -1 … 1 along the scale, whose middle is 0.
function colourOf(scale, position) {
  const mixed = along(scale, (clamp(position, -1, 1) + 1) / 2);
  return [css(mixed), inkOn(mixed)];
}

const differenceOf = (token, alpha) =>
  token.g === null ? null : token.p === null ? (alpha === 0 ? token.g : null) : token.g - alpha * token.p;

function total(tokens, of) {
  let sum = 0;
  for (const token of tokens) {
    const value = of(token);
    if (value === null) return null;
    sum += value;
  }
  return sum;
}

// What words add to a caption's mean per token; 0 where the caption has none in these columns.
const share = (side, places, of) => {
  const sum = total(places.flatMap((at) => side.words[at].tokens), of);
  return sum === null ? null : sum / side.n;
};

// Columns that stand for each other as a whole: { span, a: positions of words, b: positions of words }.
function blocksOf(columns) {
  const blocks = [];
  columns.forEach(([a, b, block], k) => {
    if (k === 0 || columns[k - 1][2] !== block) blocks.push({ span: 0, a: [], b: [] });
    const last = blocks[blocks.length - 1];
    last.span += 1;
    if (a !== null) last.a.push(a);
    if (b !== null) last.b.push(b);
  });
  return blocks;
}

const wordsAt = (side, places) => places.map((at) => side.words[at].word).join(" ");

const minus = (one, other) => (one === null || other === null ? null : one - other);

function row(body, label, tip, className = "") {
  const line = body.insertRow();
  line.className = className;
  const head = element("th", "", label);
  head.scope = "row";
  if (tip) head.title = tip;
  line.append(head);
  return line;
}

function cell(line, text = "", className = "") {
  const node = line.insertCell();
  node.className = className;
  node.textContent = text;
  return node;
}

// One caption: coloured chips with the difference, below them both terms. Returns what the slider changes.
function drawSide(data, body, side, which, say) {
  const hasPrior = side.words.some((word) => word.tokens.some((token) => token.p !== null));
  const top = row(body, side.name, side.text, "chips");
  const given = row(body, "log P(token | image)", "natural log of the token's probability given the tokens before it and the image", "small");
  const prior = hasPrior ? row(body, "log P(token)", `the same without the image: prior from ${data.source}`, "small") : null;
  const chips = [];
  for (const column of data.columns) {
    const at = column[which];
    const holder = cell(top);
    const [g, p] = [cell(given), prior ? cell(prior) : null];
    if (at === null) continue;
    const tokens = side.words[at].tokens;
    const run = element("div", "run");
    for (const token of tokens) {
      const chip = element("span", "chip");
      chip.tabIndex = 0;
      chip.setAttribute("role", "img");
      const number = element("small");
      chip.append(element("b", "", token.t), number);
      const tell = () => say(chip.title);
      chip.onfocus = tell;
      chip.onmouseenter = tell;
      run.append(chip);
      chips.push({ token, chip, number });
    }
    holder.append(run);
    g.textContent = tokens.map((token) => plain(token.g)).join(" ");
    if (p) p.textContent = tokens.map((token) => plain(token.p)).join(" ");
  }
  const [sum, mean] = [cell(top, "", "total"), cell(top, "", "total score")];
  cell(given, plain(side.sum, 3), "total");
  cell(given, side.sum === null ? "–" : plain(side.sum / side.n, 3), "total");
  if (prior) {
    cell(prior, plain(side.prior, 3), "total");
    cell(prior, side.prior === null ? "–" : plain(side.prior / side.n, 3), "total");
  }
  return (alpha) => {
    for (const { token, chip, number } of chips) {
      const value = differenceOf(token, alpha);
      const seen = value === null ? token.g : value;
      number.textContent = signed(seen);
      const [paper, ink] = seen === null ? ["transparent", "inherit"] : colourOf(data.scale, seen / data.reach);
      chip.style.background = paper;
      chip.style.color = ink;
      const words = [`“${token.t}”: with the image log P ${plain(token.g)} (P = ${chance(token.g)})`];
      if (token.p !== null) words.push(`without it ${plain(token.p)} (${chance(token.p)})`, `difference at α = ${alpha.toFixed(3)}: ${signed(value)} nats`);
      chip.title = words.join(", ");
      chip.setAttribute("aria-label", chip.title);
    }
    const whole = side.sum === null ? null : alpha === 0 ? side.sum : side.prior === null ? null : side.sum - alpha * side.prior;
    sum.textContent = plain(whole, 3);
    mean.textContent = whole === null ? "–" : plain(whole / side.n, 3);
    return whole === null ? null : whole / side.n;
  };
}

// What each word adds to the margin of the first caption over the second; the prior's part does not depend on α.
function drawMargin(data, body) {
  const [a, b] = data.sides;
  const line = row(body, "margin, by word", `what each word adds to the margin: its tokens' difference / token count, ${a.name} minus ${b.name}`, "margin");
  const parts = blocksOf(data.columns).map((block) => ({
    span: block.span,
    prior: minus(share(a, block.a, (token) => token.p), share(b, block.b, (token) => token.p)),
    at: (alpha) => minus(share(a, block.a, (token) => differenceOf(token, alpha)), share(b, block.b, (token) => differenceOf(token, alpha))),
    words: [wordsAt(a, block.a), wordsAt(b, block.b)],
    holder: cell(line, "", "part"),
  }));
  for (const part of parts) part.holder.colSpan = part.span;
  const sizes = parts.flatMap((part) => [part.at(0), part.at(1), part.prior]).map((value) => Math.abs(value || 0));
  const reach = Math.max(1e-9, ...sizes);
  const known = parts.filter((part) => part.prior !== null);
  const hasPrior = known.length > 0;
  let deciding = null;
  if (hasPrior) {
    const lead = row(body, "prior's own margin", "the same of log P(token) alone: positive where the prior prefers the first caption. This is what α takes away", "small prior");
    for (const part of parts) cell(lead, signed(part.prior, 3)).colSpan = part.span;
    const all = minus(a.prior === null ? null : a.prior / a.n, b.prior === null ? null : b.prior / b.n);
    cell(lead, "", "total");
    cell(lead, signed(all, 3), "total");
    deciding = known.reduce((best, part) => (Math.abs(part.prior) > Math.abs(best.prior) ? part : best));
    if (Math.abs(deciding.prior) < 1e-9) deciding = null;
    else lead.cells[1 + parts.indexOf(deciding)].classList.add("deciding");
    if (deciding) lead.cells[1 + parts.indexOf(deciding)].prepend("◆ ");
  }
  cell(line, "", "total");
  const sum = cell(line, "", "total score");
  const update = (alpha, means) => {
    for (const part of parts) {
      const value = part.at(alpha);
      part.holder.textContent = signed(value, 3);
      const [paper, ink] = value === null ? ["transparent", "inherit"] : colourOf(data.scale, value / reach);
      part.holder.style.background = paper;
      part.holder.style.color = ink;
    }
    sum.textContent = signed(minus(means[0], means[1]), 3);
  };
  return { update, deciding, reach };
}

function verdict(data, alpha, means, deciding) {
  const [a, b] = data.sides;
  const margin = minus(means[0], means[1]);
  if (margin === null) return "";
  const who = margin > 0 ? a : b;
  const says = margin === 0 ? "both captions tie" : `“${who.name}” leads by ${Math.abs(margin).toFixed(3)} nats a token`;
  if (!deciding) return `At α = ${alpha.toFixed(3)} ${says}.`;
  const prefers = deciding.prior > 0 ? a : b;
  const [ours, theirs] = deciding.words;
  const where = ours === theirs ? `“${ours}”` : !ours || !theirs ? `“${ours || theirs}”, which only one has,` : `“${ours}” against “${theirs}”`;
  const before = minus(a.sum / a.n, b.sum / b.n);
  const slope = minus(a.prior / a.n, b.prior / b.n);
  const flip = slope ? before / slope : NaN;
  const turns = flip > 0 && flip <= data.upto ? ` The order turns round at α = ${flip.toFixed(3)}.` : ` The order is the same for every α from 0 to ${data.upto}.`;
  return `At α = ${alpha.toFixed(3)} ${says}.${turns} The prior weighs most at ${where}, where it prefers “${prefers.name}” by ${Math.abs(deciding.prior).toFixed(3)} nats a token.`;
}

export default function (component) {
  const { data, parentElement } = component;
  const root = parentElement.querySelector("#tokens");
  const kept = root.dataset.signature === data.signature ? Math.min(data.upto, Number(root.dataset.alpha)) : 0;
  root.dataset.signature = data.signature;
  const detail = element("p", "detail", "Hold the pointer on a token, or reach it by Tab, for its probabilities.");
  const table = element("table");
  table.append(element("caption", "hidden", "Tokens of the captions with their log-probabilities"));
  const head = table.createTHead().insertRow();
  head.append(element("td"));
  for (const _ of data.columns) head.append(element("td"));
  for (const column of ["sum", "mean"]) {
    const node = element("th", "", column);
    node.scope = "col";
    head.append(node);
  }
  const body = table.createTBody();
  const updates = data.sides.map((side, which) => drawSide(data, body, side, which, (text) => { detail.textContent = text; }));
  const margin = data.sides.length > 1 ? drawMargin(data, body) : null;
  const holder = element("div", "slider");
  const { name, input } = slider("alpha", "α", { min: 0, max: data.upto, step: 0.001, value: kept });
  input.setAttribute("aria-label", "α, the share of the language prior that is taken away");
  const readout = element("output");
  holder.append(name, input, readout);
  for (const value of [0, 1]) {
    const title = value ? "Take all of the prior away" : "Keep the prior: the score above";
    holder.append(button(value ? "1 (PMI)" : "0", () => move(value), { title }));
  }
  const said = element("p", "said");
  said.setAttribute("role", "status");
  const scroll = element("div", "scroll");
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "Tokens, captions under each other");
  scroll.append(table);
  const legend = element("p", "legend");
  const ramp = element("i", "ramp");
  ramp.style.background = `linear-gradient(90deg, ${data.scale.join(",")})`;
  const rest = margin ? ` (margin row: ± ${margin.reach.toPrecision(2)})` : "";
  legend.append(`−${data.reach}`, ramp, `+${data.reach} nats${rest}; pale is 0`);
  const hasPrior = data.sides.every((side) => side.prior !== null);
  root.replaceChildren(...(hasPrior ? [holder] : []), said, scroll, legend, detail);
  function move(alpha) {
    root.dataset.alpha = String(alpha);
    input.value = String(alpha);
    readout.textContent = alpha.toFixed(3);
    const means = updates.map((update) => update(alpha));
    if (margin) margin.update(alpha, means);
    said.textContent = margin ? verdict(data, alpha, means, margin.deciding) : "";
  }
  input.oninput = () => move(Number(input.value));
  move(kept);
}
