// The forms of marks in SVG, around the origin, and arrows between two of them.
import { svg } from "../shared/drawing/dom.js";

// So far from the middle of a mark an arrow begins and ends, and the size of its head, pixels.
const [BEGINS, ENDS, HEAD, HALF] = [5, 6, 9, 3.8];

// Points of a polygon as a path.
const closed = (corners) => `M${corners.map((corner) => corner.map((value) => value.toFixed(2)).join(" ")).join("L")}Z`;

const around = (n, radius, first) => Array.from({ length: n }, (_, k) => {
  const [turn, far] = [first + (2 * Math.PI * k) / n, typeof radius === "number" ? radius : radius[k % radius.length]];
  return [far * Math.cos(turn), far * Math.sin(turn)];
});

const FORMS = {
  circle: (r) => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`,
  square: (r) => closed([[-r, -r], [r, -r], [r, r], [-r, r]]),
  diamond: (r) => closed(around(4, 1.3 * r, 0)),
  "triangle-up": (r) => closed(around(3, 1.25 * r, -Math.PI / 2)),
  star: (r) => closed(around(10, [1.4 * r, 0.54 * r], -Math.PI / 2)),
};

// The path of a form. size: pixels across, as for a circle; the others are as large to the eye.
export const pathOf = (shape, size) => FORMS[shape](size / 2);

// One mark at (x, y).
export const marked = (d, x, y, fill) => svg("path", { d, transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})`, fill });

// Where an arrow from the mark at `base` to the one at `taught`, each (x, y) in pixels, begins, ends in a head, and has its
// point; null where they stand on each other.
function spanOf(base, taught) {
  const [dx, dy] = [taught[0] - base[0], taught[1] - base[1]];
  const far = Math.hypot(dx, dy);
  if (far < BEGINS + ENDS + 1) return null;
  const along = (by) => [base[0] + (dx * by) / far, base[1] + (dy * by) / far];
  return { from: along(BEGINS), neck: along(Math.max(BEGINS, far - ENDS - HEAD)), tip: along(far - ENDS), aside: [(-dy / far) * HALF, (dx / far) * HALF] };
}

const lineOf = ([x1, y1], [x2, y2], more) => svg("line", { x1, y1, x2, y2, ...more });

// The page's colour around an arrow, so that it stands off from what it crosses.
export function haloOf(base, taught) {
  const span = spanOf(base, taught);
  return span ? [lineOf(span.from, span.neck, { class: "halo", stroke: "var(--page)", "stroke-width": 4.5, "stroke-opacity": 0.8 })] : [];
}

// The arrow itself.
export function arrowOf(base, taught) {
  const span = spanOf(base, taught);
  if (!span) return [];
  const { from, neck, tip, aside: [x, y] } = span;
  const node = svg("g", { class: "arrow", stroke: "var(--arrow)", fill: "var(--arrow)" });
  node.append(
    lineOf(from, neck, { "stroke-width": 1.8 }),
    svg("path", { d: closed([tip, [neck[0] + x, neck[1] + y], [neck[0] - x, neck[1] - y]]), stroke: "none" }),
  );
  return [node];
}
