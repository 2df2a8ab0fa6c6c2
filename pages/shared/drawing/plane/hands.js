// What pointer, wheel and keys do on a plane.
import { taken } from "../dom.js";
import { thinned } from "./geometry.js";

// Pixels that a pointer may move in a click; corners of a lasso closer than this are one.
const STILL = 4;
const NEAR = 3;
const CORNERS = 300;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function listenTo(plane) {
  const { top } = plane;
  let from = null;
  const where = (event) => {
    const box = top.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  top.onpointerdown = (event) => {
    if (event.button || !plane.at) return;
    top.setPointerCapture(event.pointerId);
    from = { at: where(event), view: { ...plane.view }, far: false, more: event.shiftKey };
    if (plane.mode !== "move") plane.path = [from.at];
  };
  top.onpointermove = (event) => {
    if (!plane.at) return;
    const at = where(event);
    if (!from) {
      plane.hover(plane.nearest(...at));
      return;
    }
    from.far ||= Math.hypot(at[0] - from.at[0], at[1] - from.at[1]) > STILL;
    if (!from.far) return;
    plane.hover(null);
    if (plane.mode === "move") {
      const [dx, dy] = [(at[0] - from.at[0]) / plane.at.unit[0], (at[1] - from.at[1]) / plane.at.unit[1]];
      plane.look({ ...from.view, x: from.view.x - dx, y: from.view.y + dy });
      return;
    }
    if (plane.mode === "box") plane.path = [from.at, [at[0], from.at[1]], at, [from.at[0], at[1]]];
    else plane.path.push(at);
    plane.paintTop();
  };
  const end = (event, done) => {
    const begun = from;
    const { path } = plane;
    from = plane.path = null;
    if (!begun) return;
    if (!done) plane.paintTop();
    else if (!begun.far) {
      const hit = plane.nearest(...where(event));
      if (hit !== null) plane.open(hit);
      plane.paintTop();
    } else if (plane.mode !== "move") {
      const area = areaOf(plane, path);
      plane.paintTop();
      if (area) plane.select(begun.more ? [...plane.areas, area] : [area]);
    }
  };
  top.onpointerup = (event) => end(event, true);
  top.onpointercancel = (event) => end(event, false);
  top.onpointerleave = () => from || plane.hover(null);
  top.onblur = () => plane.hover(null);
  top.ondblclick = () => plane.select([]);
  top.addEventListener("wheel", (event) => {
    if (plane.mode !== "move" && !event.ctrlKey && !event.metaKey) return;
    taken(event);
    plane.zoom(Math.exp(-event.deltaY * 0.0022), ...where(event));
  }, { passive: false });
  plane.tools.onkeydown = (event) => { // Esc, as a tool's title says, also where the focus is on one
    if (event.key !== "Escape" || !plane.hasPicks) return;
    plane.select([]);
    taken(event);
  };
  top.onkeydown = (event) => {
    if (STEPS[event.key]) step(plane, ...STEPS[event.key]);
    else if (event.key === "Enter" && plane.hovered !== null) plane.open(plane.hovered);
    else if (event.key === "+" || event.key === "=") plane.zoomKept(1.4);
    else if (event.key === "-") plane.zoomKept(1 / 1.4);
    else if (event.key === "Escape" && plane.hasPicks) plane.select([]);
    else return;
    taken(event);
  };
}

// What was drawn, in the plane's own numbers; null where it has no area.
function areaOf(plane, path) {
  if (plane.mode === "box") {
    const [first, , last] = path;
    const [x1, y1] = plane.at.value(...first);
    const [x2, y2] = plane.at.value(...last);
    return { kind: "box", x: [x1, x2], y: [y1, y2] };
  }
  let corners = thinned(path, NEAR);
  for (let reach = 2 * NEAR; corners.length > CORNERS; reach *= 1.5) corners = thinned(path, reach);
  if (corners.length < 3) return null;
  const values = corners.map(([x, y]) => plane.at.value(x, y));
  return { kind: "lasso", x: values.map((value) => value[0]), y: values.map((value) => value[1]) };
}

// Arrow keys walk to the next point in a direction that is seen; from none to the one nearest to the middle.
function step(plane, dx, dy) {
  if (plane.hovered === null) {
    plane.hover(plane.nearest(plane.at.left + plane.at.width / 2, plane.at.top + plane.at.height / 2, 1e4));
    return;
  }
  const [x, y] = plane.screen(plane.hovered);
  const { left, top, width, height } = plane.at;
  let best = null;
  let least = Infinity;
  for (let i = 0; i < plane.x.length; i += 1) {
    if (plane.hidden.has(plane.columns.mark[i])) continue;
    const [sx, sy] = plane.screen(i);
    if (sx < left || sy < top || sx > left + width || sy > top + height) continue; // beyond what is looked at
    const along = (sx - x) * dx + (sy - y) * dy;
    const aside = Math.abs((sx - x) * dy) + Math.abs((sy - y) * dx);
    if (along > 0.5 && along + 2 * aside < least) [best, least] = [i, along + 2 * aside];
  }
  if (best !== null) plane.hover(best);
}
