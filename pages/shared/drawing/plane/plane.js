// A plane of very many points on a canvas: hover, click, lasso, box, move and zoom, keys. The points stay here between two
// runs where they are the same; a lasso dims what lies outside at once, and the server, which knows also the points that
// are not drawn, lists what lies inside.
import { element, onResize, unpack, whole } from "../dom.js";
import { gridOf, isCaught, litOf, nearestOf, ringsOf } from "./geometry.js";
import { listenTo } from "./hands.js";
import { Looked } from "./looked.js";
import { legendLine, modeOf, toolOf } from "./parts.js";
import { ROOM, drawOver, drawUnder, toldOf } from "./sheet.js";
import { lay, stampOf } from "./stamps.js";

const GRID = 96;
const LARGEST = 6;
const TOOLS = [["lasso", "Lasso", "Draw round points; Shift adds to what is picked"], ["box", "Box", "Draw a box round points; Shift adds to what is picked"],
  ["move", "Move", "Drag the plane; the wheel zooms"]];
const WHOLE = { x: 0, y: 0, zoom: 1 };

class Plane extends Looked {
  constructor(root) {
    super();
    this.root = root;
    this.areas = [];
    this.number = 0; // of selections told so far
    this.path = this.hovered = this.data = null;
    this.hidden = new Set();
    this.view = { ...WHOLE };
    this.build();
    this.setMode("lasso");
    listenTo(this);
    onResize(this.box, () => this.data && this.isOtherSize() && this.draw());
  }

  build() {
    this.tools = element("div", "tools");
    this.tools.dataset.unpictured = "";
    this.modes = TOOLS.map(([mode, words, title]) => modeOf(mode, words, title, () => this.setMode(mode)));
    this.clearing = toolOf("Clear", () => this.select([]), "Clear what is picked (Esc)");
    this.tools.append(...this.modes, toolOf("+", () => this.zoom(1.5), "Zoom in"), toolOf("−", () => this.zoom(1 / 1.5), "Zoom out"),
      toolOf("Whole", () => this.look({ ...WHOLE }), "Show the whole plane"), this.clearing);
    this.corners = ["left", "right", "left", "right"].map((side) => element("p", `corner on-${side}`));
    this.upTitle = element("p", "up-title");
    this.sideNote = element("p", "side-note");
    this.acrossTitle = element("p", "across-title");
    this.box = element("div", "box");
    this.dots = element("canvas", "dots");
    this.dots.setAttribute("aria-hidden", "true");
    this.top = element("canvas", "top");
    this.top.tabIndex = 0;
    this.top.setAttribute("role", "img");
    this.tip = element("div", "tip");
    this.tip.hidden = true;
    this.box.append(this.dots, this.top, this.tip);
    this.legend = element("ul", "legend");
    this.legend.dataset.key = "";
    this.live = element("p", "live");
    this.live.setAttribute("aria-live", "polite");
    const [upperLeft, upperRight, lowerLeft, lowerRight] = this.corners;
    const row = (name, ...nodes) => {
      const made = element("div", `row ${name}`);
      made.append(...nodes);
      return made;
    };
    this.root.replaceChildren(this.tools, row("upper", upperLeft, upperRight), row("middle", this.upTitle, this.box, this.sideNote),
      this.acrossTitle, row("lower", lowerLeft, lowerRight), this.legend, this.live);
  }

  // What Python sent. Columns that are here already are not read again.
  take(data, setState, setTrigger) {
    const fresh = this.data?.points.version !== data.points.version;
    this.data = data;
    this.tell = (areas) => setState("picked", { areas, number: (this.number += 1) });
    this.open = (i) => setTrigger("opened", this.columns.ids[i]);
    if (fresh) {
      this.columns = columnsOf(data);
      this.view = { ...WHOLE };
      this.areas = [];
      this.hidden.clear();
      this.hover(null);
    }
    if (this.areas.length && data.gone === this.number) this.areas = []; // let go by the page, which knows no later one
    this.ringed = unpack(data.ringed, Uint32Array);
    this.root.dataset.picked = this.ringed.length;
    this.behind = data.behind ? { x: unpack(data.behind.x, Float32Array), y: unpack(data.behind.y, Float32Array), mark: data.behind.mark } : null;
    this.clip();
    this.stamps = null;
    this.lit = null;
    this.top.setAttribute("aria-label", data.alt);
    this.acrossTitle.textContent = data.across.title;
    this.upTitle.textContent = data.up.title;
    this.sideNote.textContent = data.side;
    this.sideNote.hidden = !data.side;
    this.box.style.height = `${data.height + ROOM.top + ROOM.bottom}px`;
    this.root.style.setProperty("--plane-ink", data.ink);
    this.corners.forEach((node, k) => {
      const { words, share, more } = data.corners[k];
      node.replaceChildren(words, ...(share ? [element("br"), element("b", "", share)] : []), more);
    });
    this.drawLegend();
    this.clearing.disabled = !this.hasPicks;
    this.draw();
  }

  // Where points stand: those beyond the frame on its border.
  clip() {
    const [across, up] = this.data.clip;
    const within = (values, half) => values.map((value) => Math.min(half, Math.max(-half, value)));
    this.x = within(this.columns.x, across);
    this.y = within(this.columns.y, up);
    this.grid = gridOf(this.x, this.y, [this.data.across.half, this.data.up.half], GRID);
  }

  drawLegend() {
    this.legend.hidden = !this.data.legend;
    this.legend.replaceChildren(...this.data.marks.map((mark, k) => legendLine(this.sample(mark), mark.name, this.hidden, k, () => this.draw())), ...this.others().map((mark) => {
      const line = element("li", "other");
      line.append(this.sample(mark), document.createTextNode(mark.name));
      return line;
    }));
  }

  // What is drawn besides the points: the faint ones behind, what was picked elsewhere. Rings round a few points are seen
  // at once; round many they would hide the colours, and it is enough that the other points are faint.
  others() {
    const picked = { name: `picked ${whole(this.ringed.length)}; the others are faint`, colour: this.data.ink, symbol: "ring", size: 8, opacity: 1 };
    return [...(this.behind ? [this.behind.mark] : []), ...(this.ringed.length ? [picked] : [])];
  }

  // A mark by itself, as a small picture.
  sample(mark) {
    const node = element("canvas", "sample");
    const ratio = window.devicePixelRatio || 1;
    node.width = node.height = Math.round(12 * ratio);
    node.setAttribute("aria-hidden", "true");
    const pen = node.getContext("2d");
    pen.fillStyle = this.colours().paper;
    pen.fillRect(0, 0, node.width, node.height);
    const image = pen.getImageData(0, 0, node.width, node.height);
    lay(image.data, node.width, node.height, stampOf({ ...mark, size: 8, opacity: 1 }, ratio, node.width, false), node.width / 2, node.height / 2);
    pen.putImageData(image, 0, 0);
    return node;
  }

  colours() {
    const now = getComputedStyle(this.root);
    return { paper: now.backgroundColor, quiet: getComputedStyle(this.upTitle).color, font: now.fontFamily };
  }

  // The frame on the screen, in pixels of the canvas, under the present view.
  frame() {
    const { data, view } = this;
    const [wide, tall] = this.size;
    const [width, height] = [wide - ROOM.left - ROOM.right, tall - ROOM.top - ROOM.bottom];
    let unit = [width / (2 * data.across.half), height / (2 * data.up.half)];
    if (data.square) unit = [Math.min(...unit), Math.min(...unit)];
    unit = unit.map((each) => each * view.zoom);
    const middle = [ROOM.left + width / 2, ROOM.top + height / 2];
    return {
      wide, tall, left: ROOM.left, top: ROOM.top, width, height, unit,
      x: (value) => middle[0] + (value - view.x) * unit[0],
      y: (value) => middle[1] - (value - view.y) * unit[1],
      value: (px, py) => [view.x + (px - middle[0]) / unit[0], view.y - (py - middle[1]) / unit[1]],
      low: [view.x - width / 2 / unit[0], view.y - height / 2 / unit[1]],
      high: [view.x + width / 2 / unit[0], view.y + height / 2 / unit[1]],
    };
  }

  paint() {
    const at = (this.at = this.frame());
    const ratio = window.devicePixelRatio || 1;
    const size = [at.wide, at.tall].map((each) => Math.round(each * ratio));
    for (const canvas of [this.dots, this.top]) {
      if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
    }
    this.pen ??= this.dots.getContext("2d", { willReadFrequently: true });
    const pen = this.pen;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, at.wide, at.tall);
    drawUnder(pen, at, this.data, this.colours());
    const [left, top, width, height] = [at.left, at.top, at.width, at.height].map((value) => Math.round(value * ratio));
    const image = pen.getImageData(left, top, width, height);
    this.stampAll(image, left, top, ratio);
    pen.putImageData(image, left, top);
    this.paintTop();
    this.root.dataset.ready = this.data.points.version; // drawn, so that a pointer finds its points
  }

  // Every point: the faint ones behind, then what is not picked, then the rest, each class on the one before it.
  stampAll(image, left, top, ratio) {
    const { at, data, areas } = this;
    const grown = Math.round(10 * Math.max(1, Math.sqrt(this.view.zoom))) / 10; // small marks have room where one zooms in
    const key = `${ratio} ${image.width} ${grown}`;
    if (this.stamps?.key !== key) {
      const made = (mark, dim) => stampOf({ ...mark, size: Math.max(mark.size, Math.min(LARGEST, mark.size * grown)) }, ratio, image.width, dim);
      this.stamps = { key, full: data.marks.map((mark) => made(mark, false)), dim: data.marks.map((mark) => made(mark, true)),
        behind: this.behind && made(this.behind.mark, false) };
    }
    const put = (stamp, x, y) => lay(image.data, image.width, image.height, stamp, at.x(x) * ratio - left, at.y(y) * ratio - top);
    if (this.behind) for (let i = 0; i < this.behind.x.length; i += 1) put(this.stamps.behind, this.behind.x[i], this.behind.y[i]);
    const { mark } = this.columns;
    // What is picked stands out: by the areas that are drawn here, else by what was picked elsewhere.
    const picks = areas.length || this.ringed.length;
    if (areas.length) this.lit ??= Uint8Array.from(this.x, (x, i) => (isCaught(x, this.y[i], areas) ? 1 : 0));
    else if (picks) this.lit ??= litOf(this.ringed, this.x.length);
    for (const lit of picks ? [0, 1] : [1]) {
      for (let i = 0; i < this.x.length; i += 1) {
        if (this.hidden.has(mark[i]) || (picks && this.lit[i] !== lit)) continue;
        put((lit ? this.stamps.full : this.stamps.dim)[mark[i]], this.x[i], this.y[i]);
      }
    }
  }

  paintTop() {
    const { at } = this;
    if (!at) return;
    const ratio = window.devicePixelRatio || 1;
    const pen = this.top.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, this.top.width, this.top.height);
    drawOver(pen, at, { ink: this.data.ink, ringed: Array.from(ringsOf(this.ringed), (i) => this.screen(i)), areas: this.areas,
      hovered: this.hovered === null ? null : this.screen(this.hovered), path: this.path });
  }

  nearest(px, py, reach = 9) {
    if (!this.at) return null;
    const [x, y] = this.at.value(px, py);
    return nearestOf(this.grid, this.x, this.y, x, y, this.at.unit.map((unit) => reach / unit), (i) => this.hidden.has(this.columns.mark[i]));
  }

  get reach() { return [this.data.across.half, this.data.up.half]; }

  told(i) { return toldOf(i, this.columns); }

  // Zoom about a place on the screen, by default the middle.
  zoom(by, px = this.at.left + this.at.width / 2, py = this.at.top + this.at.height / 2) {
    const [x, y] = this.at.value(px, py);
    const zoom = Math.min(80, Math.max(0.5, this.view.zoom * by));
    const share = this.view.zoom / zoom;
    this.look({ x: x + (this.view.x - x) * share, y: y + (this.view.y - y) * share, zoom });
  }

  // Whether something is picked: by what was drawn here, or elsewhere, in an address, too.
  get hasPicks() { return this.areas.length > 0 || this.ringed.length > 0; }

  // Pick what lies in some areas, [] for nothing; the server is told.
  select(areas) {
    if (!areas.length && !this.hasPicks) return;
    this.areas = areas;
    this.lit = null;
    this.clearing.disabled = !areas.length;
    this.draw();
    const n = areas.length ? this.x.reduce((sum, x, i) => sum + (isCaught(x, this.y[i], areas) ? 1 : 0), 0) : 0;
    this.live.textContent = areas.length ? `${whole(n)} of the drawn points lie inside` : "Nothing is picked";
    this.tell(areas);
  }
}

// The columns as arrays.
function columnsOf(data) {
  const { points } = data;
  const words = points.words && { of: unpack(points.words.of, Uint32Array), names: points.words.names };
  return {
    x: unpack(points.x, Float32Array), y: unpack(points.y, Float32Array), mark: unpack(points.mark, Uint8Array), ids: points.ids, words,
    lines: points.lines.map((line) => ({ ...line, values: unpack(line.values, Float32Array) })),
  };
}

export default function (component) {
  const { data, parentElement, setStateValue, setTriggerValue } = component;
  const root = parentElement.querySelector("#plane");
  root.plane ??= new Plane(root);
  root.plane.take(data, setStateValue, setTriggerValue);
}
