// What lies under and over the points of a plane: paper, wedge, grid, zero lines, numbers at the ticks; rings, lassos.
import { threeDigits, tickText, ticksOf } from "./geometry.js";

// Of the plane itself, within the canvas: room for the numbers left of it and below it, pixels.
export const ROOM = { left: 46, right: 10, top: 6, bottom: 22 };
const ZERO = "#8a949c";

// Draw with a pen whose units are pixels. at: of a plane, { left, top, width, height, x(value), y(value), low: [x, y],
// high: [x, y] }; data: what Python sent.
export function drawUnder(pen, at, data, { paper, quiet, font }) {
  const ticks = [ticksOf(at.low[0], at.high[0], at.width / 62), ticksOf(at.low[1], at.high[1], at.height / 56)];
  pen.fillStyle = paper;
  pen.fillRect(at.left, at.top, at.width, at.height);
  pen.save();
  pen.beginPath();
  pen.rect(at.left, at.top, at.width, at.height);
  pen.clip();
  if (data.wedge) {
    pen.fillStyle = data.wedge.colour;
    pen.beginPath();
    data.wedge.path.forEach(([x, y], k) => (k ? pen.lineTo(at.x(x), at.y(y)) : pen.moveTo(at.x(x), at.y(y))));
    pen.closePath();
    pen.fill();
  }
  // Lines on whole pixels, so that they are sharp.
  const sharp = (value) => Math.round(value) + 0.5;
  const line = (x1, y1, x2, y2) => {
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
    pen.stroke();
  };
  pen.lineWidth = 1;
  pen.strokeStyle = data.faint;
  for (const value of ticks[0].values) line(sharp(at.x(value)), at.top, sharp(at.x(value)), at.top + at.height);
  for (const value of ticks[1].values) line(at.left, sharp(at.y(value)), at.left + at.width, sharp(at.y(value)));
  pen.strokeStyle = ZERO;
  line(sharp(at.x(0)), at.top, sharp(at.x(0)), at.top + at.height);
  line(at.left, sharp(at.y(0)), at.left + at.width, sharp(at.y(0)));
  if (data.diagonal) {
    const far = Math.max(...at.high.map(Math.abs), ...at.low.map(Math.abs));
    pen.lineWidth = 1.4;
    pen.setLineDash([2, 3]);
    line(at.x(-far), at.y(-far), at.x(far), at.y(far));
    pen.setLineDash([]);
  }
  pen.restore();
  pen.fillStyle = quiet;
  pen.font = `12px ${font}`;
  pen.textAlign = "center";
  pen.textBaseline = "top";
  for (const value of ticks[0].values) pen.fillText(tickText(value, ticks[0].step, data.across.sizeAlone), at.x(value), at.top + at.height + 6);
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const value of ticks[1].values) pen.fillText(tickText(value, ticks[1].step, data.up.sizeAlone), at.left - 7, at.y(value));
}

// Circles round points that were picked elsewhere, the point that is pointed at, and the areas of a selection; path: the
// lasso or box that is being drawn, in pixels.
export function drawOver(pen, at, { ink, ringed, hovered, areas, path }) {
  pen.save();
  pen.beginPath();
  pen.rect(at.left, at.top, at.width, at.height);
  pen.clip();
  pen.strokeStyle = pen.fillStyle = ink;
  const circle = (x, y, radius, width) => {
    pen.lineWidth = width;
    pen.beginPath();
    pen.arc(x, y, radius, 0, 7);
    pen.stroke();
  };
  for (const [x, y] of ringed) circle(x, y, 6, 1.6);
  if (hovered) circle(...hovered, 7, 2);
  for (const area of areas) {
    const [x, y] = [area.x.map(at.x), area.y.map(at.y)];
    const corners = area.kind === "box" ? [[x[0], y[0]], [x[1], y[0]], [x[1], y[1]], [x[0], y[1]]] : x.map((each, k) => [each, y[k]]);
    outline(pen, corners, [], 1.6);
  }
  if (path) outline(pen, path, [5, 4], 1.4);
  pen.restore();
}

function outline(pen, corners, dash, width) {
  pen.lineWidth = width;
  pen.setLineDash(dash);
  pen.beginPath();
  corners.forEach(([x, y], k) => (k ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.closePath();
  pen.globalAlpha = 0.06;
  pen.fill();
  pen.globalAlpha = 1;
  pen.stroke();
  pen.setLineDash([]);
}

// What hovering says of a point, as lines: its id, its words, its numbers.
export function toldOf(i, columns) {
  const words = columns.words ? [columns.words.names[columns.words.of[i]]] : [];
  return [columns.ids[i], ...words, ...columns.lines.map((line) => `${line.label}${threeDigits(line.values[i])}${line.unit}`)];
}
