// Where each item is right: a row an item, green where it is right and vermilion where it is wrong, all of them.
// Rows come sorted: those that end within the domain, those that begin in it, the rest. More rows than pixels are averaged.
import { clamp, element, whole } from "../shared/drawing/dom.js";
import { MARGIN, RANGES } from "./plot.js";

export function sortedRows(curve, domain) {
  const rows = [];
  for (let k = 0; k < curve.owner.length;) {
    const row = { item: curve.owner[k], pieces: [] };
    for (; k < curve.owner.length && curve.owner[k] === row.item; k += 1) row.pieces.push([curve.lo[k], curve.hi[k]]);
    const [first, last] = [row.pieces[0][0], row.pieces[row.pieces.length - 1][1]];
    row.group = row.pieces.length > 1 || (first >= domain[0] && last <= domain[1]) ? 2 : first < domain[0] ? 0 : 1;
    row.at = row.group === 0 ? last : first;
    rows.push(row);
  }
  return rows.sort((a, b) => a.group - b.group || a.at - b.at);
}

export function drawRanges(curve, domain, width) {
  const rows = sortedRows(curve, domain);
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  const across = Math.max(1, Math.round((width - MARGIN.left - MARGIN.right) * ratio));
  const down = Math.max(1, Math.round(RANGES.height * ratio));
  const canvas = element("canvas", "ranges");
  Object.assign(canvas, { width: across, height: down });
  Object.assign(canvas.style, { left: `${MARGIN.left}px`, top: `${RANGES.top}px`, width: `${width - MARGIN.left - MARGIN.right}px`, height: `${RANGES.height}px` });
  // Rows are walked with the arrow keys, which is what a slider says of itself.
  Object.entries({
    role: "slider", tabindex: rows.length ? "0" : "-1", "aria-orientation": "vertical", "aria-valuemin": "1", "aria-valuemax": String(Math.max(1, rows.length)),
    "aria-valuenow": "1", "aria-label": `The ranges of α in which ${whole(rows.length)} items are right; arrow keys go from item to item, Enter opens one`,
  }).forEach(([name, value]) => canvas.setAttribute(name, value));
  const context = canvas.getContext("2d");
  const picture = context.createImageData(across, down);
  const place = (alpha) => clamp(((alpha - domain[0]) / (domain[1] - domain[0])) * across, 0, across);
  const cover = new Float32Array(across + 1);
  for (let line = 0; line < down && rows.length; line += 1) {
    const from = Math.floor((line * rows.length) / down);
    const to = Math.max(from + 1, Math.floor(((line + 1) * rows.length) / down));
    cover.fill(0);
    for (let k = from; k < to; k += 1) {
      for (const [low, high] of rows[k].pieces) {
        cover[Math.round(place(low))] += 1;
        cover[Math.round(place(high))] -= 1;
      }
    }
    let here = 0;
    for (let column = 0; column < across; column += 1) {
      here += cover[column];
      const share = here / (to - from);
      const at = 4 * (line * across + column);
      picture.data[at] = 213 * (1 - share);
      picture.data[at + 1] = 158 * share + 94 * (1 - share);
      picture.data[at + 2] = 115 * share;
      picture.data[at + 3] = 255 * (0.3 + 0.42 * share);
    }
  }
  context.putImageData(picture, 0, 0);
  const rowAt = (event) => {
    const box = canvas.getBoundingClientRect();
    const k = Math.floor(((event.clientY - box.top) / box.height) * rows.length);
    return k >= 0 && k < rows.length ? k : null;
  };
  const heightOf = (k) => RANGES.top + ((k + 0.5) / rows.length) * RANGES.height;
  const rowOf = new Map(rows.map((row, k) => [row.item, k]));
  return { canvas, rowAt, heightOf, rows, rowOf, n: rows.length };
}

// The ends of all rows, ascending, each with its row: which one flips closest to an α.
export function endsOf(rows) {
  const ends = rows.flatMap((row, k) => row.pieces.flat().filter((end) => Number.isFinite(end)).map((end) => [end, k]));
  return ends.sort((a, b) => a[0] - b[0]);
}

export function nearestRow(ends, alpha) {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle][0] < alpha) low = middle + 1;
    else high = middle;
  }
  const around = [ends[low - 1], ends[low]].filter(Boolean);
  if (!around.length) return null;
  return around.reduce((a, b) => (Math.abs(b[0] - alpha) < Math.abs(a[0] - alpha) ? b : a));
}
