// The flow from one system's parts to another's. Every band is a button: a click or Enter shows its items. Arrows walk
// from band to band, so all of them are one stop of the Tab key. All texts arrive as data and are set as text.
import { element, onResize, svg, whole } from "../dom.js";

const BAR = 15;
const GAP = 11;
const LINE = 15;
const DIGIT = 7; // how wide a letter of a number is, in px
const ROOMY = 500; // px; narrower, names beside the bars get less room
const TOP = 26;

function swatch(className, colour) {
  const node = element("i", className);
  if (colour) node.style.background = colour;
  return node;
}

function legend(data) {
  const list = element("ul", "legend");
  const ways = new Map(data.ways.map((way) => [way.which, way]));
  const entry = (mark, name) => {
    const item = element("li");
    item.append(mark, element("span", "", name));
    list.append(item);
  };
  for (const which of ["fixed", "broke"]) {
    const way = ways.get(which);
    if (way) entry(swatch("swatch", way.colour), `${way.sign} ${way.name}`);
  }
  if (ways.has("kept") || ways.has("both")) entry(swatch("swatch", (ways.get("kept") ?? ways.get("both")).colour), data.same);
  if (data.measured) entry(swatch("swatch pale"), "pale: reason not certified on both sides");
  if (data.luck) entry(swatch("swatch hatched"), "luck alone");
  return list;
}

// Where the parts of one side stand. Returns key -> {y, height, part}.
function placed(side, scale) {
  const found = new Map();
  let y = TOP;
  for (const part of side.parts) {
    const height = part.n * scale;
    found.set(part.key, { y, height, part, used: 0 });
    y += Math.max(height, LINE * 0.9) + GAP;
  }
  return found;
}

// The largest scale at which both sides fit into a height, small parts kept apart by the height of a line.
function scaleOf(data, tall) {
  const fits = (scale) => data.sides.every((side) => side.parts.reduce((y, part) => y + Math.max(part.n * scale, LINE * 0.9) + GAP, TOP) <= tall);
  let [low, high] = [0, tall / data.total];
  for (let k = 0; k < 40; k += 1) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function ribbon(x1, y1, x2, y2, thick) {
  const middle = (x1 + x2) / 2;
  return `M${x1},${y1}C${middle},${y1} ${middle},${y2} ${x2},${y2}V${y2 + thick}C${middle},${y2 + thick} ${middle},${y1 + thick} ${x1},${y1 + thick}Z`;
}

// A way as a group: its certified part full, the rest pale, and a wider area that can be hit.
function band(way, from, to, scale, x1, x2, data, send, labels) {
  const thick = way.n * scale;
  const [y1, y2] = [from.y + from.used, to.y + to.used];
  from.used += thick;
  to.used += thick;
  const node = svg("g", { class: `way ${way.which}${data.marked === way.id ? " marked" : ""}`, role: "button", tabindex: -1, "aria-label": way.tip, "aria-pressed": data.marked === way.id });
  node.dataset.way = way.id;
  const sure = thick * (way.n ? way.sure / way.n : 1);
  node.append(svg("title", {}, way.tip));
  const middle = (x1 + x2) / 2;
  node.append(svg("path", { class: "hit", d: `M${x1},${y1 + thick / 2}C${middle},${y1 + thick / 2} ${middle},${y2 + thick / 2} ${x2},${y2 + thick / 2}`, "stroke-width": Math.max(7, thick) }));
  if (sure > 0) node.append(svg("path", { class: "sure", d: ribbon(x1, y1, x2, y2, Math.max(sure, thick > 1 ? 0 : 1)), fill: way.colour }));
  if (thick - sure > 0.01) node.append(svg("path", { class: "unsure", d: ribbon(x1, y1 + sure, x2, y2 + sure, thick - sure), fill: way.colour }));
  if (way.sign) {
    const at = way.which === "fixed" ? 0.62 : 0.38; // the two kinds cross: their numbers stand apart
    const t = at;
    const bend = (a, b) => (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * a + 3 * (1 - t) * t ** 2 * b + t ** 3 * b;
    const across = (1 - t) ** 3 * x1 + 3 * (1 - t) ** 2 * t * middle + 3 * (1 - t) * t ** 2 * middle + t ** 3 * x2;
    if (thick >= 4) labels.push({ x: across, y: bend(y1, y2) + thick / 2 + 4, words: `${way.sign} ${whole(way.n)}`, which: way.which });
  }
  node.onclick = () => send(way.id);
  node.onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    send(way.id);
  };
  return node;
}

// The numbers of the bands, above them all; one stands below another that it would meet, of its own kind or not.
function numbers(labels) {
  const made = [];
  const taken = [];
  for (const each of [...labels].sort((a, b) => a.y - b.y)) {
    let y = each.y;
    const meets = (one) => Math.abs(one.x - each.x) < ((each.words.length + one.words.length) * DIGIT) / 2 + 6;
    for (const other of taken.filter(meets).sort((a, b) => a.y - b.y)) {
      if (y < other.y + LINE && y > other.y - LINE) y = other.y + LINE;
    }
    taken.push({ ...each, y });
    const place = { x: each.x, y, "text-anchor": "middle", "aria-hidden": true };
    // The rim is a text of its own: a picture of the page knows no order of paint.
    made.push(svg("text", { class: "number rim", ...place }, each.words), svg("text", { class: "number", ...place }, each.words));
  }
  return made;
}

function nodeOf(place, x, isLeft, wide, roomy) {
  const { part } = place;
  const node = svg("g", { class: "part" });
  const height = Math.max(place.height, 1.5);
  node.append(svg("title", {}, part.tip));
  node.append(svg("rect", { x, y: place.y, width: BAR, height, rx: 1.5, fill: part.colour }));
  if (part.hatched) node.append(svg("rect", { x, y: place.y, width: BAR, height, fill: "url(#flow-luck)" }));
  else if (part.luck) node.append(svg("rect", { x, y: place.y, width: BAR, height: (height * part.luck) / part.n, fill: "url(#flow-luck)" }));
  const at = { x: isLeft ? x - 8 : x + BAR + 8, "text-anchor": isLeft ? "end" : "start" };
  const y = place.y + Math.max(height, LINE * 0.9) / 2 + 4;
  const two = height > 2 * LINE || !roomy;
  if (two && height > 2 * LINE - 4) {
    node.append(svg("text", { ...at, y: y - 7, class: "name" }, part.name), svg("text", { ...at, y: y + 8, class: "share" }, part.share));
  } else {
    const text = svg("text", { ...at, y, class: "name" }, part.name);
    text.append(svg("tspan", { class: "share" }, `  ${whole(part.n)}`));
    node.append(text);
  }
  return node;
}

function head(side, x, isLeft) {
  return svg("text", { class: "head", x, y: 14, "text-anchor": isLeft ? "end" : "start" }, side.title);
}

// Arrows, Home and End go to neighbours; one band at a time can be reached by Tab.
function walk(drawn, held) {
  const all = [...drawn.querySelectorAll(".way")];
  const first = all.find((node) => node.dataset.way === held) ?? all.find((node) => node.classList.contains("marked")) ?? all[0];
  first?.setAttribute("tabindex", 0);
  drawn.addEventListener("keydown", (event) => {
    const at = all.indexOf(event.target.closest(".way"));
    if (at < 0) return;
    const found = { ArrowDown: all[at + 1], ArrowRight: all[at + 1], ArrowUp: all[at - 1], ArrowLeft: all[at - 1], Home: all[0], End: all.at(-1) }[event.key];
    if (!found) return;
    event.preventDefault();
    for (const node of all) node.setAttribute("tabindex", node === found ? 0 : -1);
    found.focus();
  });
  if (held && first?.dataset.way === held) first.focus({ preventScroll: true });
}

function hatch() {
  const defs = svg("defs", {});
  const pattern = svg("pattern", { id: "flow-luck", width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
  pattern.append(svg("rect", { width: 1.8, height: 5, class: "stripe" }));
  defs.append(pattern);
  return defs;
}

function picture(data, wide, send) {
  const tall = wide < ROOMY ? 380 : 420;
  const room = wide < ROOMY ? 132 : 186; // for the names at either side
  const scale = scaleOf(data, tall);
  const [x1, x2] = [room, wide - room - BAR];
  const [left, right] = data.sides.map((side) => placed(side, scale));
  const node = svg("svg", { width: wide, height: tall, viewBox: `0 0 ${wide} ${tall}`, role: "group", "aria-label": data.alt });
  node.append(hatch(), head(data.sides[0], x1 + BAR, true), head(data.sides[1], x2, false));
  const labels = [];
  const bands = data.ways.map((way) => ({ way, node: band(way, left.get(way.a), right.get(way.b), scale, x1 + BAR, x2, data, send, labels) }));
  const quiet = bands.filter(({ way }) => !way.sign).sort((a, b) => b.way.n - a.way.n);
  const loud = bands.filter(({ way }) => way.sign).sort((a, b) => b.way.n - a.way.n);
  node.append(...quiet.map((each) => each.node), ...loud.map((each) => each.node)); // what changed lies above
  node.append(...numbers(labels));
  for (const place of left.values()) node.append(nodeOf(place, x1, true, wide, wide >= ROOMY));
  for (const place of right.values()) node.append(nodeOf(place, x2, false, wide, wide >= ROOMY));
  return node;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const box = parentElement.querySelector("#flow");
  const send = (id) => setTriggerValue("opened", id);
  let wide = 0;
  const draw = () => {
    const now = Math.max(360, Math.floor(box.clientWidth));
    if (now === wide) return;
    wide = now;
    const held = box.getRootNode().activeElement?.closest?.(".way")?.dataset?.way;
    const made = picture(data, wide, send);
    box.replaceChildren(legend(data), made);
    walk(made, held);
  };
  draw();
  return onResize(box, draw);
}
