// The four scores as a matrix: images are rows, captions columns. Each can be dragged, typed and moved by keys; an arrow
// shows which way and how hard a step of the chosen loss pushes it.
import { clamp, element, keyOf, svg, taken } from "../../shared/drawing/dom.js";

const NAMES = ["s₁₁", "s₁₂", "s₂₁", "s₂₂"];
const OF = ["image 1 with caption 1", "image 1 with caption 2", "image 2 with caption 1", "image 2 with caption 2"];
// Half a thumb: a range input keeps its thumb inside its ends.
const THUMB = 8;

// Below this a number is what rounding left of a zero: four scores of about 1 in double precision.
const ROUNDING = 1e-12;

// Three significant digits: "0.0120", "−4.50", "1.20e−7".
export function brief(given, withPlus = false) {
  const value = Math.abs(given) < ROUNDING ? 0 : given;
  if (value === 0 || !Number.isFinite(value)) return value === 0 ? "0" : "–";
  const size = Math.abs(value);
  const near = size < 1e-4 || size >= 1e6;
  const text = near ? size.toExponential(2).replace("-", "−") : size >= 1000 ? size.toFixed(0) : size.toPrecision(3);
  return (value < 0 ? "−" : withPlus ? "+" : "") + text;
}

// A round number beside an axis.
export const tick = (value) => String(Number(value.toPrecision(6))).replace("-", "−");

// The window that the sliders span: round numbers around the scores, kept while they stay well inside it.
export function windowOf(scores, [least, most], before) {
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const unit = most > 1 ? 2 : 0.1;
  if (before && low >= before[0] && high <= before[1]) return before;
  const pad = Math.max(high - low, unit);
  return [Math.max(least, Math.floor((low - pad) / unit) * unit), Math.min(most, Math.ceil((high + pad) / unit) * unit)]
    .map((end) => Number(end.toFixed(6)));
}

function head(k, data) {
  const [what, which] = k < 2 ? ["caption", k] : ["image", k - 2];
  const node = element("div", `head ${what}`);
  node.append(element("b", "", `${what} ${which + 1}`));
  if (what === "caption" && data.texts[which]) {
    const text = element("span", "", data.texts[which]);
    text.title = data.texts[which];
    node.append(text);
  }
  if (what === "image" && data.images[which]) {
    const picture = element("img");
    Object.assign(picture, { src: data.images[which], alt: `image ${which + 1}`, width: 64, height: 64 });
    node.append(picture);
  }
  return node;
}

function cell(k, data, decimals, edit) {
  const root = element("div", `cell${k === 0 || k === 3 ? " truth" : ""}`);
  const line = element("div", "line");
  const name = element("label", "", NAMES[k]);
  const number = element("input");
  Object.assign(number, { type: "number", id: `score-${k}`, min: data.bounds[0], max: data.bounds[1], step: data.kind === "itc" ? 0.005 : 0.1 });
  name.htmlFor = number.id;
  number.setAttribute("aria-label", `${NAMES[k]}, the score of ${OF[k]} (${data.unit})`);
  line.append(name, number);
  const track = element("div", "track");
  const arrow = svg("svg", { class: "push", "aria-hidden": "true" });
  const shaft = svg("line", { y1: 9, y2: 9, class: "shaft" });
  const tip = svg("path", { class: "tip" });
  arrow.append(shaft, tip);
  const range = element("input");
  Object.assign(range, { type: "range", step: "any" });
  range.setAttribute("aria-label", `slide ${NAMES[k]}, ${OF[k]}`);
  track.append(arrow, range);
  const push = element("p", "pushed");
  root.append(line, track, push);

  const step = data.kind === "itc" ? 0.005 : 0.1;
  const round = (value) => Number(clamp(value, ...data.bounds).toFixed(decimals));
  let now = 0;
  let wide = [0, 1];
  range.oninput = () => edit(k, round(Number(range.value)));
  range.onchange = () => edit(k, round(Number(range.value)), true);
  range.onkeydown = (event) => {
    const fine = event.shiftKey ? step / 5 : step;
    const to = {
      ArrowRight: now + fine, ArrowUp: now + fine, ArrowLeft: now - fine, ArrowDown: now - fine,
      PageUp: now + 10 * step, PageDown: now - 10 * step, Home: wide[0], End: wide[1],
    }[keyOf(event)];
    if (to === undefined) return;
    taken(event);
    edit(k, round(to), true);
  };
  const typed = (settle) => {
    const value = number.valueAsNumber;
    if (Number.isFinite(value)) edit(k, round(value), settle);
  };
  number.oninput = () => typed(false);
  number.onchange = () => {
    typed(true);
    number.value = now.toFixed(decimals);
  };
  const move = (s, window, pull, strongest, colour, width) => {
    [now, wide] = [s, window];
    if (document.activeElement !== number && number.getRootNode().activeElement !== number) number.value = s.toFixed(decimals);
    Object.assign(range, { min: wide[0], max: wide[1], value: s });
    range.setAttribute("aria-valuetext", `${s.toFixed(decimals)}, pushed by ${brief(pull, true)}`);
    push.textContent = pull === 0 ? "not pushed" : `${pull > 0 ? "→" : "←"} ${brief(pull, true)}`;
    const from = THUMB + ((s - wide[0]) / (wide[1] - wide[0])) * (width - 2 * THUMB);
    const far = strongest > 0 ? (pull / strongest) * 0.3 * width : 0;
    const to = clamp(from + far, 3, width - 3);
    arrow.style.display = Math.abs(to - from) < 1 ? "none" : "";
    arrow.setAttribute("width", width);
    shaft.setAttribute("x1", from);
    shaft.setAttribute("x2", to);
    shaft.setAttribute("stroke", colour);
    tip.setAttribute("fill", colour);
    const back = Math.sign(far) * 7;
    tip.setAttribute("d", `M${to},9l${-back},-5.5v11z`);
  };
  return { root, track, move };
}

// Which of two scores is larger, and whether that is the pair that belongs together.
function between(upright) {
  const node = element("div", `between ${upright ? "upright" : ""}`);
  return {
    node,
    move: (own, other, ownFirst) => {
      const right = own > other;
      const signs = upright ? "↑↓" : "←→";
      node.textContent = own === other ? "= ✗" : `${signs[right === ownFirst ? 0 : 1]} ${right ? "✓" : "✗"}`;
      node.className = `between ${upright ? "upright " : ""}${right ? "right" : "wrong"}`;
      node.title = `${upright ? "image" : "text"} score: ${own === other ? "a tie, which counts as wrong" : `the pair that belongs together is ${right ? "above" : "below"} the other by ${brief(Math.abs(own - other))}`}`;
    },
  };
}

export function drawQuad(data, edit) {
  const decimals = data.kind === "itc" ? 4 : 3;
  const root = element("div", "matrix");
  const cells = NAMES.map((_, k) => cell(k, data, decimals, edit));
  const [top, bottom, left, right] = [between(false), between(false), between(true), between(true)];
  root.append(
    element("div"), head(0, data), element("div"), head(1, data),
    head(2, data), cells[0].root, top.node, cells[1].root,
    element("div"), left.node, element("div"), right.node,
    head(3, data), cells[2].root, bottom.node, cells[3].root,
  );
  let wide = null;
  const move = (s, pulls, colour, isFlat) => {
    wide = windowOf(s, data.bounds, wide);
    const strongest = isFlat ? 0 : Math.max(...pulls.map(Math.abs));
    const width = Math.max(60, cells[0].track.clientWidth); // all four alike; read before anything is written
    cells.forEach((each, k) => each.move(s[k], wide, pulls[k], strongest, colour, width));
    top.move(s[0], s[1], true);
    bottom.move(s[3], s[2], false);
    left.move(s[0], s[2], true);
    right.move(s[3], s[1], false);
  };
  return { root, move };
}
