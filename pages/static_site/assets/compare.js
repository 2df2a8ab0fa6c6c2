// Compare: two models on the items that both have judged, asked in as many orders. Tests and clustered intervals were
// made in Python; rates by subset and the four cells are counted here.
import { element, percent, whole } from "../../shared/drawing/dom.js";
import { RIGHT, UNDEFINED, alike, deciding } from "./data.js";
import { ends, rate, wilson } from "./numbers.js";
import { caption, dot, empty, finding, head, link, points, section, select, tableOf } from "./parts.js";
import { go, one } from "./state.js";

// The verdicts of both by the metrics that decide for both, of items that were asked alike: [item, right under a, right
// under b].
export function shared(of, a, b) {
  const metrics = deciding(of, a).filter((name) => b.table.metrics.has(name));
  return metrics.flatMap((name) => {
    const [ours, theirs] = [a.table.metrics.get(name), b.table.metrics.get(name)];
    return Array.from(ours.at, (item, k) => [item, ours.verdict[k], theirs.place[item] < 0 ? UNDEFINED : theirs.verdict[theirs.place[item]]])
      .filter(([item, x, y]) => x !== UNDEFINED && y !== UNDEFINED && alike(a, b, item)).map(([item, x, y]) => [item, x === RIGHT, y === RIGHT]);
  });
}

function matrix(of, sides, pairs, at) {
  const found = new Map(pairs.flatMap((pair) => [[`${pair.a} ${pair.b}`, [pair.gain, pair.holm, pair]], [`${pair.b} ${pair.a}`, [-pair.gain, pair.holm, pair]]]));
  return tableOf("Every model against every other", ["right more often than →", ...sides.map((side) => side.name)], sides.map((row) => {
    const who = element("span", "who");
    who.append(dot(row), row.name);
    return [who, ...sides.map((column) => {
      const known = found.get(`${column.key} ${row.key}`);
      if (!known) return "·";
      const [gain, holm, pair] = known;
      if (pair.twoRules) {
        const apart = link("†", "compare", { benchmark: of.about.name, a: column.key.replace("\t", "|"), b: row.key.replace("\t", "|") });
        apart.title = `${row.name} and ${column.name}: ${pair.twoRules}`;
        if (at === pair) apart.setAttribute("aria-current", "true");
        return apart;
      }
      const node = link(`${points(gain)}${holm <= 0.05 ? "" : " ○"}`, "compare", { benchmark: of.about.name, a: column.key.replace("\t", "|"), b: row.key.replace("\t", "|") }, holm > 0.05 ? "" : gain > 0 ? "fs-gain" : "fs-loss");
      node.title = `${row.name} against ${column.name}: ${points(gain)} points, n = ${whole(pair.n)}, ${pair.holmSaid}`;
      if (at === pair) node.setAttribute("aria-current", "true");
      return node;
    })];
  }));
}

function cells(rows, a, b) {
  const count = (x, y) => rows.filter(([, p, q]) => p === x && q === y).length;
  const table = { both: count(true, true), onlyA: count(true, false), onlyB: count(false, true), neither: count(false, false) };
  const node = tableOf("Verdicts of both", ["", `${b.name} ✓`, `${b.name} ✗`], [[`${a.name} ✓`, whole(table.both), whole(table.onlyA)], [`${a.name} ✗`, whole(table.onlyB), whole(table.neither)]]);
  node.dataset.cells = [table.both, table.onlyA, table.onlyB, table.neither].join(" ");
  node.classList.add("narrow");
  return node;
}

// means: of each side subset -> its mean of the orders of asking, in words; {} of a side that was not asked in several.
function bySubset(of, rows, a, b, means) {
  const parts = of.subsets.map((subset, k) => [subset, rows.filter(([item]) => of.subset[item] === k)]).filter(([, own]) => own.length);
  return tableOf("By subset", ["subset", a.name, b.name, "difference, points", "n"], parts.map(([subset, own]) => {
    const right = [1, 2].map((side) => own.filter((row) => row[side]).length);
    const said = right.map((k, side) => {
      const rates = `${percent(k / own.length)} ${ends(wilson(k, own.length))}`;
      const mean = means[side][subset.name];
      return mean ? [rates, element("small", "share", `mean of the orders ${mean}`)] : rates;
    });
    return [subset.title, ...said, points((right[1] - right[0]) / own.length), whole(own.length)];
  }));
}

// some: whether some that both have judged are left out.
function lists(of, rows, a, b, some) {
  const node = element("div", "flips");
  for (const [right, wrong, wanted] of [[b, a, ([, x, y]) => y && !x], [a, b, ([, x, y]) => x && !y]]) {
    const box = element("div");
    const top = element("p", "fs-flips");
    const own = rows.filter(wanted);
    top.append(element("b", "", `${right.name} ✓, ${wrong.name} ✗: ${whole(own.length)}`));
    const list = element("ul", "plain-list");
    list.append(...own.slice(0, 12).map(([item]) => {
      const line = element("li");
      line.append(link(of.ids[item], "item", { benchmark: of.about.name, item: of.ids[item], model: right.model, kind: right.kind }));
      return line;
    }));
    if (own.length > 12) {
      const line = element("li");
      line.append(link(`all ${whole(own.length)}`, "failures", { benchmark: of.about.name, model: wrong.model, kind: wrong.kind, other: right.model, alike: some ? "1" : "", show: "wrong" }));
      list.append(line);
    }
    box.append(top, list);
    node.append(box);
  }
  return node;
}

export function drawCompare({ of, root, name, params }) {
  root.append(head("Compare", "Is one really better, and at what?", "Two models on the items that both have judged. ○ marks a difference that is within chance, after Holm's correction over all pairs."));
  const keys = [...new Set([...of.pairs, ...of.apart].flatMap((pair) => [pair.a, pair.b]))];
  const sides = keys.map((key) => of.sides.find((side) => side.key === key)).filter(Boolean);
  if (sides.length < 2) {
    root.append(empty("One model alone", "Two models that see images and have judged the same items are needed."));
    return null;
  }
  const pick = (letter, otherwise) => sides.find((side) => side.key === one(params, letter).replace("|", "\t")) ?? otherwise;
  const a = pick("a", sides[0]);
  const b = pick("b", sides.find((side) => side !== a)) === a ? sides.find((side) => side !== a) : pick("b", sides.find((side) => side !== a));
  // Each choice is a step in the browser's history: Back leads to the pair before it.
  const set = (changed) => go("compare", { ...params, a: a.key.replace("\t", "|"), b: b.key.replace("\t", "|"), ...changed });
  const options = sides.map((side) => [side.key, side.name]);
  const tools = element("div", "tools");
  tools.append(select("A", options, a.key, (key) => set({ a: key.replace("\t", "|") })), select("B", options, b.key, (key) => set({ b: key.replace("\t", "|") })));
  root.append(tools);
  const isThis = (each) => (each.a === a.key && each.b === b.key) || (each.a === b.key && each.b === a.key);
  const [pair, apart] = [of.pairs.find(isThis), of.apart.find(isThis)];
  if (apart) {
    root.append(empty("These do not compare", apart.why));
    return null;
  }
  const rows = shared(of, a, b);
  if (!rows.length || !pair) {
    root.append(empty("Nothing in common", `${a.name} and ${b.name} have judged no item by the same metric.`));
    return null;
  }
  const turned = pair.a !== a.key;
  const [gain, low, high] = turned ? [-pair.gain, -pair.high, -pair.low] : [pair.gain, pair.low, pair.high];
  const means = turned ? [pair.meansB, pair.meansA] : [pair.meansA, pair.meansB];
  const hero = element("div", "duel");
  for (const [side, index] of [[a, 1], [b, 2]]) {
    const box = element("div", "duel-side");
    const right = rows.filter((row) => row[index]).length;
    const who = element("span", "who");
    who.append(dot(side), side.name);
    box.append(who, element("b", "", percent(right / rows.length)), element("small", "", `${side.rule ? "in every order " : ""}${rate(right, rows.length)}, Wilson, counted here`));
    if (means[index - 1][""]) box.append(element("small", "in-orders", `mean of the orders of asking ${means[index - 1][""]}`));
    box.dataset.right = String(right);
    box.dataset.n = String(rows.length);
    hero.append(box);
  }
  const gap = element("div", "duel-side");
  const open = pair.holm > 0.05;
  const unclaimed = open || pair.twoRules;
  gap.append(
    element("span", "who", pair.twoRules ? "B − A, by two rules" : open ? "B − A, within chance" : "B − A"),
    element("b", unclaimed ? "within-chance" : gain > 0 ? "fs-gain" : "fs-loss", `${points(gain)} points${pair.twoRules ? " †" : open ? " ○" : ""}`),
    element("small", "", `[${points(low)}, ${points(high)}] clustered; ${pair.pSaid}; ${pair.holmSaid}`),
  );
  hero.append(gap);
  const asked = [a, b].filter((side) => side.rule);
  if (asked.length) root.append(caption(`${asked.map((side) => side.name).join(" and ")}: ${asked[0].rule}.`));
  if (pair.twoRules) root.append(caption([`† ${a.name} and ${b.name} are ${pair.twoRules}.`, pair.chance && `${pair.chance[0].toUpperCase()}${pair.chance.slice(1)}.`, pair.even && `${pair.even[0].toUpperCase()}${pair.even.slice(1)}.`].filter(Boolean).join(" ")));
  root.append(hero, ...(pair.leftOut ? [caption(pair.leftOut)] : []), finding(pair.finding, `flipside-${name}-compare`, () => hero, { benchmark: name, a: a.key.replace("\t", "|"), b: b.key.replace("\t", "|") }), cells(rows, a, b));
  root.append(section("By subset", `counted on this page, Wilson's intervals${pair.twoRules ? "; by two rules †" : ""}`), bySubset(of, rows, a, b, means));
  root.append(section("Where they part"), lists(of, rows, a, b, Boolean(pair.leftOut)));
  const dagger = of.pairs.find((each) => each.twoRules);
  root.append(
    section("Every pair", `row minus column, points; ○ within chance${dagger ? "; † by two rules" : ""}`),
    matrix(of, sides, of.pairs, pair),
    caption(`Gains and their p were made from the same items (random halves of the images; exact sign-flip test, Holm over all pairs).${dagger ? ` † No difference: right by two rules, of which chance passes one more often. One has to be right in every order of asking, the other gave scores.` : ""}`),
  );
  return null;
}
