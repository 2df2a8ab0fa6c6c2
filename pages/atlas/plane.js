// The Atlas' plane in SVG: a mark a model, the Pareto front, arrows from base to taught, names. Hovering, the legend, moving
// and zooming ask nothing of the server; a click tells it whose mark it was.
import { element, onResize, svg } from "../shared/drawing/dom.js";
import { listenTo } from "../shared/drawing/plane/hands.js";
import { Looked } from "../shared/drawing/plane/looked.js";
import { legendLine, modeOf, toolOf } from "../shared/drawing/plane/parts.js";
import { ARROWS, FRONT, LETTERS, arrowsShown, axesOf, frontShown, linesOf, marksOf, namesOf } from "./layers.js";
import { pathOf } from "./marks.js";

// Room for the numbers at the ticks and around the drawing, pixels; how near a pointer has to come to a mark.
const ROOM = { left: 46, right: 10, top: 8, bottom: 22 };
const REACH = 10;
const DEEPEST = 60;
// Marks nearer to each other than this are on one spot; so many of them are named; a box narrower than this is no box.
const [SPOT, TOLD, LEAST] = [2, 5, 10];
const WHOLE = { x: 0, y: 0, zoom: [1, 1] };
const TOOLS = [["box", "Zoom", "Draw a box to zoom into it; a double click shows the whole"], ["move", "Move", "Drag the plane; the wheel zooms"]];

class AtlasPlane extends Looked {
  constructor(root) {
    super();
    this.root = root;
    this.view = { ...WHOLE };
    this.hidden = new Set(); // numbers of groups, and the names of layers
    this.areas = []; // none is kept: each box is zoomed into
    this.path = this.hovered = this.data = null;
    this.build();
    this.setMode("box");
    listenTo(this);
    onResize(this.box, () => this.data && this.isOtherSize() && this.draw());
  }

  build() {
    this.tools = element("div", "tools");
    this.tools.dataset.unpictured = "";
    this.modes = TOOLS.map(([mode, words, title]) => modeOf(mode, words, title, () => this.setMode(mode)));
    this.whole = toolOf("Whole", () => this.look({ ...WHOLE }), "Show the whole plane (Esc)");
    this.tools.append(...this.modes, toolOf("+", () => this.zoom(1.5), "Zoom in"), toolOf("−", () => this.zoom(1 / 1.5), "Zoom out"), this.whole);
    this.upTitle = element("p", "up-title");
    this.acrossTitle = element("p", "across-title");
    this.box = element("div", "box");
    this.top = svg("svg", { class: "top", tabindex: 0, role: "img" });
    this.under = svg("g", {});
    this.over = svg("g", { fill: "none", stroke: "currentColor" });
    this.top.append(this.under, this.over);
    this.tip = element("div", "tip");
    this.tip.hidden = true;
    this.box.append(this.top, this.tip);
    this.legend = element("ul", "legend");
    this.legend.dataset.key = "";
    this.live = element("p", "live");
    this.live.setAttribute("aria-live", "polite");
    const middle = element("div", "row middle");
    middle.append(this.upTitle, this.box);
    this.root.replaceChildren(this.tools, middle, this.acrossTitle, this.legend, this.live);
  }

  // What Python sent. The view and what is hidden stay where the points are the same.
  take(data, setTrigger) {
    const fresh = this.data?.version !== data.version;
    this.data = data;
    // Of marks on one spot a further click opens the next one.
    this.open = (i) => {
      const here = this.here(i);
      const next = here[(here.findIndex((j) => this.columns.keys[j] === this.data.key) + 1) % here.length];
      setTrigger("opened", this.columns.keys[next]);
    };
    if (fresh) {
      this.view = { ...WHOLE };
      this.hidden.clear();
      this.hover(null);
      this.columns = { mark: [], keys: [], words: [] };
      [this.x, this.y] = [[], []];
      data.groups.forEach((group, k) => {
        this.x.push(...group.x);
        this.y.push(...group.y);
        this.columns.keys.push(...group.keys);
        this.columns.words.push(...group.words);
        this.columns.mark.push(...group.x.map(() => k));
      });
    }
    this.top.setAttribute("aria-label", data.alt);
    this.acrossTitle.textContent = data.across;
    this.upTitle.textContent = data.up;
    this.box.style.height = `${data.height + ROOM.top + ROOM.bottom}px`;
    this.drawLegend();
    this.draw();
  }

  drawLegend() {
    const { groups, front, arrows } = this.data;
    const sample = (shape) => {
      const node = svg("svg", { class: "sample", viewBox: "-6 -6 12 12", "aria-hidden": "true" });
      node.append(shape);
      return node;
    };
    const line = (of, name, k) => legendLine(sample(of), name, this.hidden, k, () => this.draw());
    this.counted = [
      ...(front.length ? [[line(svg("path", { d: "M-6 0H6", stroke: "currentColor", "stroke-width": 1.4, "stroke-dasharray": "2 2" }), "", FRONT), this.frontSaid]] : []),
      ...(arrows.length ? [[line(svg("path", { d: "M-6 0H6", stroke: "var(--arrow)", "stroke-width": 2 }), "", ARROWS), this.arrowsSaid]] : []),
    ];
    this.legend.replaceChildren(
      ...groups.map((group, k) => line(svg("path", { d: pathOf(group.shape, 8), fill: group.colours[0], ...(group.star ? { stroke: "currentColor", "stroke-width": 0.9 } : {}) }), group.name, k)),
      ...this.counted.map(([node]) => node),
    );
  }

  // Whether the model of a key is not shown: its group is hidden.
  isHidden(key) { return this.hidden.has(this.columns.mark[this.columns.keys.indexOf(key)]); }

  // What the legend says of the front and of the arrows, which change as groups are hidden.
  frontSaid() {
    const said = `Pareto front ${frontShown(this.data, this.hidden).length}`;
    return this.data.groups.some((group, k) => this.hidden.has(k)) ? `${said} of what is shown` : said;
  }

  arrowsSaid() { return `base → taught ${arrowsShown(this.data, (key) => this.isHidden(key)).length}`; }

  // The frame on the screen in pixels under the present view, as `hands.js` asks for it.
  frame() {
    const { data: { low, high }, view } = this;
    const [wide, tall] = this.size;
    const [width, height] = [wide - ROOM.left - ROOM.right, tall - ROOM.top - ROOM.bottom];
    const unit = [(width / (high[0] - low[0])) * view.zoom[0], (height / (high[1] - low[1])) * view.zoom[1]];
    const at = [(low[0] + high[0]) / 2 + view.x, (low[1] + high[1]) / 2 + view.y];
    const middle = [ROOM.left + width / 2, ROOM.top + height / 2];
    return {
      wide, tall, left: ROOM.left, top: ROOM.top, width, height, unit,
      x: (value) => middle[0] + (value - at[0]) * unit[0],
      y: (value) => middle[1] - (value - at[1]) * unit[1],
      value: (px, py) => [at[0] + (px - middle[0]) / unit[0], at[1] - (py - middle[1]) / unit[1]],
      widthOf: (text) => this.pen.measureText(text).width,
      holds: (px, py) => px >= ROOM.left && px <= ROOM.left + width && py >= ROOM.top && py <= ROOM.top + height,
    };
  }

  paint() {
    const { data } = this;
    this.pen ??= element("canvas").getContext("2d"); // measures names
    this.pen.font = `${LETTERS}px ${getComputedStyle(this.root).fontFamily}`;
    const at = (this.at = this.frame());
    this.top.setAttribute("viewBox", `0 0 ${at.wide} ${at.tall}`);
    const inside = svg("svg", { x: at.left, y: at.top, width: at.width, height: at.height, viewBox: `${at.left} ${at.top} ${at.width} ${at.height}` });
    const isHidden = (key) => this.isHidden(key);
    inside.append(...linesOf(data, at, this.hidden), ...marksOf(data, at, this.hidden, isHidden), ...namesOf(data, at, this.hidden, isHidden));
    this.under.replaceChildren(...axesOf(at), inside);
    for (const [node, said] of this.counted) node.querySelector("button").lastChild.data = said.call(this);
    this.paintTop();
    this.whole.disabled = !this.hasPicks;
    this.root.dataset.ready = data.version; // drawn, so that a pointer finds its points
  }

  // The mark that is pointed at, and the box that is being drawn.
  paintTop() {
    if (!this.at) return;
    const found = [];
    if (this.hovered !== null) {
      const [cx, cy] = this.screen(this.hovered);
      found.push(svg("circle", { cx, cy, r: 8, "stroke-width": 2 }));
    }
    if (this.path?.length > 2) found.push(svg("path", { d: `M${this.path.map((corner) => corner.join(" ")).join("L")}Z`, "stroke-width": 1.4, "stroke-dasharray": "5 4" }));
    this.over.replaceChildren(...found);
  }

  // The mark nearest to a place, no farther than `reach` pixels; of equally near ones the one on top; null for none.
  nearest(px, py, reach = REACH) {
    let best = null;
    let least = reach;
    for (let i = 0; this.at && i < this.x.length; i += 1) {
      if (this.hidden.has(this.columns.mark[i])) continue;
      const [x, y] = this.screen(i);
      const far = Math.hypot(x - px, y - py);
      if (far <= least && this.at.holds(x, y)) [best, least] = [i, far];
    }
    return best;
  }

  // The marks on one spot: the one that is pointed at, and all others that are drawn so near to it that none of them can be
  // pointed at alone.
  here(i) {
    const [x, y] = this.screen(i);
    const isNear = (j) => Math.hypot(this.screen(j)[0] - x, this.screen(j)[1] - y) < SPOT && !this.hidden.has(this.columns.mark[j]);
    return [i, ...Array.from(this.x.keys()).filter((j) => j !== i && isNear(j))];
  }

  get reach() { return this.data.high.map((high, k) => (high - this.data.low[k]) / 2); }

  told(i) {
    const here = this.here(i);
    const others = here.slice(1, TOLD).map((j) => this.columns.words[j]);
    return [this.columns.words[i], ...others, ...(here.length > TOLD ? [`and ${here.length - TOLD} more`] : []),
      `${this.x[i].toFixed(2)} across, ${this.y[i].toFixed(2)} up`, ...(here.length > 1 ? ["on one spot: each click opens the next"] : [])];
  }

  // Zoom about a place on the screen, by default the middle.
  zoom(by, px = this.at.left + this.at.width / 2, py = this.at.top + this.at.height / 2) {
    const [x, y] = this.at.value(px, py);
    const zoom = this.view.zoom.map((each) => Math.min(DEEPEST, Math.max(1, each * by)));
    const middle = this.at.value(this.at.left + this.at.width / 2, this.at.top + this.at.height / 2);
    const moved = [x, y].map((value, k) => (value - middle[k]) * (1 - this.view.zoom[k] / zoom[k]));
    this.look({ x: this.view.x + moved[0], y: this.view.y + moved[1], zoom });
  }

  // `hands.js` hands over a box that was drawn, and none for a double click and Esc: here it is looked at, not picked.
  get hasPicks() { return this.view.x !== 0 || this.view.y !== 0 || this.view.zoom.some((each) => each !== 1); }

  select(areas) {
    const area = areas.at(-1);
    if (!area) {
      this.look({ ...WHOLE });
      return;
    }
    const { low, high } = this.data;
    if ([area.x, area.y].some((values, k) => Math.abs(values[1] - values[0]) * this.at.unit[k] < LEAST)) return;
    const ends = [area.x, area.y].map((values) => [Math.min(...values), Math.max(...values)]);
    const zoom = ends.map(([from, to], k) => Math.min(DEEPEST, (high[k] - low[k]) / Math.max(to - from, 1e-9)));
    const [x, y] = ends.map(([from, to], k) => (from + to) / 2 - (low[k] + high[k]) / 2);
    this.look({ x, y, zoom });
  }
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector("#plane");
  root.plane ??= new AtlasPlane(root);
  root.plane.take(data, setTriggerValue);
}
