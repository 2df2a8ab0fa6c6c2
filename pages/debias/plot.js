// The curves over α, and the layer above them that moves. What stands still is drawn once.
import { clamp, percent, svg, unpack } from "../shared/drawing/dom.js";

export const MARGIN = { left: 46, right: 14, top: 30, bottom: 40 };
export const HEIGHT = 268;
export const RANGES = { top: HEIGHT + 19, height: 164 };

export function ticks(low, high) {
  const step = [0.01, 0.02, 0.05, 0.1, 0.2].find((size) => (high - low) / size <= 6.5) || 0.25;
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9; k += 1) found.push(k * step);
  return found;
}

// The levels of the open stretches between break-points, with the ends of each.
export function stretches(curve, domain) {
  const edges = [domain[0], ...curve.breakpoints, domain[1]];
  return edges.slice(0, -1).map((from, k) => [from, edges[k + 1], curve.value((from + edges[k + 1]) / 2)]);
}

// A path through the stretches. Where several fall on one pixel it spans from the lowest to the highest of them, which
// is what drawing every one of them would show.
export function pathOf(steps, x, y) {
  const pieces = [];
  let column = null;
  const flush = () => {
    if (column) pieces.push(`L${column.at},${column.first}V${column.low}V${column.high}V${column.last}`);
    column = null;
  };
  for (const [from, to, value] of steps) {
    const [left, right, level] = [x(from), x(to), y(value)];
    if (right - left >= 1) {
      flush();
      pieces.push(`L${left.toFixed(2)},${level.toFixed(2)}H${right.toFixed(2)}`);
      continue;
    }
    const at = Math.floor(right);
    if (column && column.at !== at) flush();
    if (!column) column = { at, first: level, low: level, high: level, last: level };
    column.low = Math.min(column.low, level);
    column.high = Math.max(column.high, level);
    column.last = level;
  }
  flush();
  return pieces.join("").replace("L", "M");
}

export function reach(data, drawn) {
  const known = drawn.flatMap((steps) => steps.map((step) => step[2])).filter((value) => value !== null);
  known.push(...data.published.map((point) => point.value));
  if (data.band) known.push(...unpack(data.band.low, Float64Array), ...unpack(data.band.high, Float64Array));
  let low = known.reduce((a, b) => Math.min(a, b), 1);
  let high = known.reduce((a, b) => Math.max(a, b), 0);
  // Chance belongs into the picture where it is near; far away it would flatten the curves, so it is only named.
  if (data.chance !== null && data.chance > low - 0.12 && data.chance < high + 0.12) {
    low = Math.min(low, data.chance);
    high = Math.max(high, data.chance);
  }
  const pad = Math.max(0.02, 0.07 * (high - low));
  return [Math.max(0, low - pad), Math.min(1, high + pad)];
}

function star(cx, cy, size) {
  const corners = Array.from({ length: 10 }, (_, k) => {
    const [far, turn] = [k % 2 ? size * 0.45 : size, (k * Math.PI) / 5 - Math.PI / 2];
    return `${(cx + far * Math.cos(turn)).toFixed(1)},${(cy + far * Math.sin(turn)).toFixed(1)}`;
  });
  return `M${corners.join("L")}z`;
}

// What other items and other sampled images would give: a band around the curve in focus, and along the axis where 95 %
// of them have their best α.
function drawBand(band, x, y, colour) {
  const [alphas, low, high] = [band.alphas, band.low, band.high].map((part) => unpack(part, Float64Array));
  const side = (values) => Array.from(alphas, (alpha, k) => `${x(alpha).toFixed(1)},${y(values[k]).toFixed(1)}`);
  const area = svg("path", { d: `M${[...side(high), ...side(low).reverse()].join("L")}z`, class: "band", fill: colour });
  area.append(svg("title", {}, "95 % of draws of items (and of the sampled images behind P(t)) lie in this band, at each α"));
  const [from, to] = band.star.map(x);
  const level = HEIGHT - MARGIN.bottom - 1;
  const span = svg("path", { d: `M${from},${level - 5}v5H${Math.max(to, from + 2)}v-5`, class: "starspan", stroke: colour });
  span.append(svg("title", {}, `α*: 95 % of the draws lie from ${band.star[0].toFixed(2)} to ${band.star[1].toFixed(2)}`));
  return [area, span];
}

export function drawCurves(data, curves, width) {
  const [left, right] = data.domain;
  const drawn = curves.map((curve) => stretches(curve, data.domain));
  const [low, high] = reach(data, drawn);
  const x = (alpha) => MARGIN.left + ((alpha - left) / (right - left)) * (width - MARGIN.left - MARGIN.right);
  const y = (value) => HEIGHT - MARGIN.bottom - ((value - low) / (high - low)) * (HEIGHT - MARGIN.bottom - MARGIN.top);
  const total = RANGES.top + RANGES.height + 4;
  const root = svg("svg", { width, height: HEIGHT, class: "still", role: "img", "aria-label": data.alt });
  const over = svg("svg", { width, height: total, class: "moving", "aria-hidden": "true" });
  for (const at of ticks(low, high)) {
    root.append(svg("line", { x1: x(left), x2: x(right), y1: y(at), y2: y(at), class: "grid" }));
    root.append(svg("text", { x: MARGIN.left - 8, y: y(at) + 4, class: "tick", "text-anchor": "end" }, (100 * at).toFixed(0)));
  }
  for (let k = 0; k <= 5; k += 1) {
    const at = left + ((right - left) * k) / 5;
    root.append(svg("text", { x: x(at), y: HEIGHT - 22, class: "tick", "text-anchor": "middle" }, at.toFixed(1)));
  }
  root.append(svg("text", { x: 2, y: 13, class: "tick strong" }, `% right by ${data.title}`));
  const end = { y: HEIGHT - 5, class: "tick strong" };
  root.append(svg("text", { ...end, x: x(left), "text-anchor": "start" }, "α = 0 keeps the language prior"));
  if (right >= 1) root.append(svg("text", { ...end, x: x(1), "text-anchor": right > 1 ? "middle" : "end" }, "α = 1 is PMI"));
  if (data.chance !== null && data.chance >= low && data.chance <= high) {
    root.append(svg("line", { x1: x(left), x2: x(right), y1: y(data.chance), y2: y(data.chance), class: "chance" }));
    root.append(svg("text", { x: x(right) - 2, y: y(data.chance) - 5, class: "tick", "text-anchor": "end" }, `chance ${percent(data.chance)}`));
  } else if (data.chance !== null) {
    root.append(svg("text", { x: x(right) - 2, y: HEIGHT - MARGIN.bottom - 11, class: "tick", "text-anchor": "end" }, `chance is ${percent(data.chance)}, ${data.chance < low ? "below" : "above"} this axis`));
  }
  const focus = curves.find((curve) => curve.key === data.focus) || curves[0];
  if (focus && focus.best) {
    const from = x(Math.max(left, focus.best.lo));
    const to = x(Math.min(right, focus.best.hi));
    root.append(svg("rect", { x: from, y: MARGIN.top, width: Math.max(1.5, to - from), height: HEIGHT - MARGIN.top - MARGIN.bottom, fill: focus.colour, opacity: 0.13 }));
  }
  if (data.band && focus) root.append(...drawBand(data.band, x, y, focus.colour));
  const since = svg("line", { y1: MARGIN.top - 4, y2: HEIGHT - MARGIN.bottom, class: "since" });
  const marker = svg("line", { y1: MARGIN.top - 4, y2: HEIGHT - MARGIN.bottom, class: "marker" });
  const lower = { y1: RANGES.top, y2: RANGES.top + RANGES.height };
  const [sinceBelow, markerBelow] = [svg("line", { ...lower, class: "since" }), svg("line", { ...lower, class: "lower" })];
  const row = svg("rect", { x: MARGIN.left - 4, width: width - MARGIN.left - MARGIN.right + 8, height: 5, rx: 2, class: "row", visibility: "hidden" });
  const dots = new Map();
  const order = curves.map((_, k) => k).sort((a, b) => (curves[a] === focus) - (curves[b] === focus));
  for (const k of order) {
    const curve = curves[k];
    const line = svg("path", { d: pathOf(drawn[k], x, y), class: curve === focus ? "curve focus" : "curve", stroke: curve.colour });
    if (curve.dash) line.setAttribute("stroke-dasharray", curve.dash);
    root.append(line);
    if (curve.best) {
      const mark = svg("path", { d: star(x(curve.best.alpha), y(curve.best.value), 8.5), class: "best", stroke: curve.colour });
      mark.append(svg("title", {}, `${curve.label}: α* = ${curve.best.text}, ${percent(curve.best.value)}`));
      root.append(mark);
    }
    dots.set(curve, svg("circle", { r: curve === focus ? 6 : 4, fill: curve.colour, class: "dot" }));
  }
  for (const point of data.published) {
    const [cx, cy] = [x(point.alpha), y(point.value)];
    const mark = svg("path", { d: `M${cx},${cy - 8}l7.5,8l-7.5,8l-7.5,-8z`, class: "published" });
    mark.append(svg("title", {}, point.label));
    root.append(mark);
  }
  over.append(row, since, sinceBelow, marker, markerBelow, ...dots.values());
  const place = (line, at) => {
    line.setAttribute("x1", at);
    line.setAttribute("x2", at);
  };
  const move = (alpha, from) => {
    for (const line of [marker, markerBelow]) place(line, x(alpha));
    for (const line of [since, sinceBelow]) place(line, x(from));
    for (const [curve, dot] of dots) {
      const value = curve.value(alpha);
      dot.setAttribute("cx", x(alpha));
      dot.setAttribute("cy", y(value === null ? low : value));
    }
  };
  const alphaOf = (event) => {
    const share = (event.clientX - over.getBoundingClientRect().left - MARGIN.left) / (width - MARGIN.left - MARGIN.right);
    return left + (right - left) * clamp(share, 0, 1);
  };
  // A frame around the row at a height; none for null.
  const mark = (at) => {
    row.setAttribute("visibility", at === null ? "hidden" : "visible");
    if (at !== null) row.setAttribute("y", at - 2.5);
  };
  return { root, over, move, alphaOf, focus, mark, width };
}
