// Reasons: how many items of each model have each, counted here, and what each means.
import { element, percent, whole } from "../../shared/drawing/dom.js";
import { COUNTED, sentence, shareOf } from "./numbers.js";
import { caption, dot, empty, finding, head, link, section, select, tableOf } from "./parts.js";
import { change, one } from "./state.js";

// side -> word -> how many items of a protocol (of a subset, "" for all) have it.
export function counted(of, side, protocol, subset, column) {
  const found = new Map();
  for (let item = 0; item < of.n; item += 1) {
    const own = of.subsets[of.subset[item]];
    const word = of.words[side.table[column][item]];
    if (!word || own.protocol !== protocol || (subset && own.name !== subset)) continue;
    found.set(word, (found.get(word) ?? 0) + 1);
  }
  return found;
}

function stack(site, words, found, n) {
  const bar = element("div", "stack");
  bar.setAttribute("aria-hidden", "true");
  for (const word of words) {
    const piece = element("i");
    piece.style.width = `${(100 * (found.get(word) ?? 0)) / n}%`;
    if (site.colours[word]) piece.style.background = site.colours[word];
    bar.append(piece);
  }
  return bar;
}

// What words are called: cells, or reasons, of which some have the same word and are another thing.
function called(site, column) {
  return column === "cell" ? site.names : site.reasons;
}

// Of what is neither right nor uncertain, the most frequent word of any model, in one sentence. rows: [side, counts].
function copied(site, rows, protocol, column, where, name) {
  const total = (found) => [...found.values()].reduce((a, b) => a + b, 0);
  const each = rows.flatMap(([side, found]) => [...found].filter(([word]) => !["right", "grounded", "uncertain"].includes(word)).map(([word, k]) => ({ side, word, k, n: total(found) })));
  if (!each.length) return "";
  const first = each.reduce((a, b) => (b.k / b.n > a.k / a.n ? b : a));
  const among = rows.length > 1 ? `; nothing else that is neither right nor uncertain is more frequent under any of ${rows.length} models` : "";
  const claim = `Under ${first.side.name} ${shareOf(first.k, first.n, site.protocols[protocol])} are “${called(site, column)[first.word]}”${among}`;
  return sentence(claim, first.n, "items", [column === "cell" ? "cells, by the scores alone" : "reasons, more than luck", COUNTED, first.side.kindName, where, name]);
}

export function drawReasons({ site, of, root, name, params }) {
  root.append(head("Reasons", "Why is it wrong, and how sure is that?", "Every verdict has one cell by its numbers alone, and a reason only where the evidence is more than luck; all others are uncertain. A number opens its items."));
  const column = one(params, "by", "reason");
  const subset = one(params, "subset");
  const measured = of.sides.filter((side) => side.table.cell.some((word) => word >= 0));
  if (!measured.length) {
    root.append(empty("No reason was measured", "Reasons need scores of all four cells of a quad, or of a choice's captions under other images."));
    return null;
  }
  const set = (changed) => change("reasons", { ...params, ...changed });
  const tools = element("div", "tools");
  const subsets = of.subsets.filter((each) => site.cells[each.protocol]);
  tools.append(
    select("Count", [["reason", "reasons: more than luck"], ["cell", "cells: by the numbers alone"]], column, (by) => set({ by })),
    select("Subset", [["", "all of them"], ...subsets.map((each) => [each.name, each.title])], subset, (to) => set({ subset: to })),
  );
  root.append(tools);
  for (const [protocol, cells] of Object.entries(site.cells)) {
    const rows = measured.map((side) => [side, counted(of, side, protocol, subset, column)]).filter(([, found]) => found.size);
    if (!rows.length) continue;
    const words = (column === "cell" ? cells : [...cells, "reversed", "uncertain"]).filter((word) => rows.some(([, found]) => found.has(word)));
    root.append(section(site.protocols[protocol][0].toUpperCase() + site.protocols[protocol].slice(1)));
    const inSubset = new Set(of.subsets.filter((each) => each.protocol === protocol).map((each) => each.name));
    const table = tableOf(`Items of each ${column}`, ["model", "items", "", ...words.map((word) => called(site, column)[word])], rows.map(([side, found]) => {
      const n = [...found.values()].reduce((a, b) => a + b, 0);
      const who = element("span", "who");
      who.append(dot(side), side.name);
      return [who, whole(n), stack(site, words, found, n), ...words.map((word) => {
        const k = found.get(word) ?? 0;
        if (!k) return "0";
        const to = link(whole(k), "failures", { benchmark: name, model: side.model, kind: side.kind, show: "all", [column]: word, subset: subset ? [subset] : [...inSubset] });
        to.dataset.count = `${side.key} ${protocol} ${word} ${k}`;
        return [to, element("small", "share", percent(k / n))];
      })];
    }));
    root.append(table, finding(copied(site, rows, protocol, column, subset ? subsets.find((each) => each.name === subset)?.title : "all subsets", name), `flipside-${name}-reasons`, () => table, { benchmark: name, by: column, subset }));
    const list = element("dl", "meanings");
    for (const word of words) {
      const term = element("dt");
      const swatch = element("i", "swatch");
      if (site.colours[word]) swatch.style.background = site.colours[word];
      term.append(swatch, called(site, column)[word]);
      list.append(term, element("dd", "", `${(column === "cell" ? site.meanings : site.reasonMeanings)[word]}${site.changes[word] ? `. What would have to change: ${site.changes[word]}` : ""}.`));
    }
    root.append(list);
  }
  root.append(caption("Counted on this page. How many of a cell luck alone would put there stands on Overview, as the hatched part of each bar."));
  return null;
}
