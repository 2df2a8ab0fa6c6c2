// What the Atlas' plane consists of, in SVG, from what Python sent (plane.py: `drawing`). at: the frame on the screen, with
// x and y from per cent to pixels, and the width of a name; hidden: groups by their number and layers by their name that are not shown.
import { svg } from "../shared/drawing/dom.js";
import { tickText, ticksOf } from "../shared/drawing/plane/geometry.js";
import { arrowOf, haloOf, marked, pathOf } from "./marks.js";

export const FRONT = "front";
export const ARROWS = "arrows";
// A line's height and a letter's size in the names, pixels.
const LINE = 16;
export const LETTERS = 11.5;

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

// What of some points [x, y] none of them beats, which is at least as good both ways and better in one, from the highest
// to the farthest across (as view.py's `front`).
export function frontOf(points) {
  const beats = (a, b) => a[0] >= b[0] && a[1] >= b[1] && (a[0] > b[0] || a[1] > b[1]);
  return points.filter((each) => !points.some((other) => beats(other, each))).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

// The front of the models that are shown; own ones are not in it. What Python sent is that of all, [] where none is wanted.
export function frontShown(data, hidden) {
  if (!data.front.length || !data.groups.some((group, k) => hidden.has(k))) return data.front;
  return frontOf(data.groups.flatMap((group, k) => (group.star || hidden.has(k) ? [] : group.x.map((x, i) => [x, group.y[i]]))));
}

// The arrows of which both ends are shown.
export const arrowsShown = (data, isHidden) => data.arrows.filter(({ keys }) => !keys.some(isHidden));

// Chance and the front.
export function linesOf(data, at, hidden) {
  const found = [];
  const chance = [];
  if (data.chance[0] !== null) chance.push(`M${at.x(data.chance[0])} ${at.top}v${at.height}`);
  if (data.chance[1] !== null) chance.push(`M${at.left} ${at.y(data.chance[1])}h${at.width}`);
  if (chance.length) found.push(svg("path", { d: chance.join(""), stroke: "var(--quiet)", "stroke-dasharray": "7 6", fill: "none", class: "chance" }));
  const front = hidden.has(FRONT) ? [] : frontShown(data, hidden);
  if (front.length) {
    // From the one axis by all corners, up or down before across, to the other: what lies behind it is beaten.
    const steps = [`M${at.x(data.low[0])} ${at.y(front[0][1])}`, ...front.map(([x, y]) => `V${at.y(y)}H${at.x(x)}`), `V${at.y(data.low[1])}`];
    found.push(svg("path", { d: steps.join(""), stroke: "currentColor", "stroke-width": 1.4, "stroke-dasharray": "2 3", fill: "none", class: "front" }));
  }
  return found;
}

// The models, the arrows from base to taught, and the ring around the chosen one. Around an arrow the page shines through
// below the models, not over them. isHidden: whether the model of a key is.
export function marksOf(data, at, hidden, isHidden) {
  const groups = data.groups.map((group, k) => {
    const node = svg("g", { stroke: group.star ? "currentColor" : "var(--page)", "stroke-width": group.star ? 0.9 : 0.8, "fill-opacity": group.opacity, class: "marks" });
    const d = pathOf(group.shape, group.size);
    if (!hidden.has(k)) group.x.forEach((x, i) => node.append(marked(d, at.x(x), at.y(group.y[i]), group.colours[i % group.colours.length])));
    return node;
  });
  const arrows = hidden.has(ARROWS) ? [] : arrowsShown(data, isHidden);
  const ends = arrows.map(({ from, to }) => [[at.x(from[0]), at.y(from[1])], [at.x(to[0]), at.y(to[1])]]);
  const chosen = data.chosen && !isHidden(data.key) ? [svg("circle", { cx: at.x(data.chosen[0]), cy: at.y(data.chosen[1]), r: 10.5, fill: "none", stroke: "currentColor", "stroke-width": 2.4, class: "chosen" })] : [];
  return [...ends.flatMap(([from, to]) => haloOf(from, to)), ...groups, ...ends.flatMap(([from, to]) => arrowOf(from, to)), ...chosen];
}

// Names with the page shining through behind them; those that stand far from their point are led to it. Names of arrows
// come and go with these.
export function namesOf(data, at, hidden, isHidden) {
  return data.names.flatMap(({ at: [x, y], text, right, up, gap, leads, taught, key }) => {
    const [px, py] = [at.x(x), at.y(y)];
    if (!at.holds(px, py) || isHidden(key) || (taught && hidden.has(ARROWS))) return [];
    const ink = taught ? "var(--arrow)" : "currentColor";
    const wide = at.widthOf(text) + 4;
    const from = (5 + gap) / Math.max(1, Math.hypot(right, up));
    const to = 1 - Math.min(wide / 2 / Math.max(0.1, Math.abs(right)), LINE / 2 / Math.max(0.1, Math.abs(up))); // the name's edge
    const line = leads && to > from ? [svg("path", { d: `M${px + from * right} ${py - from * up}L${px + to * right} ${py - to * up}`, stroke: ink, "stroke-width": 0.9 })] : [];
    const node = svg("text", { x: px + right, y: py - up + 4, "text-anchor": "middle", "font-size": LETTERS, fill: ink, class: "name" }, text);
    return [...line, svg("rect", { x: px + right - wide / 2, y: py - up - LINE / 2, width: wide, height: LINE, fill: "var(--page)", "fill-opacity": 0.78 }), node];
  });
}
