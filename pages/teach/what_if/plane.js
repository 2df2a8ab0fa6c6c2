// The plane of reasons: the larger bias across, binding upwards. Above the diagonal the group score is right. The quad is
// a point in it that can be dragged, and every loss draws the path of its steps from there.
import { clamp, element, keyOf, svg, taken } from "../../shared/drawing/dom.js";
import { partsOf, quadOf } from "./losses.js";
import { brief, tick } from "./quad.js";

const SIZE = { width: 620, height: 384 };
const PAD = { left: 58, right: 92, top: 16, bottom: 44 };
const LABEL = 15;

const acrossOf = (parts) => Math.max(Math.abs(parts.c), Math.abs(parts.r));

// A round number from which on an axis holds a value: 1, 2 or 5 times a power of ten.
export function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return Number(([1, 2, 5, 10].find((k) => k * power >= value * (1 - 1e-9)) * power).toPrecision(6));
}

// The axes' ends for what has to be in sight, kept while they hold it and it fills a third of them.
export function endsOf(spots, margin, before) {
  const far = Math.max(margin, ...spots.map(([x]) => x));
  const high = Math.max(2 * margin, ...spots.map(([, y]) => y));
  const low = Math.min(0, ...spots.map(([, y]) => y));
  const wanted = { far: far * 1.12, high: high * 1.08, low: low * 1.12 };
  if (before) {
    const holds = far <= before.far && high <= before.high && low >= before.low;
    const fills = far > before.far / 3 && high > before.high / 3 && (before.low > -0.3 * before.high || low < before.low / 3);
    if (holds && fills) return before;
  }
  const [right, top] = [roundUp(wanted.far), roundUp(wanted.high)];
  return { far: right, high: top, low: -Math.max(0.2 * top, wanted.low < 0 ? roundUp(-wanted.low) : 0) };
}

// The quad with binding γ and the larger bias moved there, its biases in their proportion; of none the image's.
export function movedTo(s, across, gamma) {
  const parts = partsOf(s);
  const [was, to] = [acrossOf(parts), Math.max(0, across)];
  const biases = was > 1e-12 ? { c: (parts.c * to) / was, r: (parts.r * to) / was } : { c: 0, r: to };
  return quadOf({ ...parts, gamma, ...biases });
}

// Labels in one column, no two of them nearer than a line, in their order from the top.
export function spread(wanted, low, high) {
  const order = wanted.map((_, k) => k).sort((a, b) => wanted[a] - wanted[b]);
  const at = [...wanted];
  order.forEach((k, place) => {
    at[k] = Math.max(at[k], low, place ? at[order[place - 1]] + LABEL : low);
  });
  for (let place = order.length - 1; place >= 0; place -= 1) {
    const below = place < order.length - 1 ? at[order[place + 1]] - LABEL : high;
    at[order[place]] = Math.min(at[order[place]], below);
  }
  return at;
}

export function drawPlane(data, tell) {
  const root = element("figure", "plane");
  const drawing = svg("svg", { viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, role: "group" });
  const back = svg("g", { "aria-hidden": "true" });
  const lines = svg("g", {});
  const point = svg("g", { class: "point", tabindex: 0, role: "slider", "aria-orientation": "vertical" });
  const [halo, disc, sign] = [svg("circle", { r: 20, class: "halo" }), svg("circle", { r: 9, class: "disc" }), svg("text", { class: "sign", "text-anchor": "middle", dy: 4.5 })];
  point.append(halo, disc, sign);
  drawing.append(back, lines, point);
  root.append(drawing);
  let ends = null;
  let scores = data.base;
  let held = null; // the scores where a drag began
  const right = SIZE.width - PAD.right;
  const bottom = SIZE.height - PAD.bottom;
  const x = (value) => PAD.left + (value / ends.far) * (right - PAD.left);
  const y = (value) => PAD.top + ((ends.high - value) / (ends.high - ends.low)) * (bottom - PAD.top);

  function axes(margin) {
    const text = (attributes, said) => svg("text", { class: "tick", ...attributes }, said);
    const nodes = [];
    // Up to the frame: the diagonal may leave it at the top or on the right.
    const above = (offset) => {
      const until = Math.min(ends.far, ends.high - offset);
      return [[0, offset], [until, until + offset]];
    };
    const [[, from], [until, level]] = above(0);
    const corner = level < ends.high ? `L${x(ends.far)},${y(ends.high)}` : "";
    nodes.push(svg("path", { class: "region", d: `M${x(0)},${y(from)}L${x(until)},${y(level)}${corner}L${x(0)},${y(ends.high)}z` }));
    nodes.push(svg("rect", { class: "none", x: x(0), y: y(0), width: right - PAD.left, height: bottom - y(0) }));
    for (const [low, high, step, across] of [[0, ends.far, ends.far / 5, true], [ends.low, ends.high, roundUp((ends.high - ends.low) / 7), false]]) {
      for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-9); k += 1) {
        const value = Number((k * step).toPrecision(6));
        if (across) nodes.push(svg("line", { class: "grid", x1: x(value), x2: x(value), y1: PAD.top, y2: bottom }), text({ x: x(value), y: bottom + 17, "text-anchor": "middle" }, tick(value)));
        else nodes.push(svg("line", { class: "grid", x1: x(0), x2: right, y1: y(value), y2: y(value) }), text({ x: x(0) - 8, y: y(value) + 4, "text-anchor": "end" }, tick(value)));
      }
    }
    nodes.push(svg("line", { class: "zero", x1: x(0), x2: right, y1: y(0), y2: y(0) }));
    nodes.push(svg("line", { class: "diagonal", x1: x(0), y1: y(0), x2: x(until), y2: y(level) }));
    if (margin > 0 && margin < ends.high) {
      const [[, m0], [m1, m2]] = above(margin);
      nodes.push(svg("line", { class: "margin", x1: x(0), y1: y(m0), x2: x(m1), y2: y(m2) }));
      if (m2 < ends.high && y(m2) < y(level) - 18) nodes.push(text({ x: x(m1) - 6, y: y(m2) - 7, class: "tick", "text-anchor": "end" }, "binding's margin"));
    }
    // What a part is called stands in it where there is room.
    if (y(0) - PAD.top > 60) nodes.push(text({ x: x(0) + 8, y: PAD.top + 17, class: "tick strong right" }, "✓ group score right"));
    if (y(0) - y(level) > 45) nodes.push(text({ x: right - 8, y: y(0.4 * Math.min(level, ends.high)), class: "tick strong", "text-anchor": "end" }, "outvoted by a bias"));
    if (bottom - y(0) > 20) nodes.push(text({ x: right - 8, y: bottom - 8, class: "tick strong", "text-anchor": "end" }, "no binding seen"));
    nodes.push(text({ x: (x(0) + right) / 2, y: SIZE.height - 6, class: "tick strong", "text-anchor": "middle" }, `the larger bias, max(|c|, |r|) (${data.unit}) →`));
    nodes.push(text({ transform: `translate(13 ${(PAD.top + bottom) / 2}) rotate(-90)`, class: "tick strong", "text-anchor": "middle" }, `binding γ (${data.unit}) →`));
    back.replaceChildren(...nodes);
  }

  function pathsOf(found, looks, chosen) {
    const drawn = found.map((each) => each.path.map((s) => partsOf(s)).map((parts) => [x(acrossOf(parts)), y(parts.gamma)]));
    const at = spread(drawn.map((spots) => Math.round(spots[spots.length - 1][1]) + 4), PAD.top + 8, bottom - 4);
    // The chosen path is broad and lies below the others, so that one that runs along it is seen on it.
    const order = found.map((_, k) => k).sort((a, b) => (found[b].name === chosen) - (found[a].name === chosen));
    lines.replaceChildren(...order.map((k) => {
      const [look, spots] = [looks[k], drawn[k]];
      const end = spots[spots.length - 1];
      const group = svg("g", { class: `path${look.id === chosen ? " chosen" : ""}`, "data-loss": look.id });
      const d = `M${spots.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join("L")}`;
      group.append(svg("path", { d, class: "wide" }));
      group.append(svg("path", { d, class: "line", stroke: look.colour, "stroke-dasharray": look.dash }));
      if (look.id === chosen) group.append(...spots.slice(1).map(([cx, cy]) => svg("circle", { cx, cy, r: 2.4, fill: look.colour })));
      group.append(svg("path", { class: "leader", d: `M${end[0] + 6},${end[1]}L${right + 6},${at[k] - 4}`, stroke: look.colour }));
      group.append(svg("circle", { cx: end[0], cy: end[1], r: 5, class: "end", stroke: look.colour }));
      group.append(svg("text", { x: right + 9, y: at[k], class: "name" }, look.short));
      group.onpointerenter = () => tell.hover(look.id);
      group.onpointerleave = () => tell.hover(null);
      group.onclick = () => tell.choose(look.id);
      return group;
    }));
  }

  function move(s, found, looks, chosen, margin, verdict) {
    scores = s;
    const parts = partsOf(s);
    const spots = found.flatMap((each) => [each.path[0], each.path[each.path.length - 1]]).map((each) => partsOf(each)).map((each) => [acrossOf(each), each.gamma]);
    if (!held || !ends) ends = endsOf(spots, data.limits.margin[1] / 10, ends);
    axes(margin);
    pathsOf(found, looks, chosen);
    point.setAttribute("transform", `translate(${clamp(x(acrossOf(parts)), PAD.left, right)} ${clamp(y(parts.gamma), PAD.top, bottom)})`);
    point.setAttribute("class", `point ${verdict.group ? "right" : "wrong"}`);
    sign.textContent = verdict.group ? "✓" : "✗";
    point.setAttribute("aria-label", "the quad: up and down move its binding, left and right its larger bias");
    point.setAttribute("aria-valuenow", parts.gamma.toFixed(4));
    point.setAttribute("aria-valuemin", data.bounds[0] - data.bounds[1]);
    point.setAttribute("aria-valuemax", data.bounds[1] - data.bounds[0]);
    point.setAttribute("aria-valuetext", `binding ${brief(parts.gamma)}, larger bias ${brief(acrossOf(parts))}: ${data.names[verdict.cell]}`);
    const ways = found.map((each, k) => `${looks[k].name} ends at bias ${brief(acrossOf(partsOf(each.path.at(-1))))}, binding ${brief(partsOf(each.path.at(-1)).gamma)}`);
    drawing.setAttribute("aria-label", `Plane of reasons. The quad has binding ${brief(parts.gamma)} and a larger bias of ${brief(acrossOf(parts))}. ${ways.join("; ")}.`);
  }

  function placeOf(event) {
    const box = drawing.getBoundingClientRect();
    const [px, py] = [((event.clientX - box.left) / box.width) * SIZE.width, ((event.clientY - box.top) / box.height) * SIZE.height];
    const across = (clamp(px, PAD.left, right) - PAD.left) / (right - PAD.left) * ends.far;
    return [across, ends.high - ((clamp(py, PAD.top, bottom) - PAD.top) / (bottom - PAD.top)) * (ends.high - ends.low)];
  }
  point.onpointerdown = (event) => {
    taken(event);
    held = scores;
    point.focus();
    point.setPointerCapture(event.pointerId);
  };
  point.onpointermove = (event) => {
    if (!held) return;
    scores = movedTo(held, ...placeOf(event));
    tell.moved(scores, false);
  };
  point.onpointerup = point.onpointercancel = () => {
    if (!held) return;
    held = null;
    tell.moved(scores, true);
  };
  point.onkeydown = (event) => {
    const parts = partsOf(scores);
    const step = (data.kind === "itc" ? 0.005 : 0.1) / (event.shiftKey ? 5 : 1);
    const by = { ArrowUp: [0, step], ArrowDown: [0, -step], ArrowRight: [step, 0], ArrowLeft: [-step, 0] }[keyOf(event)];
    if (!by) return;
    taken(event);
    tell.moved(movedTo(scores, acrossOf(parts) + by[0], parts.gamma + by[1]), true);
  };
  return { root, move };
}
