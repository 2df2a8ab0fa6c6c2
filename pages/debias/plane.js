// Each point is a comparison of a true caption with a foil; those above the line through the origin with slope alpha are won.
import { clamp, element, svg } from "../shared/drawing/dom.js";

export function drawPlane(plane) {
  const size = 300;
  const pad = 34;
  const scale = plane.reach;
  const at = (value) => pad + ((value + scale) / (2 * scale)) * (size - pad - 8);
  const flip = (value) => size - at(value);
  const root = element("div", "plane");
  root.setAttribute("role", "img");
  root.setAttribute("aria-label", plane.alt);
  const below = svg("svg", { viewBox: `0 0 ${size} ${size}` });
  const area = svg("path", { class: "won" });
  below.append(area);
  below.append(svg("line", { x1: at(-scale), x2: at(scale), y1: flip(0), y2: flip(0), class: "grid" }));
  below.append(svg("line", { x1: at(0), x2: at(0), y1: flip(-scale), y2: flip(scale), class: "grid" }));
  const canvas = element("canvas");
  Object.assign(canvas, { width: 2 * size, height: 2 * size });
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  const line = svg("line", { class: "marker" });
  below.append(line);
  below.append(svg("text", { x: size - 8, y: size - 6, class: "tick", "text-anchor": "end" }, "prior: truth likelier →"));
  below.append(svg("text", { x: at(-scale), y: size - 6, class: "tick" }, "← foil likelier"));
  below.append(svg("text", { transform: `translate(11 ${size / 2 - 10}) rotate(-90)`, class: "tick", "text-anchor": "middle" }, "with the image: truth likelier →"));
  root.append(below, canvas);
  const clip = (value) => clamp(value, -scale, scale);
  const spots = plane.points.map(([px, py]) => [px, py, at(clip(px)), flip(clip(py))]);
  const move = (value) => {
    const clipped = Math.min(1, 1 / Math.max(value, 1e-9)) * scale;
    line.setAttribute("x1", at(-clipped));
    line.setAttribute("x2", at(clipped));
    line.setAttribute("y1", flip(-clipped * value));
    line.setAttribute("y2", flip(clipped * value));
    area.setAttribute("d", `M${at(-clipped)},${flip(-clipped * value)}L${at(clipped)},${flip(clipped * value)}L${at(scale)},${flip(scale)}L${at(-scale)},${flip(scale)}L${at(-scale)},${flip(-clipped * value)}Z`);
    context.clearRect(0, 0, size, size);
    const won = new Path2D();
    const lost = new Path2D();
    for (const [px, py, cx, cy] of spots) {
      if (py - value * px > 0) won.rect(cx - 1.9, cy - 1.9, 3.8, 3.8);
      else lost.rect(cx - 1.9, cy - 1.9, 3.8, 3.8);
    }
    context.fillStyle = "rgba(0, 158, 115, .6)";
    context.fill(won);
    context.fillStyle = "rgba(213, 94, 0, .75)";
    context.fill(lost);
  };
  return { root, move };
}
