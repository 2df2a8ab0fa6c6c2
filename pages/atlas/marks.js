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

// An arrow from the mark at `base` to the one at `taught`, each (x, y) in pixels, with the page's colour around it; none
// where they stand on each other.
export function arrowOf(base, taught) {
  const [dx, dy] = [taught[0] - base[0], taught[1] - base[1]];
  const far = Math.hypot(dx, dy);
  if (far < BEGINS + ENDS + 1) return [];
  const along = (by) => [base[0] + (dx * by) / far, base[1] + (dy * by) / far];
  const [from, tip] = [along(BEGINS), along(far - ENDS)];
  const neck = along(Math.max(BEGINS, far - ENDS - HEAD));
  const aside = [(-dy / far) * HALF, (dx / far) * HALF];
  const head = closed([tip, [neck[0] + aside[0], neck[1] + aside[1]], [neck[0] - aside[0], neck[1] - aside[1]]]);
  const line = { x1: from[0], y1: from[1], x2: neck[0], y2: neck[1] };
  const node = svg("g", { class: "arrow", stroke: "var(--arrow)", fill: "var(--arrow)" });
  node.append(
    svg("line", { ...line, stroke: "var(--page)", "stroke-width": 4.5, "stroke-opacity": 0.8 }),
    svg("line", { ...line, "stroke-width": 1.8 }),
    svg("path", { d: head, stroke: "none" }),
  );
  return [node];
}
