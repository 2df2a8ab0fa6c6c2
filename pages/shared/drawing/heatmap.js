// The heat map: an HTML table whose cells are links where it is known beforehand where they lead, else buttons. All texts
// arrive as data and are set as text, never as markup.
// A click on a column's name sorts by it; arrows walk from cell to cell, so the whole table is one stop of the Tab key.
// The order after a click: best first, worst first, the models' own order.
import { anchor, button, element, linked, onResize } from "./dom.js";
import { pointed } from "./pointed.js";

// Letters of a name above a column and beside a row.
const [HEAD, ROW, WRAPS] = [32, 28, 60]; // names of a turned table wrap, and need no cut

function next(order, key) {
  if (order === "-" + key) return key;
  return order === key ? "" : "-" + key;
}

// A name breaks between words and behind / and _, never inside a word.
function breakable(text) {
  return text.replace(/([/_])/g, "$1\u200b");
}

// A long name without its middle, as `numbers.shortened` does it: its beginning and its end tell it from others.
function shortened(text, most) {
  return text.length <= most ? text : text.slice(0, most / 2) + "…" + text.slice(-Math.floor((most - 1) / 2));
}

// What is pointed at says the whole of a name that is shown without its middle.
function inFull(label, tip, most) {
  return label.length > most && !tip.includes(label) ? `${label}\n${tip}` : tip;
}

function dot(of) {
  const node = element("i", of.shape || "");
  node.style.backgroundColor = of.colour;
  return node;
}

function heading(column, order, sort, go) {
  const node = element("th");
  node.scope = "col";
  const down = order === "-" + column.key;
  const up = order === column.key;
  node.setAttribute("aria-sort", down ? "descending" : up ? "ascending" : "none");
  const tip = inFull(column.label, column.tip, HEAD) + "\nClick to sort: best first, worst first, the models' own order.";
  const sorter = button(undefined, () => sort(next(order, column.key), column.key), { className: "sorter", title: tip });
  const name = element("span", "name", breakable(shortened(column.label, HEAD)) + (down ? " ↓" : up ? " ↑" : ""));
  if (column.colour) name.prepend(dot(column));
  sorter.append(name, element("span", "sub", column.sub));
  sorter.dataset.column = column.key;
  node.append(sorter);
  if (column.href) node.append(linked({ ...column, tip: column.tip }, element("span", "", "its page"), go));
  return node;
}

function cell(entry, send, marked, compact) {
  const node = element("td");
  if (!entry) {
    node.append(element("span", "none", "–"));
    return node;
  }
  const press = () => send(entry.id);
  const rate = entry.href ? anchor(entry.href, press) : button(undefined, press);
  rate.classList.add("rate");
  rate.classList.toggle("marked", entry.id === marked);
  rate.dataset.tip = entry.tip;
  rate.tabIndex = -1;
  rate.setAttribute("aria-label", entry.tip);
  rate.style.backgroundColor = entry.colour;
  rate.style.color = entry.ink;
  rate.dataset.cell = entry.id;
  rate.append(element("b", "", entry.value + (entry.mark ? "\u2009" + entry.mark : "")));
  if (!compact) rate.append(element("span", "spread", entry.spread));
  if (entry.part) rate.append(element("span", "part-of", entry.part));
  if (entry.printed) rate.append(element("span", "printed", "◇ " + entry.printed));
  node.append(rate);
  return node;
}

function sorted(rows, columns, order) {
  const down = order.startsWith("-");
  const at = columns.findIndex((column) => column.key === (down ? order.slice(1) : order));
  if (at < 0) return rows;
  const value = (row) => row.cells[at]?.rate ?? null;
  return [...rows].sort((a, b) => {
    if (value(a) === null || value(b) === null) return (value(a) === null) - (value(b) === null);
    return down ? value(b) - value(a) : value(a) - value(b);
  });
}

// One cell at a time can be reached by Tab; arrows, Home and End move to the nearest cell with a number.
function walk(table) {
  const grid = [...table.tBodies[0].rows].filter((row) => !row.classList.contains("part")).map((row) => [...row.cells].slice(1).map((td) => td.querySelector(".rate")));
  const all = grid.flat().filter(Boolean);
  const first = all.find((rate) => rate.classList.contains("marked")) ?? all[0];
  if (first) first.tabIndex = 0;
  table.tBodies[0].onkeydown = (event) => {
    const row = grid.findIndex((line) => line.includes(event.target));
    const column = row < 0 ? -1 : grid[row].indexOf(event.target);
    if (row < 0) return;
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -1], End: [0, 1] };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    let found = null;
    for (let r = row + step[0], c = column + step[1]; grid[r] && c >= 0 && c < grid[r].length; r += step[0], c += step[1]) {
      if (!grid[r][c]) continue;
      found = grid[r][c];
      if (event.key !== "Home" && event.key !== "End") break;
    }
    if (!found) return;
    for (const rate of all) rate.tabIndex = rate === found ? 0 : -1;
    found.focus();
  };
}

// A word above says that there is more to see beyond the right edge, until it is reached.
function edge(box) {
  const more = box.scrollWidth - box.clientWidth - box.scrollLeft > 4;
  box.classList.toggle("wide", box.scrollWidth - box.clientWidth > 4);
  box.classList.toggle("more", more);
}

export default function (component) {
  const { parentElement, setStateValue, setTriggerValue } = component;
  const { still } = component.data; // a picture of last time, which leads nowhere
  const data = still ? JSON.parse(still) : component.data;
  const box = parentElement.querySelector("#heat");
  box.inert = Boolean(still);
  const go = (key) => setTriggerValue("named", key);
  const { tip, hide } = pointed(box);
  const draw = (order, focus) => {
    const sort = (wanted, column) => {
      draw(wanted, column);
      setStateValue("order", wanted);
    };
    const table = element("table");
    table.append(element("caption", "hidden", data.caption));
    table.style.maxWidth = `${18 + 11 * data.columns.length}rem`; // a few columns stay near their names
    const head = table.createTHead();
    if (data.groups.length > 1) {
      const row = head.insertRow();
      row.className = "groups";
      row.append(element("td"));
      for (const group of data.groups) {
        const node = element("th", "", group.label);
        node.colSpan = group.span;
        node.scope = "colgroup";
        row.append(node);
      }
    }
    const names = head.insertRow();
    names.append(element("td"), ...data.columns.map((column) => heading(column, order, sort, go)));
    const body = table.createTBody();
    let part = "";
    for (const line of sorted(data.rows, data.columns, order)) {
      // Parts of a turned table stand under their names as long as nothing is sorted.
      if (line.group && !order && line.group !== part) {
        const above = body.insertRow();
        above.className = "part";
        const title = element("th", "", line.group);
        title.colSpan = data.columns.length + 1;
        title.scope = "rowgroup";
        above.append(title);
        part = line.group;
      }
      const row = body.insertRow();
      const name = element("th");
      name.scope = "row";
      const most = data.turned ? WRAPS : ROW;
      const said = inFull(line.label, line.tip, most);
      name.title = said;
      const label = shortened(line.label, most);
      const words = element("span", "name", data.turned ? breakable(label) : label);
      words.append(element("small", "", line.kind));
      name.append(...(line.colour ? [dot(line)] : []), linked({ ...line, tip: said }, words, go));
      row.append(name, ...line.cells.map((entry) => cell(entry, (id) => setTriggerValue("opened", id), data.marked, data.compact)));
    }
    table.classList.toggle("turned", Boolean(data.turned));
    table.classList.toggle("compact", Boolean(data.compact));
    table.classList.toggle("few", !data.turned && data.columns.length < 4);
    if (!data.turned) {
      const foot = table.createTFoot().insertRow();
      const chance = element("th", "", data.foot || "chance");
      chance.scope = "row";
      foot.append(chance, ...data.columns.map((column) => element("td", "", column.chance)));
    }
    const { scrollLeft, scrollTop } = box;
    box.replaceChildren(table, tip);
    box.scrollTo(scrollLeft, scrollTop);
    walk(table);
    edge(box);
    if (focus) [...table.querySelectorAll(".sorter")].find((sorter) => sorter.dataset.column === focus)?.focus();
  };
  // A new run of the page brings the same order back; what has the focus keeps it.
  const within = box.getRootNode().activeElement;
  draw(data.order ?? "", within?.dataset?.column);
  if (within?.dataset?.cell) [...box.querySelectorAll(".rate")].find((b) => b.dataset.cell === within.dataset.cell)?.focus();
  box.onscroll = () => (hide(), edge(box));
  return onResize(box, () => edge(box));
}
