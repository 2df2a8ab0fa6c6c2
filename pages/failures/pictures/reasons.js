// One slim bar of cells for each protocol. Every part is a button that lists its items; all parts are one stop of the Tab
// key, arrows go from part to part. All texts arrive as data.
import { button, element } from "../../shared/drawing/dom.js";
import { focusedPart, pressed } from "../../shared/drawing/kept_focus.js";

function part(of, start, marked, send) {
  const node = button(undefined, () => send(of.id), { className: marked.includes(of.id) ? "part marked" : "part", title: of.tip });
  node.setAttribute("aria-label", of.tip);
  node.setAttribute("aria-pressed", String(marked.includes(of.id)));
  node.dataset.part = of.id;
  node.tabIndex = -1;
  Object.assign(node.style, { left: `${100 * start}%`, width: `${100 * of.share}%`, background: of.colour });
  if (of.luck > 0) {
    const hatch = element("i", "luck");
    hatch.style.width = `${100 * of.luck}%`;
    node.append(hatch);
  }
  const name = element("span", "name");
  // Words are there whole or shortened or not at all: cut by its bar's edge a name loses what tells it from the others.
  name.append(
    element("b", "", of.text),
    element("em", of.name.length > 17 ? "full long" : of.name.length > 8 ? "full middling" : "full", of.name),
    element("em", of.short === of.name ? "none" : of.short.length > 8 ? "short" : "short brief", of.short),
  );
  node.append(name);
  return node;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const box = parentElement.querySelector("#reasons");
  const held = focusedPart(box);
  const send = (id) => {
    pressed(id);
    setTriggerValue("opened", id);
  };
  const rows = data.rows.map((of) => {
    const row = element("div", "row");
    const bar = element("div", "bar");
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", of.alt);
    let start = 0;
    for (const each of of.parts) {
      bar.append(part(each, start, data.marked, send));
      start += each.share;
    }
    row.append(element("span", "of", of.label), bar);
    return row;
  });
  box.querySelector(".rows").replaceChildren(...rows);
  box.querySelector(".title").textContent = data.title;
  box.querySelector(".whole").textContent = data.whole;
  const certified = box.querySelector(".certified");
  certified.textContent = data.certified;
  certified.title = data.more;
  const grid = rows.map((row) => [...row.querySelectorAll(".part")]);
  const all = grid.flat();
  const back = all.find((node) => node.dataset.part === held);
  const first = back ?? all.find((node) => node.classList.contains("marked")) ?? all[0];
  if (first) first.tabIndex = 0;
  box.onkeydown = (event) => {
    const row = grid.findIndex((nodes) => nodes.includes(event.target));
    if (row < 0) return;
    const at = grid[row].indexOf(event.target);
    const found = {
      ArrowLeft: () => grid[row][at - 1], ArrowRight: () => grid[row][at + 1],
      ArrowUp: () => grid[row - 1]?.[Math.min(at, grid[row - 1].length - 1)],
      ArrowDown: () => grid[row + 1]?.[Math.min(at, grid[row + 1].length - 1)],
    }[event.key]?.();
    if (!found) return;
    event.preventDefault();
    for (const node of all) node.tabIndex = node === found ? 0 : -1;
    found.focus();
  };
  back?.focus({ preventScroll: true });
}
