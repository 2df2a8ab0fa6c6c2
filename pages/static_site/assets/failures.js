// Failures: filters with counts on the left, a page of items on the right. Everything is counted here, from the arrays.
import { button, element, whole } from "../../shared/drawing/dom.js";
import { MIXED, RIGHT, TIE, UNDEFINED, alike, deciding, texts, verdictOf } from "./data.js";
import { ends, rate } from "./numbers.js";
import { caption, captions, chip, empty, finding, head, link, pictures, reasonSaid, select, tags } from "./parts.js";
import { PICKED, bounded, copied, heading, meanLine, precomputed } from "./listed_rates.js";
import { change, one } from "./state.js";

const SHOWN = 24;
const SORTS = { margin: "worst first", "-margin": "best first", near: "closest to flipping", item: "in their order" };

export function chosenSide(of, params) {
  const [model, kind] = [one(params, "model"), one(params, "kind")];
  return of.sides.find((side) => side.model === model && side.kind === kind) ?? of.sides.find((side) => side.model === model) ?? of.sides[0];
}

const VERDICTS = [["wrong", "✗ wrong"], ["right", "✓ right"], ["undefined", "– undefined"]];
const OF_VERDICTS = new Set(["reason", "cell"]);
const wordOf = (verdict) => (verdict === RIGHT ? "right" : verdict === UNDEFINED ? "undefined" : "wrong");

// The facets: of a row the values that it has, and what each is called.
function facets(site, of, side) {
  const word = (column) => (row) => (side.table[column][row.item] < 0 ? [] : [of.words[side.table[column][row.item]]]);
  const listed = (lists) => (row) => Array.from(lists.of(row.item), (k) => lists.words[k].name);
  const titles = (list) => new Map(list.map((each) => [each.name, each.title]));
  return {
    show: { title: "Verdict", values: (row) => [wordOf(row.verdict)], names: new Map(VERDICTS) },
    subset: { title: "Subset", values: (row) => [of.subsets[of.subset[row.item]].name], names: titles(of.subsets) },
    reason: { title: "Reason", values: word("reason"), names: new Map(Object.entries(site.reasons)) },
    cell: { title: "Cell, by the numbers alone", values: word("cell"), names: new Map(Object.entries(site.names)) },
    concept: { title: "Concept", values: listed(of.concepts), names: titles(of.concepts.words) },
    perturbation: { title: "How captions were changed", values: listed(of.perturbations), names: titles(of.perturbations.words) },
  };
}

// Whether a search in small letters names an item: its id, or what stands behind its last slash, a number as a rule.
const isCalled = (id, text) => id.toLowerCase() === text || id.toLowerCase().split("/").at(-1) === text;

// The rows that choices leave; of these whatever the verdict is (among); how many rows there are (n); for each facet how
// many each of its values would leave; and whether what is left was picked for its outcome.
export function filtered(site, of, params, known = null) {
  const side = chosenSide(of, params);
  const metric = one(params, "metric");
  const wanted = side.table.metrics.has(metric) ? [metric] : deciding(of, side);
  const rows = wanted.flatMap((name) => {
    const own = side.table.metrics.get(name);
    return Array.from(own.at, (item, k) => ({ item, metric: name, verdict: own.verdict[k], margin: own.margin ? own.margin[k] : null }));
  });
  const shown = one(params, "show", "wrong");
  const asked = { ...params, show: shown === "all" ? [] : [shown] };
  const [low, high, text] = [one(params, "from"), one(params, "to"), one(params, "text").trim().toLowerCase()];
  const other = of.sides.find((each) => each.model === one(params, "other") && each !== side);
  const same = one(params, "alike") === "1";
  const rest = (row) => (low === "" || row.margin >= Number(low)) && (high === "" || row.margin <= Number(high))
    && (!text || isCalled(of.ids[row.item], text) || (known?.[row.item] ?? []).some(([, said]) => said.replaceAll("\u0001", "").replaceAll("\u0002", "").toLowerCase().includes(text)))
    && (!other || (verdictOf(other, row.metric, row.item)?.verdict === RIGHT && (!same || alike(side, other, row.item))));
  const all = Object.entries(facets(site, of, side)).map(([name, facet]) => ({ name, ...facet, wanted: new Set(asked[name] ?? []), counts: new Map() }));
  const [found, among] = [[], []];
  for (const row of rows) {
    if (!rest(row)) continue;
    const values = all.map((facet) => facet.values(row));
    const ok = all.map((facet, k) => !facet.wanted.size || values[k].some((value) => facet.wanted.has(value)));
    const misses = ok.filter((each) => !each).length;
    if (!misses) found.push(row);
    if (!misses || (misses === 1 && !ok[0])) among.push(row);
    all.forEach((facet, k) => {
      if (misses === 0 || (misses === 1 && !ok[k])) for (const value of new Set(values[k])) facet.counts.set(value, (facet.counts.get(value) ?? 0) + 1);
    });
  }
  const picked = low !== "" || high !== "" || Boolean(other) || all.some((facet) => OF_VERDICTS.has(facet.name) && facet.wanted.size);
  return { side, rows: found, among, picked, facets: all, other, same, n: rows.length };
}

function sorted(rows, order) {
  const far = (row) => (row.margin === null || Number.isNaN(row.margin) ? Infinity : row.margin);
  const by = { margin: (a, b) => far(a) - far(b), "-margin": (a, b) => far(b) - far(a), near: (a, b) => Math.abs(far(a)) - Math.abs(far(b)), item: (a, b) => a.item - b.item }[order];
  return [...rows].sort((a, b) => by(a, b) || a.item - b.item);
}

function facetBox(facet, set) {
  const box = element("fieldset", "facet");
  box.append(element("legend", "", facet.title));
  const values = [...facet.counts].sort((a, b) => b[1] - a[1]);
  for (const value of facet.wanted) if (!facet.counts.has(value)) values.push([value, 0]);
  for (const [value, count] of values) {
    const line = element("label", "facet-line");
    const mark = element("input");
    mark.type = "checkbox";
    mark.checked = facet.wanted.has(value);
    mark.dataset.focus = `${facet.name} ${value}`;
    mark.onchange = () => {
      const next = new Set(facet.wanted);
      if (mark.checked) next.add(value);
      else next.delete(value);
      set({ [facet.name]: [...next] });
    };
    line.append(mark, element("span", "", facet.names.get(value) ?? value), element("b", "", whole(count)));
    box.append(line);
  }
  return values.length ? box : null;
}

function verdictBox(facet, params, set) {
  const box = element("fieldset", "facet");
  box.append(element("legend", "", "Verdict"));
  const shown = one(params, "show", "wrong");
  const total = [...facet.counts.values()].reduce((a, b) => a + b, 0);
  for (const [value, text] of [...VERDICTS, ["all", "all"]]) {
    const count = value === "all" ? total : (facet.counts.get(value) ?? 0);
    if (!count && value !== shown) continue;
    const line = element("label", "facet-line");
    const pick = element("input");
    Object.assign(pick, { type: "radio", name: "show", checked: value === shown });
    pick.dataset.focus = `show ${value}`;
    pick.onchange = () => set({ show: value });
    line.append(pick, element("span", "", text), element("b", "", whole(count)));
    box.append(line);
  }
  return box;
}

function field(label, type, value, set, step = "any") {
  const node = element("label", "choice");
  const box = element("input");
  Object.assign(box, { type, value, step });
  box.dataset.focus = label;
  box.onchange = () => set(box.value);
  node.append(element("span", "", label), box);
  return node;
}

// Whether some item was asked in other numbers of orders on two sides.
const differently = (of, a, b) => Array.from({ length: of.n }, (_, item) => item).some((item) => !alike(a, b, item));

function tick(label, checked, set) {
  const line = element("label", "facet-line");
  const box = element("input");
  Object.assign(box, { type: "checkbox", checked });
  box.dataset.focus = label;
  box.onchange = () => set(box.checked);
  line.append(box, element("span", "", label));
  return line;
}

function filters(site, of, params, found, set) {
  const aside = element("aside", "filters");
  aside.setAttribute("aria-label", "Filters");
  const { side } = found;
  aside.append(select("Model", of.sides.map((each) => [each.key, each.name]), side.key, (key) => {
    const [model, kind] = key.split("\t");
    // Margins of another kind have another unit, and of kind "score" each model has its own: a chosen range says nothing there.
    const same = kind === side.kind && kind !== "score";
    set({ model, kind, metric: "", ...(same ? {} : { from: "", to: "" }) });
  }));
  const metrics = [...side.table.metrics.keys()];
  if (metrics.length > 1) aside.append(select("Judged by", [["", "what decides"], ...metrics.map((name) => [name, of.metrics.get(name).title])], one(params, "metric"), (metric) => set({ metric })));
  aside.append(verdictBox(found.facets[0], params, set));
  const others = of.sides.filter((each) => each.model !== side.model);
  if (others.length) aside.append(select("And right under", [["", "any or none"], ...new Map(others.map((each) => [each.model, each.name.split(" · ")[0]]))], one(params, "other"), (other) => set({ other, alike: "" })));
  if (found.other && differently(of, side, found.other)) aside.append(tick("Only items asked in as many orders of both", found.same, (on) => set({ alike: on ? "1" : "" })));
  aside.append(...found.facets.slice(1).map((facet) => facetBox(facet, set)).filter(Boolean));
  if (side.margins) {
    const row = element("div", "two");
    row.append(field(`Margin from${side.unit ? ` (${side.unit})` : ""}`, "number", one(params, "from"), (from) => set({ from })), field("to", "number", one(params, "to"), (to) => set({ to })));
    aside.append(row);
  }
  aside.append(field(of.hasTexts ? "Part of a caption, or an item" : "An item, by its id or number", "search", one(params, "text"), (text) => set({ text })));
  aside.append(button("Clear all filters", () => change("failures", { benchmark: one(params, "benchmark"), model: side.model, kind: side.kind }), { className: "quiet" }));
  return aside;
}

function card(site, of, side, row, known, params) {
  const node = element("article", "fs-card");
  const images = pictures(of, row.item, 112);
  const body = element("div", "fs-card-body");
  const top = element("p", "fs-card-head");
  top.append(link(of.ids[row.item], "item", { benchmark: of.about.name, item: of.ids[row.item], model: side.model, kind: side.kind }, "stretched"), ` · ${of.subsets[of.subset[row.item]].title}${tags(of, row.item).length ? ` · ${tags(of, row.item).join(", ")}` : ""}`);
  const said = reasonSaid(site, of, side, row.item);
  const chips = element("div", "fs-chips");
  chips.append(chip(of.metrics.get(row.metric).label || of.metrics.get(row.metric).title, row));
  if (said) chips.append(element("span", "fs-label", said));
  body.append(top, ...(known ? [captions(known[row.item].slice(0, 6))] : []), chips);
  if (images.childNodes.length) node.append(images);
  node.append(body);
  void params;
  return node;
}

export async function drawFailures({ site, of, root, name, params }) {
  const known = await texts(of);
  const set = (changed) => change("failures", { ...params, page: "", ...changed });
  const found = filtered(site, of, params, known);
  const { side, rows } = found;
  root.append(head("Failures", "Which items fail, and why?", "Choose a model among the filters; each number beside one says how many items it would leave. Open an item to read why."));
  const grid = element("div", "with-filters");
  const fold = element("details", "fold");
  fold.open = matchMedia("(min-width: 901px)").matches || sessionStorage.getItem("filters") === "open";
  fold.ontoggle = () => sessionStorage.setItem("filters", fold.open ? "open" : "shut");
  fold.append(element("summary", "", "Filters"), filters(site, of, params, found, set));
  const list = element("section", "list");
  const order = side.margins ? one(params, "sort", "margin") : "item";
  const ordered = sorted(rows, SORTS[order] ? order : "margin");
  const counts = found.facets[0].counts;
  const [right, wrong] = [counts.get("right") ?? 0, counts.get("wrong") ?? 0];
  const line = element("p", "counted");
  line.dataset.right = String(right);
  line.dataset.total = String(rows.length);
  line.append(element("b", "", `${whole(rows.length)} of ${whole(found.n)} items`), " · ");
  const bound = bounded(of, side, rows, params);
  line.append(element("span", "rate", found.picked ? `${bound ? "at least " : ""}${whole(right)} right, ${bound ? "at most " : ""}${whole(wrong)} wrong` : `right ${bound ? "≥ " : ""}${rate(right, right + wrong)}`));
  const mean = heading(of, found, params);
  if (mean) list.append(meanLine(mean));
  const known95 = found.picked ? null : precomputed(of, side, rows, params, right + wrong);
  const how = found.picked ? `. ${PICKED}` : ": Wilson's 95 % interval, items that share an image taken as independent.";
  list.append(line, caption(`Counted on this page${how}${side.rule ? ` An item is ${side.rule}.` : ""}${known95 ? ` Taken together it is ${ends(known95)}.` : ""}${bound ? ` ≥: a lower bound, not to be set against chance or another model: ${bound}.` : ""}`));
  list.append(finding(copied(of, found, params, name, right, right + wrong, bound, mean), `flipside-${name}-failures`, null, { benchmark: name, model: side.model, kind: side.kind, show: one(params, "show", "wrong") }));
  const [ties, mixed] = [TIE, MIXED].map((code) => rows.filter((row) => row.verdict === code).length);
  if (ties) list.append(caption(`${whole(ties)} of them are wrong by a tie.`));
  if (mixed) list.append(caption(`Of ${whole(mixed)} of them no foil was chosen${side.rule ? " in every order" : ""}.`));
  const tools = element("div", "tools");
  if (side.margins) tools.append(select("Order", Object.entries(SORTS), order, (sort) => change("failures", { ...params, page: "", sort })));
  const pages = Math.max(1, Math.ceil(ordered.length / SHOWN));
  const at = Math.min(pages, Math.max(1, Number(one(params, "page", "1")) || 1));
  const turn = (to, text) => {
    const node = button(text, () => change("failures", { ...params, page: String(to) }), { className: "quiet" });
    node.disabled = to < 1 || to > pages;
    node.dataset.focus = text;
    return node;
  };
  if (pages > 1) tools.append(turn(at - 1, "← previous"), element("span", "", `page ${at} of ${pages}`), turn(at + 1, "next →"));
  list.append(tools);
  of.walk = ordered.map((row) => row.item);
  const cards = element("div", "cards");
  cards.append(...ordered.slice((at - 1) * SHOWN, at * SHOWN).map((row) => card(site, of, side, row, known, params)));
  list.append(ordered.length ? cards : empty("No item is left", "Take a filter away, or clear all of them."));
  grid.append(fold, list);
  root.append(grid);
  return null;
}
