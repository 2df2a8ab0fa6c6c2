// The bars of cells. Every part of a bar is a button; arrows walk from part to part, so all bars of a protocol are one
// stop of the Tab key. All texts arrive as data and are set as text.
import { button, element } from "./dom.js";

function dot(of) {
  const node = element("i", of.shape || "");
  node.style.background = of.colour;
  return node;
}

function legend(entries) {
  const list = element("ul", "legend");
  for (const entry of entries) {
    const item = element("li");
    item.title = entry.tip;
    const swatch = element("i", "swatch");
    swatch.style.background = entry.colour;
    item.append(swatch, element("b", "", entry.name), element("span", "", entry.change));
    list.append(item);
  }
  const luck = element("li");
  luck.append(element("i", "swatch hatched"), element("b", "", "luck alone"), element("span", "", "a coin would put as many there"));
  list.append(luck);
  return list;
}

// start: where the part begins, 0 to 1; before, after: how many stand on its sides. A part stands exactly where its share
// says; one too narrow to be seen is widened towards the middle, over its large neighbour, so that each can be clicked.
function part(of, start, before, after, send, marked) {
  const node = button(undefined, () => send(of.id), { className: marked.includes(of.id) ? "marked" : "", title: of.tip });
  node.setAttribute("aria-label", of.tip);
  node.style.width = `${100 * of.share}%`;
  if (start < 0.5) node.style.left = `max(${100 * start}%, ${3 * before}px)`;
  else node.style.right = `max(${100 * Math.max(0, 1 - start - of.share)}%, ${3 * after}px)`;
  if (of.share < 0.02) node.style.zIndex = 1;
  node.style.background = of.colour;
  node.tabIndex = -1;
  node.dataset.part = of.id;
  if (of.luck > 0) {
    const hatch = element("i", "luck");
    hatch.style.width = `${100 * of.luck}%`;
    node.append(hatch);
  }
  if (of.share > 0.03) node.append(element("span", `digits-${of.text.length}`, of.text));
  return node;
}

function barOf(row, send, marked) {
  const node = element("div", "row");
  const name = element("div", "name");
  name.append(...(row.colour ? [dot(row)] : []), element("span", "", row.label));
  if (row.sub) name.append(element("small", "", row.sub));
  const bar = element("div", "bar");
  bar.setAttribute("role", "group");
  const beyond = row.ends ? `, beyond luck ${row.ends}` : "";
  bar.setAttribute("aria-label", `${row.label}: ${row.least}${beyond}`);
  let start = 0;
  row.parts.forEach((of, k) => {
    bar.append(part(of, start, k, row.parts.length - 1 - k, send, marked));
    start += of.share;
  });
  const said = element("div", "said");
  said.append(element("b", "", row.least), element("small", "", row.ends));
  node.append(name, bar, said);
  return node;
}

function panel(of, send, marked) {
  const node = element("section", of.many ? "panel many" : "panel");
  const head = element("h4");
  if (!of.title) head.hidden = true;
  head.append(...(of.colour ? [dot(of)] : []), element("span", "", of.title), element("small", "", of.sub));
  node.append(head, ...of.rows.map((row) => barOf(row, send, marked)));
  return node;
}

// Of which bars no item of a verdict has a reason though their share is beyond luck, and why: below the bars, which stay
// aligned. A bar says it of its right items, of those outvoted, or of both: it is one line, and counts once.
function notes(panels, right) {
  const bars = panels.flatMap((each) => each.rows.map((row) => ({ row, name: [each.title, row.label].filter(Boolean).join(" · ") })));
  const found = bars.filter(({ row }) => row.notes.length).map(({ row, name }) => `${name}: ${row.notes.join(" ")}`);
  const node = element("div", "notes");
  if (found.length < 2) {
    node.append(...found.map((text) => element("p", "note", text)));
    return node;
  }
  const more = element("details");
  more.append(element("summary", "", `No ${right} item, or no outvoted one, is certified on ${found.length} of ${bars.length} bars: why`));
  more.append(...found.map((text) => element("p", "note", text)));
  node.append(more);
  return node;
}

function missing(entries) {
  const node = element("div", "missing");
  const why = [...new Set(entries.map((entry) => entry.why))];
  const names = entries.map((entry) => entry.name).join(", ");
  node.append(element("p", "", `Reason not measured: ${names} (${why.join("; ")}).`));
  const typed = entries.filter((entry) => entry.command);
  if (!typed.length) return node;
  const more = element("details");
  more.append(element("summary", "", typed.length === 1 ? "The command that brings it" : "The commands that bring it"));
  for (const entry of typed) more.append(element("code", "", entry.command));
  node.append(more);
  return node;
}

// One part at a time can be reached by Tab; arrows, Home and End go to its neighbours. held: the id of the part that had
// the focus when the page ran again, and gets it back.
function walk(section, held) {
  const grid = [...section.querySelectorAll(".bar")].map((bar) => [...bar.querySelectorAll("button")]).filter((line) => line.length);
  const all = grid.flat();
  const back = all.find((node) => node.dataset.part === held);
  const first = back ?? all.find((node) => node.classList.contains("marked")) ?? all[0];
  if (first) first.tabIndex = 0;
  section.onkeydown = (event) => {
    const row = grid.findIndex((nodes) => nodes.includes(event.target));
    if (row < 0) return;
    const at = grid[row].indexOf(event.target);
    const found = {
      ArrowLeft: () => grid[row][at - 1], ArrowRight: () => grid[row][at + 1],
      ArrowUp: () => grid[row - 1]?.[Math.min(at, grid[row - 1].length - 1)],
      ArrowDown: () => grid[row + 1]?.[Math.min(at, grid[row + 1].length - 1)],
      Home: () => grid[row][0], End: () => grid[row].at(-1),
    }[event.key]?.();
    if (!found) return;
    event.preventDefault();
    for (const node of all) node.tabIndex = node === found ? 0 : -1;
    found.focus();
  };
  return back;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const box = parentElement.querySelector("#cells");
  const send = (id) => setTriggerValue("opened", id);
  const held = box.getRootNode().activeElement?.dataset?.part;
  const backs = [];
  box.replaceChildren(
    ...data.parts.map((of) => {
      const rows = of.panels.reduce((n, each) => n + each.rows.length, 0);
      const node = element("div", `part${of.panels.length > 1 ? " wide" : ""}${of.panels.length === 1 && rows > 3 ? " tall" : ""}`);
      node.append(element("h3", "", of.title));
      if (of.panels.length) {
        node.append(legend(of.legend)); // without bars there is nothing that it could explain
        const panels = element("div", "panels");
        panels.append(...of.panels.map((each) => panel(each, send, data.marked)));
        node.append(panels, notes(of.panels, of.legend[0].name));
      }
      if (of.missing.length) node.append(missing(of.missing));
      backs.push(walk(node, held));
      return node;
    }),
  );
  backs.find(Boolean)?.focus({ preventScroll: true });
}
