// The bars of cells. Every part of a bar is a button; arrows walk from part to part, so all bars of a protocol are one
// stop of the Tab key. All texts arrive as data and are set as text.
import { button, element, linked } from "./dom.js";
import { focusedPart, pressed } from "./kept_focus.js";

function dot(of) {
  const node = element("i", of.shape || "");
  node.style.background = of.colour;
  return node;
}

function legend(entries, short) {
  const list = element("ul", "legend");
  for (const entry of entries) {
    const item = element("li");
    item.title = short ? `${entry.tip}; what would have to change: ${entry.change}` : entry.tip;
    const swatch = element("i", "swatch");
    swatch.style.background = entry.colour;
    item.append(swatch, element("b", "", entry.name), element("span", "", short ? "" : entry.change));
    list.append(item);
  }
  const luck = element("li");
  luck.append(element("i", "swatch hatched"), element("b", "", "luck alone"), element("span", "", short ? "" : "a coin would put as many there"));
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
  const said = element("div", "said");
  said.append(element("b", "", row.least), element("small", "", row.ends));
  node.append(name, stack(row, send, marked), said);
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
  more.append(element("summary", "", `On ${found.length} of ${bars.length} bars the share is beyond luck, but of no ${right} item alone, or of no outvoted one, is it certain: why`));
  more.append(...found.map((text) => element("p", "note", text)));
  node.append(more);
  return node;
}

function missing(entries) {
  const node = element("div", "missing");
  node.append(...entries.map((entry) => element("p", "", `Reason not measured of ${entry.name}: ${entry.why}.`)));
  const typed = entries.flatMap((entry) => entry.commands);
  if (!typed.length) return node;
  const more = element("details");
  more.append(element("summary", "", typed.length === 1 ? "The command that brings it" : "The commands that bring it"));
  for (const command of typed) more.append(element("code", "", command));
  node.append(more);
  return node;
}

function stack(row, send, marked) {
  const node = element("div", "bar");
  node.setAttribute("role", "group");
  const beyond = row.ends ? `, beyond luck ${row.ends}` : "";
  node.setAttribute("aria-label", `${row.label}: ${row.least}${beyond}`);
  let start = 0;
  row.parts.forEach((of, k) => {
    node.append(part(of, start, k, row.parts.length - 1 - k, send, marked));
    start += of.share;
  });
  return node;
}

// A model's name, which leads to its page.
function nameOf(of, go) {
  const node = element("div", "name");
  node.append(dot(of), linked(of, element("span", "", of.label), go));
  if (of.sub) node.append(element("small", "", of.sub));
  return node;
}

// A line a model, a bar a column, all protocols side by side; of many models the first few until the rest is asked for.
function matrix(of, send, go, marked, box) {
  const node = element("div", "matrix");
  node.style.setProperty("--columns", of.columns.length);
  node.classList.toggle("lone", of.columns.length < 3);
  const head = element("div", "line heads");
  head.append(element("div"));
  for (const column of of.columns) {
    const title = element("div", "head", column.title);
    title.append(element("small", "", column.group));
    head.append(title);
  }
  const lines = of.rows.map((row) => {
    const line = element("div", "line");
    line.append(nameOf(row, go));
    row.cells.forEach((cell) => {
      const place = element("div", "place");
      if (cell) {
        const said = element("small", cell.state);
        // Each on its line where there is no room for both.
        said.append(element("span", "", cell.brief), ...(cell.part ? [" ", element("span", "", cell.part)] : []));
        said.title = [cell.least, cell.ends && `beyond luck ${cell.ends}`].filter(Boolean).join(", ");
        place.append(stack(cell, send, marked), said);
      } else place.append(element("small", "", "–"));
      line.append(place);
    });
    return line;
  });
  const shown = box.every ? lines.length : of.first;
  node.append(head, ...lines);
  lines.forEach((line, k) => (line.hidden = k >= shown));
  if (lines.length > shown) {
    const more = button(`Show all ${lines.length} models`, () => {
      box.every = true;
      for (const line of lines) line.hidden = false;
      more.remove();
    }, { className: "more" });
    node.append(more);
  }
  return node;
}

// One part at a time can be reached by Tab; arrows, Home and End go to its neighbours. held: the id of the part that had
// the focus when the page ran again, and gets it back.
function walk(section, held, across = 1) {
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
      ArrowLeft: () => grid[row][at - 1] ?? (across > 1 ? grid[row - 1]?.at(-1) : null),
      ArrowRight: () => grid[row][at + 1] ?? (across > 1 ? grid[row + 1]?.[0] : null),
      ArrowUp: () => grid[row - across]?.[Math.min(at, grid[row - across].length - 1)],
      ArrowDown: () => grid[row + across]?.[Math.min(at, grid[row + across].length - 1)],
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
  const send = (id) => {
    pressed(id);
    setTriggerValue("opened", id);
  };
  const held = focusedPart(box);
  const backs = [];
  if (data.matrix) {
    const of = data.matrix;
    const node = element("div", "part wide");
    for (const each of of.legends) {
      const line = element("div", "keys");
      line.append(element("h3", "", each.title), legend(each.legend, true));
      node.append(line);
    }
    node.append(matrix(of, send, (key) => setTriggerValue("named", key), data.marked, box));
    node.append(notes([{ title: "", rows: of.rows.flatMap((row) => row.cells.filter(Boolean).map((cell) => ({ ...cell, label: `${row.label} · ${cell.label}` }))) }], "right"));
    if (of.missing.length) node.append(missing(of.missing));
    if (of.read) {
      const read = element("details", "read");
      read.append(element("summary", "", "How the bars are read"), element("p", "note", of.read));
      node.append(read);
    }
    box.replaceChildren(node);
    walk(node, held, of.columns.length)?.focus({ preventScroll: true });
    return;
  }
  box.replaceChildren(
    ...data.parts.map((of) => {
      const rows = of.panels.reduce((n, each) => n + each.rows.length, 0);
      const node = element("div", `part${of.panels.length > 1 ? " wide" : ""}${of.panels.length === 1 && rows > 3 ? " tall" : ""}`);
      node.append(element("h3", "", of.title));
      if (of.panels.length) {
        node.append(legend(of.legend, of.short)); // without bars there is nothing that it could explain
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
