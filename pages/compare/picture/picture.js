// Rates from side to side, and beside them what is gained, group by group: one drawing, in which pointing at a group
// lights it everywhere. Rows can be reached by keyboard. All texts arrive as data and are set as text.
import { onResize, svg } from "../../shared/drawing/dom.js";

const TOP = 34;
const BOTTOM = 44;
const NAME = 142; // for the names and rates at either end of the slope
const AXIS = 34;
const WIDE = 760; // from this width on the two stand side by side
const SHARE = 0.56;
const SIZE = 5;

const line = (x1, y1, x2, y2, more) => svg("line", { x1, y1, x2, y2, ...more });

function tipped(node, tip) {
  node.append(svg("title", {}, tip));
  return node;
}

// A mark of a change: ▲ gained, ▼ lost, both filled; a hollow ring within chance; a square where it is nobody's gain.
function mark(x, y, of) {
  if (of.mark === "■") return svg("rect", { x: x - SIZE, y: y - SIZE, width: 2 * SIZE, height: 2 * SIZE, fill: of.colour });
  if (of.mark === "○") return svg("circle", { cx: x, cy: y, r: SIZE, class: "open", stroke: of.colour });
  const [tip, base] = of.mark === "▲" ? [y - SIZE - 0.5, y + SIZE - 1] : [y + SIZE + 0.5, y - SIZE + 1];
  return svg("path", { d: `M${x},${tip}L${x + SIZE + 1},${base}H${x - SIZE - 1}Z`, fill: of.colour });
}

// A model's own mark, in a heading: that of a square is no circle.
const GLYPHS = { square: "■", diamond: "◆", up: "▲", down: "▼", plus: "✚", west: "◀", east: "▶", cross: "✖", hex: "⬢", dash: "▬" };

// The corners of its mark in the picture, as shares of its size; without any it is a circle.
const CORNERS = {
  square: [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
  diamond: [[0, -1.2], [1.2, 0], [0, 1.2], [-1.2, 0]],
  up: [[0, -1.1], [1.1, 0.9], [-1.1, 0.9]],
  down: [[-1.1, -0.9], [1.1, -0.9], [0, 1.1]],
  west: [[0.9, -1.1], [0.9, 1.1], [-1.1, 0]],
  east: [[-0.9, -1.1], [1.1, 0], [-0.9, 1.1]],
  plus: [[-0.4, -1.1], [0.4, -1.1], [0.4, -0.4], [1.1, -0.4], [1.1, 0.4], [0.4, 0.4], [0.4, 1.1], [-0.4, 1.1], [-0.4, 0.4], [-1.1, 0.4], [-1.1, -0.4], [-0.4, -0.4]],
  cross: [[0, -0.5], [0.7, -1.2], [1.2, -0.7], [0.5, 0], [1.2, 0.7], [0.7, 1.2], [0, 0.5], [-0.7, 1.2], [-1.2, 0.7], [-0.5, 0], [-1.2, -0.7], [-0.7, -1.2]],
  hex: [[-0.55, -1], [0.55, -1], [1.1, 0], [0.55, 1], [-0.55, 1], [-1.1, 0]],
  dash: [[-1.2, -0.5], [1.2, -0.5], [1.2, 0.5], [-1.2, 0.5]],
};

function markOf(cx, cy, side, key) {
  const look = { class: "point", fill: side.colour, "data-group": key };
  const corners = CORNERS[side.shape];
  if (!corners) return svg("circle", { cx, cy, r: SIZE, ...look });
  return svg("polygon", { points: corners.map(([x, y]) => `${cx + SIZE * x},${cy + SIZE * y}`).join(" "), ...look });
}

// The slope: between x and x + wide, `tall` high from y on.
function slope(data, x, y, wide, tall) {
  const node = svg("g", { class: "slope" });
  const last = data.sides.length - 1;
  const [from, to] = [x + AXIS + NAME, x + wide - NAME];
  const across = (side) => from + ((to - from) * side) / last;
  const up = (value) => y + (1 - value) * tall;
  for (const level of [0, 0.25, 0.5, 0.75, 1]) {
    node.append(line(from, up(level), to, up(level), { class: "grid" }));
    node.append(svg("text", { x: x + AXIS - 6, y: up(level) + 4, "text-anchor": "end", class: "tick" }, `${100 * level} %`));
  }
  for (const [k, side] of data.sides.entries()) {
    node.append(line(across(k), y, across(k), y + tall, { class: "rail" }));
    const anchor = k === 0 ? "end" : k === last ? "start" : "middle";
    const shift = k === 0 ? 10 : k === last ? -10 : 0;
    const high = last > 1 && k % 2 ? y - 26 : y - 12;
    const head = svg("text", { x: across(k) + shift, y: high, "text-anchor": anchor, class: "head" });
    const dot = svg("tspan", { fill: side.colour }, `${GLYPHS[side.shape] ?? "●"} `);
    head.append(dot, side.label);
    node.append(head);
  }
  const marks = svg("g", {});
  for (const of of data.lines) {
    const places = of.points.map((point) => [across(point.side), up(point.value)]);
    node.append(svg("polyline", { points: places.map((at) => at.join(",")).join(" "), class: of.sure ? "way" : "way unsure", stroke: of.colour, "data-group": of.key }));
    for (const [k, at] of of.points.entries()) {
      const [cx, cy] = places[k];
      marks.append(tipped(markOf(cx, cy, data.sides[at.side], of.key), at.tip));
    }
  }
  const tips = new Map(data.gains.map((of) => [of.key, of.tip]));
  for (const label of data.labels) {
    const [left, place] = [label.side === 0, up(label.at)];
    const [near, far] = left ? [from - 4, from - 16] : [to + 4, to + 16];
    node.append(line(near, up(label.value), far, place, { class: "lead" }));
    const text = svg("text", { x: left ? far - 3 : far + 3, y: place + 4, "text-anchor": left ? "end" : "start", class: "label", "data-group": label.key }, label.text);
    node.append(last === 1 && tips.has(label.key) ? tipped(text, tips.get(label.key)) : text);
  }
  node.append(marks);
  return node;
}

// Round steps of an axis that reaches so far on either side of zero, in points.
function steps(reach) {
  const size = [0.5, 1, 2, 5, 10, 20, 25, 50].find((step) => (100 * reach) / step <= 2.6) ?? 50;
  const most = Math.floor((100 * reach) / size);
  return Array.from({ length: 2 * most + 1 }, (_, k) => size * (k - most));
}

// The gains: a row a group, sorted, on an axis around zero.
function forest(data, x, y, wide, tall) {
  const node = svg("g", { class: "forest" });
  const several = data.sides.length > 2;
  const name = Math.min(120, 0.28 * wide);
  const room = several ? 62 : 44; // for the numbers beyond the ends
  const middle = x + name + (wide - name) / 2;
  const half = (wide - name) / 2 - room;
  const at = (gain) => middle + (half * gain) / data.reach;
  const row = tall / Math.max(1, data.groups.length);
  for (const step of steps(data.reach)) {
    node.append(line(at(step / 100), y, at(step / 100), y + tall, { class: step ? "grid" : "zero" }));
    const said = step ? (step > 0 ? "+" : "−") + Math.abs(step) : "0";
    node.append(svg("text", { x: at(step / 100), y: y + tall + 16, "text-anchor": "middle", class: "tick" }, said));
  }
  node.append(svg("text", { x: middle - 14, y: y + tall + 36, "text-anchor": "end", class: "side" }, data.left));
  node.append(svg("text", { x: middle, y: y + tall + 36, "text-anchor": "middle", class: "tick" }, "·"));
  node.append(svg("text", { x: middle + 14, y: y + tall + 36, class: "side" }, data.right));
  const many = data.sides.length - 1;
  const step = Math.min(17, (0.8 * row) / many);
  for (const [k, group] of data.groups.entries()) {
    const own = data.gains.filter((of) => of.key === group.key);
    const centre = y + (k + 0.5) * row;
    const each = svg("g", { class: "row", role: "img", tabindex: k ? -1 : 0, "data-group": group.key, "aria-label": own.map((of) => of.tip).join("; ") || `${group.name}: no difference can be told` });
    each.append(svg("rect", { x, y: centre - row / 2, width: wide, height: row, class: "hit" }));
    each.append(svg("text", { x: x + name - 8, y: centre + 4, "text-anchor": "end", class: "label" }, group.name));
    for (const of of own) {
      const place = centre + (of.other - (many - 1) / 2) * step;
      each.append(line(at(of.low), place, at(of.high), place, { class: "range", stroke: of.colour }), mark(at(of.gain), place, of));
      const left = of.gain < 0;
      const text = { x: left ? at(of.low) - 7 : at(of.high) + 7, y: place + 4, "text-anchor": left ? "end" : "start", class: of.sure ? "number sure" : "number" };
      const number = svg("text", text, of.text);
      if (of.model) number[left ? "prepend" : "append"](svg("tspan", { fill: of.model }, left ? "● " : " ●")); // whose it is
      each.append(number);
    }
    if (own.length) tipped(each, own.map((of) => of.tip).join("\n"));
    node.append(each);
  }
  return node;
}

// Pointing at a group, or focus on its row, lights it in both halves.
function lights(drawn) {
  const light = (key) => {
    drawn.classList.toggle("some", key !== undefined);
    for (const node of drawn.querySelectorAll("[data-group]")) node.classList.toggle("lit", node.dataset.group === key);
  };
  const of = (event) => event.target.closest?.("[data-group]")?.dataset.group;
  drawn.addEventListener("pointerover", (event) => light(of(event)));
  drawn.addEventListener("pointerleave", () => light(undefined));
  drawn.addEventListener("focusin", (event) => light(of(event)));
  drawn.addEventListener("focusout", () => light(undefined));
}

// Arrows walk from row to row: all of them are one stop of the Tab key.
function walk(drawn) {
  const rows = [...drawn.querySelectorAll(".row")];
  drawn.addEventListener("keydown", (event) => {
    const at = rows.indexOf(event.target);
    const found = { ArrowDown: rows[at + 1], ArrowUp: rows[at - 1], Home: rows[0], End: rows.at(-1) }[event.key];
    if (at < 0 || !found) return;
    event.preventDefault();
    for (const row of rows) row.setAttribute("tabindex", row === found ? 0 : -1);
    found.focus();
  });
}

function picture(data, wide) {
  const beside = wide >= WIDE;
  const top = data.sides.length > 2 ? TOP + 14 : TOP;
  const tall = data.height;
  const below = beside ? tall : data.row;
  const high = beside ? top + tall + BOTTOM : top + tall + 30 + below + BOTTOM;
  const node = svg("svg", { width: wide, height: high, viewBox: `0 0 ${wide} ${high}`, role: "group", "aria-label": data.alt });
  const first = beside ? Math.round(SHARE * wide) : wide;
  node.append(slope(data, 0, top, first, tall));
  node.append(beside ? forest(data, first + 8, top, wide - first - 8, tall) : forest(data, 0, top + tall + 30, wide, below));
  lights(node);
  walk(node);
  return node;
}

// Heads are as long as names are: each is moved until it lies within the slope, and above the one before where they
// would touch. Only what is in the document can be measured.
function fitHeads(node, beside) {
  const limit = beside ? Math.round(SHARE * node.width.baseVal.value) : node.width.baseVal.value;
  let before = null;
  for (const head of node.querySelectorAll(".head")) {
    const { x, width } = head.getBBox();
    const moved = Math.max(0, Math.min(x, limit - width)) - x;
    head.setAttribute("x", Number(head.getAttribute("x")) + moved);
    const mine = { from: x + moved, to: x + moved + width, y: Number(head.getAttribute("y")) };
    if (before && mine.y === before.y && mine.from < before.to + 8) {
      mine.y -= 14;
      head.setAttribute("y", mine.y);
    }
    before = mine;
  }
}

export default function (component) {
  const { data, parentElement } = component;
  const box = parentElement.querySelector("#picture");
  let wide = 0;
  const draw = () => {
    const now = Math.max(340, Math.floor(box.clientWidth));
    if (now === wide) return;
    wide = now;
    box.replaceChildren(picture(data, wide));
    fitHeads(box.firstElementChild, wide >= WIDE);
  };
  draw();
  return onResize(box, draw);
}
