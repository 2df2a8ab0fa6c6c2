// What the Atlas' plane consists of, in SVG, from what Python sent (plane.py: `drawing`). at: the frame on the screen, with
// x and y from per cent to pixels; hidden: groups by their number and layers by their name that are not shown.
import { svg } from "../shared/drawing/dom.js";
import { tickText, ticksOf } from "../shared/drawing/plane/geometry.js";
import { arrowOf, marked, pathOf } from "./marks.js";

export const FRONT = "front";
export const ARROWS = "arrows";
// About a letter's width and a line's height in the names, pixels.
const [LETTER, LINE] = [6.2, 16];

// Lines of the grid and the numbers at the ticks.
export function axesOf(at) {
  const [low, high] = [at.value(at.left, at.top + at.height), at.value(at.left + at.width, at.top)];
  const [across, up] = [ticksOf(low[0], high[0], at.width / 110), ticksOf(low[1], high[1], at.height / 70)];
  const sharp = (value) => Math.round(value) + 0.5; // lines on whole pixels
  const grid = [...across.values.map((value) => `M${sharp(at.x(value))} ${at.top}v${at.height}`), ...up.values.map((value) => `M${at.left} ${sharp(at.y(value))}h${at.width}`)];
  const words = svg("g", { "font-size": 12, fill: "var(--quiet)" });
  for (const value of across.values) words.append(svg("text", { x: at.x(value), y: at.top + at.height + 17, "text-anchor": "middle" }, tickText(value, across.step, false)));
  for (const value of up.values) words.append(svg("text", { x: at.left - 7, y: at.y(value) + 4, "text-anchor": "end" }, tickText(value, up.step, false)));
  return [svg("path", { d: grid.join(""), stroke: "var(--faint)", fill: "none" }), words];
}

// Chance and the front.
export function linesOf(data, at, hidden) {
  const found = [];
  const chance = [];
  if (data.chance[0] !== null) chance.push(`M${at.x(data.chance[0])} ${at.top}v${at.height}`);
  if (data.chance[1] !== null) chance.push(`M${at.left} ${at.y(data.chance[1])}h${at.width}`);
  if (chance.length) found.push(svg("path", { d: chance.join(""), stroke: "var(--quiet)", "stroke-dasharray": "7 6", fill: "none", class: "chance" }));
  if (data.front.length && !hidden.has(FRONT)) {
    const steps = data.front.map(([x, y], k) => (k ? `V${at.y(y)}H${at.x(x)}` : `M${at.x(x)} ${at.y(y)}`)); // first up or down, then across
    found.push(svg("path", { d: steps.join(""), stroke: "currentColor", "stroke-width": 1.4, "stroke-dasharray": "2 3", fill: "none", class: "front" }));
  }
  return found;
}

// The models, the arrows from base to taught, and the ring around the chosen one.
export function marksOf(data, at, hidden) {
  const groups = data.groups.map((group, k) => {
    const node = svg("g", { stroke: group.star ? "currentColor" : "var(--page)", "stroke-width": group.star ? 0.9 : 0.8, "fill-opacity": group.opacity, class: "marks" });
    const d = pathOf(group.shape, group.size);
    if (!hidden.has(k)) group.x.forEach((x, i) => node.append(marked(d, at.x(x), at.y(group.y[i]), group.colours[i % group.colours.length])));
    return node;
  });
  const arrows = hidden.has(ARROWS) ? [] : data.arrows.flatMap(([base, taught]) => arrowOf([at.x(base[0]), at.y(base[1])], [at.x(taught[0]), at.y(taught[1])]));
  const chosen = data.chosen ? [svg("circle", { cx: at.x(data.chosen[0]), cy: at.y(data.chosen[1]), r: 10.5, fill: "none", stroke: "currentColor", "stroke-width": 2.4, class: "chosen" })] : [];
  return [...groups, ...arrows, ...chosen];
}

// Names with the page shining through behind them; those that stand far from their point are led to it.
export function namesOf(data, at) {
  return data.names.flatMap(({ at: [x, y], text, right, up, gap, leads, taught }) => {
    const [px, py] = [at.x(x), at.y(y)];
    if (!at.holds(px, py)) return [];
    const ink = taught ? "var(--arrow)" : "currentColor";
    const wide = LETTER * text.length + 4;
    const from = (5 + gap) / Math.max(1, Math.hypot(right, up));
    const to = 1 - Math.min(wide / 2 / Math.max(0.1, Math.abs(right)), LINE / 2 / Math.max(0.1, Math.abs(up))); // the name's edge
    const line = leads && to > from ? [svg("path", { d: `M${px + from * right} ${py - from * up}L${px + to * right} ${py - to * up}`, stroke: ink, "stroke-width": 0.9 })] : [];
    const node = svg("text", { x: px + right, y: py - up + 4, "text-anchor": "middle", "font-size": 11.5, fill: ink, class: "name" }, text);
    return [...line, svg("rect", { x: px + right - wide / 2, y: py - up - LINE / 2, width: wide, height: LINE, fill: "var(--page)", "fill-opacity": 0.78 }), node];
  });
}
