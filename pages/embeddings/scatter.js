// Maps of embeddings: WebGL points (a 2D canvas where there is no WebGL), neighbours on hover, lasso, labels of clumps,
// pin, keyboard. A lasso is kept in the map's own frame, so that it stays where it was drawn (lasso.py reads it).
// All texts arrive as data and are set as text, never as markup. Places, codes and neighbours come packed in base64.
import { button, element, onResize, rgb, taken, unpack, whole } from "../shared/drawing/dom.js";

const VERTEX = `
attribute vec2 place; attribute vec3 look;
uniform vec2 centre, scale; uniform mediump float size; uniform vec4 palette[24];
varying vec4 colour; varying vec2 kind;
void main() {
  gl_Position = vec4((place - centre) * scale, 0.0, 1.0);
  gl_PointSize = size;
  colour = palette[int(look.x)];
  kind = look.yz;
}`;
const FRAGMENT = `
precision mediump float;
varying vec4 colour; varying vec2 kind; uniform float size; uniform vec3 paper; uniform float faint;
void main() {
  vec2 p = gl_PointCoord * 2.0 - 1.0;
  float d = kind.x < 0.5 ? length(p) - 0.78
    : max(p.y - 0.46, 0.866 * abs(p.x) - 0.5 * p.y - 0.46);
  float soft = 2.2 / size;
  float inside = 1.0 - smoothstep(-soft, soft, d);
  float solid = step(0.5, colour.a);
  float rim = mix(kind.x < 0.5 ? 4.6 : 2.7, (kind.x < 0.5 ? 1.5 : 0.9) * min(1.0, size / 14.0), solid) / size;
  float band = smoothstep(-soft, soft, d + rim);
  vec3 fill = mix(paper, colour.rgb, mix(0.12, 1.0, solid));
  vec3 edge = mix(colour.rgb, paper, 0.55 * solid);
  gl_FragColor = vec4(mix(fill, edge, band), inside * (kind.y > 0.5 ? faint : 0.92));
}`;

// A colour as WebGL takes it: three numbers from 0 to 1.
const shares = (hex) => rgb(hex).map((value) => value / 255);

// How much of a point that is not picked stays to be seen; on a dark page more, where little of a colour is none.
const faint = (paper) => (Math.max(...shares(paper)) < 0.5 ? 0.22 : 0.16);

function program(gl) {
  const made = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  return gl.getProgramParameter(made, gl.LINK_STATUS) ? made : null;
}

// A lasso's corners in an address: hexadecimal, over three frames of which the map's is the middle one (lasso.py).
const STEPS = 65535;
const SPAN = 3;
const BEGIN = -1;
const CORNERS = 24;

function spelt(points) {
  const step = (value) => Math.round(((Math.min(2, Math.max(-1, value)) - BEGIN) / SPAN) * STEPS);
  return points.map((point) => point.map((value) => step(value).toString(16).padStart(4, "0")).join("")).join("");
}

function corners(said) {
  const found = [];
  for (let k = 0; k + 8 <= said.length; k += 8) {
    found.push([0, 4].map((at) => (parseInt(said.slice(k + at, k + at + 4), 16) / STEPS) * SPAN + BEGIN));
  }
  return found;
}

// The corners that matter (Douglas and Peucker): those farther than `reach` from the line between those kept.
function fewer(points, reach) {
  const keep = new Set([0, points.length - 1]);
  const parts = [[0, points.length - 1]];
  while (parts.length) {
    const [from, to] = parts.pop();
    const [ax, ay] = points[from];
    const [bx, by] = points[to];
    const length = Math.hypot(bx - ax, by - ay);
    let far = reach;
    let at = -1;
    for (let k = from + 1; k < to; k += 1) {
      const [x, y] = points[k];
      const off = length ? Math.abs((bx - ax) * (ay - y) - (ax - x) * (by - ay)) / length : Math.hypot(x - ax, y - ay);
      if (off > far) [far, at] = [off, k];
    }
    if (at >= 0) {
      keep.add(at);
      parts.push([from, at], [at, to]);
    }
  }
  return points.filter((_, k) => keep.has(k));
}

function simple(points) {
  let reach = 1;
  let found = fewer(points, reach);
  while (found.length > CORNERS) {
    reach *= 1.4;
    found = fewer(points, reach);
  }
  return found;
}

function inside(x, y, path) {
  let found = false;
  for (let i = 0, j = path.length - 1; i < path.length; j = i, i += 1) {
    const [ax, ay] = path[i];
    const [bx, by] = path[j];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) found = !found;
  }
  return found;
}

// Where a label [w, h] of the clump `own` goes, as [left, top]: over its middle or beside it, on none that is `laid`
// [left, top, right, bottom], where it hides the fewest of its own dots, then of all; null where there is no room.
function placed([w, h], own, dots, laid, [width, height]) {
  const sorted = [0, 1].map((axis) => own.map((dot) => dot[axis]).sort((a, b) => a - b));
  const part = (axis, share) => sorted[axis][Math.round(share * (own.length - 1))];
  const [x, y] = [part(0, 0.5), part(1, 0.5)];
  if (x < 0 || y < 0 || x > width || y > height) return null;
  const places = [[x - w / 2, y - h / 2], [x - w / 2, part(1, 0) - h - 8], [x - w / 2, part(1, 1) + 8],
    [part(0, 0) - w - 8, y - h / 2], [part(0, 1) + 8, y - h / 2]];
  const hidden = ([left, top], some) => some.reduce(
    (n, [px, py]) => n + (px > left - 3 && px < left + w + 3 && py > top - 3 && py < top + h + 3 ? 1 : 0), 0);
  let best = null;
  let least = Infinity;
  for (const [left, top] of places) {
    const within = left >= 4 && top >= 4 && left + w <= width - 4 && top + h <= height - 4;
    const clear = laid.every(([l, t, r, b]) => left > r || left + w < l || top > b || top + h < t);
    if (!within || !clear) continue;
    const far = Math.hypot(left + w / 2 - x, top + h / 2 - y);  // and near its clump, so that one sees whose it is
    const cost = 3 * hidden([left, top], own) + hidden([left, top], dots) + far / 12;
    if (cost < least) [best, least] = [[left, top], cost];
  }
  return best;
}

// What is said of a lasso round none of what it takes.
function nothing(takes) {
  if (takes === "a") return "No dot lies inside the lasso.";
  const [mine, others] = takes === "i" ? ["image", "captions"] : ["caption", "images"];
  return `No ${mine} lies inside: the lasso takes ${mine}s alone; for ${others} choose ●▲.`;
}

// One map: two canvases above each other, its own zoom; what is picked, pinned and hovered belongs to all maps.
class Panel {
  constructor(app) {
    this.app = app;
    this.node = element("div", "panel");
    this.title = element("p", "title");
    this.box = element("div", "box");
    this.dots = element("canvas", "dots");
    this.dots.setAttribute("aria-hidden", "true");
    this.top = element("canvas", "top");
    this.top.tabIndex = 0;
    this.top.setAttribute("role", "img");
    this.labels = element("div", "labels");
    this.note = element("p", "unlaid");
    this.box.append(this.dots, this.top, this.labels, this.note);
    this.node.append(this.title, this.box);
    this.view = { x: 0.5, y: 0.5, zoom: 1 };
    this.gl = this.dots.getContext("webgl", { antialias: false, alpha: true, premultipliedAlpha: true });
    this.program = this.gl && program(this.gl);
    if (!this.program) {
      this.gl = null;
      const again = element("canvas", "dots");
      this.dots.replaceWith(again);
      this.dots = again;
    }
    this.node.dataset.engine = this.gl ? "webgl" : "canvas";
    this.listen();
  }

  take(data, panel) {
    this.title.textContent = panel.title;
    this.title.style.display = panel.title ? "" : "none";
    this.top.setAttribute("aria-label", panel.alt);
    this.places = unpack(panel.places, Uint16Array);
    this.xy = Float32Array.from(this.places, (value) => value / STEPS);
    this.span = [0, 1].map((axis) => {
      let far = 0.02;
      for (let i = axis; i < this.xy.length; i += 2) far = Math.max(far, 2 * Math.abs(this.xy[i] - 0.5));
      return far;
    });
    this.code = unpack(panel.code, Uint8Array);
    this.near = unpack(panel.near, Int32Array);
    this.cosine = unpack(panel.cosine, Int16Array);
    this.k = data.n ? this.near.length / data.n / 2 : 0;
    // Mixed, so that no class hides another where many lie; rare classes on top.
    const rare = data.legend.map((entry) => (10 * entry.n < data.n ? 1 : 0));
    const mixed = (i) => Math.imul(i + 1, 2654435761) >>> 0;
    const rank = Float64Array.from({ length: data.n }, (_, i) => rare[this.code[i]] * 2 ** 32 + mixed(i));
    this.order = Array.from({ length: data.n }, (_, i) => i).sort((a, b) => rank[a] - rank[b]);
    this.cells = new Map();
    for (let i = 0; i < data.n; i += 1) {
      const cell = Math.floor(this.xy[2 * i] * 63.99) * 64 + Math.floor(this.xy[2 * i + 1] * 63.99);
      if (!this.cells.has(cell)) this.cells.set(cell, []);
      this.cells.get(cell).push(i);
    }
    this.fill();
  }

  fill() {
    const { data } = this.app;
    const lit = this.app.glow || this.app.lit;
    const rows = new Float32Array(5 * data.n);
    const dimmed = (i) => (lit.size && !lit.has(i) ? 1 : 0);
    const order = lit.size ? [...this.order.filter(dimmed), ...this.order.filter((i) => !dimmed(i))] : this.order;
    order.forEach((i, at) => rows.set(
      [this.xy[2 * i], this.xy[2 * i + 1], this.code[i], i < data.images ? 0 : 1, dimmed(i)], 5 * at));
    this.rows = rows;
    if (!this.gl) return;
    const gl = this.gl;
    gl.useProgram(this.program);
    if (!this.buffer) this.buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, rows, gl.STATIC_DRAW);
  }

  // Whether it was fitted to another size: a browser tells the first one, too, right after all is drawn at that.
  isOtherSize() { return this.width !== Math.max(50, this.box.clientWidth) || this.height !== Math.max(50, this.box.clientHeight); }

  fit() {
    const ratio = window.devicePixelRatio || 1;
    this.width = Math.max(50, this.box.clientWidth);
    this.height = Math.max(50, this.box.clientHeight);
    for (const canvas of [this.dots, this.top]) {
      canvas.width = Math.round(this.width * ratio);
      canvas.height = Math.round(this.height * ratio);
    }
    this.ratio = ratio;
  }

  get side() { return Math.min(this.width / this.span[0], this.height / this.span[1]) * 0.9 * this.view.zoom; }
  screen(i) {
    return [this.width / 2 + (this.xy[2 * i] - this.view.x) * this.side,
      this.height / 2 - (this.xy[2 * i + 1] - this.view.y) * this.side];
  }
  place(px, py) {
    return [this.view.x + (px - this.width / 2) / this.side,
      this.view.y - (py - this.height / 2) / this.side];
  }
  dot() {
    const n = this.app.data.n;
    return (n > 15000 ? 6 : n > 5000 ? 7.5 : 10) * Math.min(1.8, Math.sqrt(Math.sqrt(this.view.zoom)));
  }

  draw() {
    const { data } = this.app;
    const paper = shares(data.paper);
    const colours = data.legend.map((entry) => [...shares(entry.colour), entry.solid ? 1 : 0]);
    if (this.gl) {
      const gl = this.gl;
      const at = (name) => gl.getUniformLocation(this.program, name);
      gl.viewport(0, 0, this.dots.width, this.dots.height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      gl.useProgram(this.program);
      gl.enable(gl.BLEND);
      gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
      for (const [name, size, start] of [["place", 2, 0], ["look", 3, 8]]) {
        const slot = gl.getAttribLocation(this.program, name);
        gl.enableVertexAttribArray(slot);
        gl.vertexAttribPointer(slot, size, gl.FLOAT, false, 20, start);
      }
      gl.uniform2f(at("centre"), this.view.x, this.view.y);
      gl.uniform2f(at("scale"), (2 * this.side) / this.width, (2 * this.side) / this.height);
      gl.uniform1f(at("size"), this.dot() * this.ratio);
      gl.uniform3fv(at("paper"), paper);
      gl.uniform1f(at("faint"), faint(data.paper));
      const palette = new Float32Array(96);
      colours.slice(0, 24).forEach((colour, k) => palette.set(colour, 4 * k));
      gl.uniform4fv(at("palette"), palette);
      gl.drawArrays(gl.POINTS, 0, data.n);
    } else this.drawFlat();
    this.drawTop();
    this.layLabels();
  }

  drawFlat() {
    const { data } = this.app;
    const pen = this.dots.getContext("2d");
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    const half = this.dot() * 0.4;
    const pale = faint(data.paper);
    for (let at = 0; at < data.n; at += 1) {
      const [x, y, code, triangle, dim] = this.rows.subarray(5 * at, 5 * at + 5);
      const px = this.width / 2 + (x - this.view.x) * this.side;
      const py = this.height / 2 - (y - this.view.y) * this.side;
      if (px < -9 || py < -9 || px > this.width + 9 || py > this.height + 9) continue;
      const entry = data.legend[code];
      pen.globalAlpha = dim ? pale : 0.85;
      pen.beginPath();
      if (triangle) {
        pen.moveTo(px, py - 1.2 * half);
        pen.lineTo(px + half, py + 0.6 * half);
        pen.lineTo(px - half, py + 0.6 * half);
        pen.closePath();
      } else pen.arc(px, py, half, 0, 7);
      pen.fillStyle = pen.strokeStyle = entry.colour;
      if (entry.solid) pen.fill();
      else pen.stroke();
    }
  }

  // The labels of clumps where they fit: the surest first, none over another one, each where it hides the fewest of its
  // own dots and, of these places, the fewest dots. Those that would overlap are counted and said.
  layLabels() {
    const laid = [];
    let left_out = 0;
    const at = (i) => this.screen(i);
    const dots = Array.from({ length: this.labels.children.length ? this.app.data.n : 0 }, (_, i) => at(i));
    for (const node of this.labels.children) {
      node.size ||= [node.offsetWidth, node.offsetHeight];
      const own = node.contents.map((i) => dots[i]);
      const found = placed(node.size, own, dots, laid, [this.width, this.height]);
      node.style.visibility = found ? "" : "hidden";
      if (!found) {
        left_out += own.some(([x, y]) => x > 0 && y > 0 && x < this.width && y < this.height) ? 1 : 0;
        continue;
      }
      const [left, top] = found;
      laid.push([left - 3, top - 2, left + node.size[0] + 3, top + node.size[1] + 2]);
      node.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
    }
    this.note.textContent = left_out
      ? `${left_out} more ${left_out === 1 ? "label has" : "labels have"} no room here: zoom in` : "";
  }

  drawTop() {
    const { data, hovered, pinned, path, lasso } = this.app;
    const pen = this.top.getContext("2d");
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    for (const [i, weight] of [[pinned, 2.2], [hovered, 1.4]]) {
      if (i === null || i >= data.n) continue;
      const [x, y] = this.screen(i);
      pen.strokeStyle = data.ink;
      for (let k = 0; k < 2 * this.k; k += 1) {
        const other = this.near[2 * this.k * i + k];
        if (other < 0) continue;
        const [ox, oy] = this.screen(other);
        pen.globalAlpha = 0.75;
        pen.lineWidth = weight * 0.75;
        pen.setLineDash(k < this.k ? [] : [4, 3]);
        pen.beginPath();
        pen.moveTo(x, y);
        pen.lineTo(ox, oy);
        pen.stroke();
        pen.setLineDash([]);
        pen.beginPath();
        pen.arc(ox, oy, 4.6, 0, 7);
        pen.stroke();
      }
      pen.globalAlpha = 1;
      pen.lineWidth = weight;
      pen.beginPath();
      pen.arc(x, y, 8, 0, 7);
      pen.stroke();
    }
    const drawn = path && path.panel === this ? path.points : null;
    const kept = !path && lasso && this.app.panels[lasso.panel] === this
      ? lasso.points.map(([x, y]) => [this.width / 2 + (x - this.view.x) * this.side,
        this.height / 2 - (y - this.view.y) * this.side]) : null;
    const outline = drawn || kept;
    if (!outline || outline.length < 2) return;
    pen.strokeStyle = data.ink;
    pen.lineWidth = kept ? 1.8 : 1.4;
    pen.setLineDash(kept ? [] : [5, 4]);
    pen.beginPath();
    outline.forEach(([x, y], k) => (k ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    pen.closePath();
    pen.globalAlpha = 0.07;
    pen.fillStyle = data.ink;
    pen.fill();
    pen.globalAlpha = 1;
    pen.stroke();
    pen.setLineDash([]);
  }

  nearest(px, py, reach = 13) {
    const [x, y] = this.place(px, py);
    const [rx, ry] = [reach / this.side, reach / this.side];
    const cell = (value) => Math.min(63, Math.max(0, Math.floor(value * 63.99)));
    let best = null;
    let least = reach * reach;
    for (let cx = cell(x - rx); cx <= cell(x + rx); cx += 1) {
      for (let cy = cell(y - ry); cy <= cell(y + ry); cy += 1) {
        for (const i of this.cells.get(cx * 64 + cy) || []) {
          const [sx, sy] = this.screen(i);
          const distance = (sx - px) ** 2 + (sy - py) ** 2;
          if (distance < least) [best, least] = [i, distance];
        }
      }
    }
    return best;
  }

  zoom(by, px = this.width / 2, py = this.height / 2) {
    const [x, y] = this.place(px, py);
    this.view.zoom = Math.min(60, Math.max(0.6, this.view.zoom * by));
    const [nx, ny] = this.place(px, py);
    this.view.x += x - nx;
    this.view.y += y - ny;
    this.draw();
  }

  // The next point in a direction: arrow keys walk over the map.
  step(dx, dy) {
    const { app } = this;
    if (app.hovered === null) return app.hover(this, app.pinned ?? this.nearest(this.width / 2, this.height / 2, 1e4));
    const [x, y] = this.screen(app.hovered);
    let best = null;
    let least = Infinity;
    for (let i = 0; i < app.data.n; i += 1) {
      const [sx, sy] = this.screen(i);
      const along = (sx - x) * dx + (sy - y) * dy;
      const aside = Math.abs((sx - x) * dy) + Math.abs((sy - y) * dx);
      if (along > 0.5 && along + 2 * aside < least) [best, least] = [i, along + 2 * aside];
    }
    if (best !== null) app.hover(this, best);
    return undefined;
  }

  listen() {
    const { app, top } = this;
    const where = (event) => {
      const box = top.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    let from = null;
    top.onpointerdown = (event) => {
      if (event.button) return;
      top.setPointerCapture(event.pointerId);
      from = { at: where(event), view: { ...this.view }, move: app.mode === "move" || event.shiftKey, far: false };
      app.path = from.move ? null : { panel: this, points: [from.at] };
    };
    top.onpointermove = (event) => {
      const at = where(event);
      if (!from) return app.hover(this, this.nearest(...at));
      from.far ||= Math.hypot(at[0] - from.at[0], at[1] - from.at[1]) > 4;
      if (from.move) {
        this.view.x = from.view.x - (at[0] - from.at[0]) / this.side;
        this.view.y = from.view.y + (at[1] - from.at[1]) / this.side;
        return this.draw();
      }
      app.path.points.push(at);
      return this.drawTop();
    };
    top.onpointerup = (event) => {
      const begun = from;
      const path = app.path;
      from = app.path = null;
      if (!begun) return;
      if (!begun.far) {
        const hit = this.nearest(...where(event));
        if (hit !== null) app.pin(hit);
        else if (!begun.move) app.clear();
      } else if (!begun.move) {
        app.encircle(app.panels.indexOf(this), simple(path.points).map(([x, y]) => this.place(x, y)));
      }
      app.draw();
    };
    top.onpointerleave = () => from || app.hover(this, null);
    top.onblur = () => app.hover(this, null);
    top.ondblclick = () => {
      this.view = { x: 0.5, y: 0.5, zoom: 1 };
      app.clear();
      app.draw();
    };
    top.addEventListener("wheel", (event) => {
      if (app.mode !== "move" && !event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * 0.0022), ...where(event));
    }, { passive: false });
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    top.onkeydown = (event) => {
      if (steps[event.key]) this.step(...steps[event.key]);
      else if (event.key === "Enter" && app.hovered !== null) app.pin(app.hovered);
      else if (event.key === "+" || event.key === "=") this.zoom(1.4);
      else if (event.key === "-") this.zoom(1 / 1.4);
      else if (event.key === "Escape") app.clear();
      else return;
      taken(event);
    };
  }
}

class Maps {
  constructor(root) {
    this.root = root;
    this.panels = [];
    this.hovered = this.pinned = this.path = this.lasso = this.glow = null;
    this.lit = new Set();
    this.mode = "lasso";
    this.takes = "a";
    this.tools = element("div", "tools");
    this.legend = element("div", "legend");
    this.row = element("div", "row");
    this.tip = element("div", "tip");
    this.tip.hidden = true;
    this.live = element("p", "live");
    this.live.setAttribute("aria-live", "polite");
    const head = element("div", "head");
    // What came of a lasso is said over the map; the legend stands below, where a longer one moves no map.
    this.said = element("p", "said");
    head.append(this.tools, this.said);
    root.replaceChildren(head, this.row, this.legend, this.tip, this.live);
    this.buttons = ["lasso", "move"].map((mode) => {
      const made = this.tool(mode === "lasso" ? "Lasso" : "Move", () => this.setMode(mode));
      made.dataset.mode = mode;
      return made;
    });
    this.sorts = element("span", "sorts");
    this.sorts.setAttribute("role", "group");
    this.sorts.setAttribute("aria-label", "What the lasso takes");
    for (const [takes, sign, said] of [["a", "●▲", "images and captions"], ["i", "●", "images alone"], ["t", "▲", "captions alone"]]) {
      const made = button(sign, () => this.chooseTakes(takes), { title: `The lasso takes ${said}` });
      made.setAttribute("aria-label", `The lasso takes ${said}`);
      made.dataset.takes = takes;
      this.sorts.append(made);
    }
    this.tools.append(this.sorts);
    this.tool("+", () => this.panels.forEach((panel) => panel.zoom(1.5))).setAttribute("aria-label", "Zoom in");
    this.tool("−", () => this.panels.forEach((panel) => panel.zoom(1 / 1.5))).setAttribute("aria-label", "Zoom out");
    this.tool("Whole map", () => {
      for (const panel of this.panels) panel.view = { x: 0.5, y: 0.5, zoom: 1 };
      this.draw();
    });
    this.clearing = this.tool("Clear", () => this.clear());
    this.clearing.title = "Let go of what is picked and pinned (Esc)";
    // Whoever clicked a label is on no element of the map any more once labels are drawn anew: the whole page hears
    // Escape, but for what is open over it or closes by it.
    const open = "[role=dialog], [role=listbox], [role=menu], [role=tooltip]";
    const escape = (event) => {
      if (!root.isConnected) return document.removeEventListener("keydown", escape);
      const typed = event.composedPath()[0].closest?.(`input, textarea, select, ${open}`);
      if (event.key === "Escape" && !event.defaultPrevented && !typed && !document.querySelector(open)) this.clear();
      return undefined;
    };
    document.addEventListener("keydown", escape);
    this.setMode("lasso");
    onResize(this.row, () => this.panels.some((panel) => panel.isOtherSize()) && this.fit());
  }

  tool(text, act) {
    const made = button(text, act);
    this.tools.append(made);
    return made;
  }

  setMode(mode) {
    this.mode = mode;
    for (const each of this.buttons) each.setAttribute("aria-pressed", String(each.dataset.mode === mode));
    this.root.dataset.mode = mode;
  }

  chooseTakes(takes) {
    this.tell("");
    this.setTakes(takes);
  }

  // What the lasso takes; one that is drawn takes it at once.
  setTakes(takes) {
    const before = this.takes;
    const show = (now) => {
      this.takes = now;
      for (const each of this.sorts.children) each.setAttribute("aria-pressed", String(each.dataset.takes === now));
    };
    show(takes);
    if (this.lasso && this.lasso.takes !== takes && !this.encircle(this.lasso.panel, this.lasso.points)) show(before);
  }

  // Pick what lies inside, of what the lasso takes; false, and said, where that is nothing: what was picked stays. The
  // corners are rounded first, so that an address picks the same.
  encircle(panel, points) {
    if (points.length < 3) return false;
    const said = spelt(points);
    const path = corners(said);
    const { places } = this.panels[panel];
    const picked = [];
    const [from, to] = [this.takes === "t" ? this.data.images : 0, this.takes === "i" ? this.data.images : this.data.n];
    for (let i = from; i < to; i += 1) {
      if (inside(places[2 * i] / STEPS, places[2 * i + 1] / STEPS, path)) picked.push(i);
    }
    this.tell(picked.length ? "" : nothing(this.takes));
    if (!picked.length) return false;
    this.lasso = { panel, takes: this.takes, points: path };
    this.pick(picked, `${this.takes}${panel}${said}`);
    return true;
  }

  // A sentence over the map; "" takes it away.
  tell(text) {
    this.said.textContent = this.live.textContent = text;
  }

  // Let go of all that is picked and pinned.
  clear() {
    this.tell("");
    if (!this.lit.size && this.pinned === null) return;
    this.pinned = null;
    this.pick([]);
  }

  take(data, send) {
    const fresh = !this.data || this.data.version !== data.version;
    this.data = data;
    this.send = send;
    this.lit = new Set(unpack(data.lit, Uint32Array));
    this.pinned = data.pinned ?? null;
    this.clearing.disabled = !this.lit.size && this.pinned === null;
    this.glow = null;
    this.lasso = data.lasso
      ? { takes: data.lasso[0], panel: Number(data.lasso[1]), points: corners(data.lasso.slice(2)) } : null;
    if (this.lasso) this.takes = this.lasso.takes;
    this.sorts.hidden = !(data.images && data.texts);
    this.setTakes(this.takes);
    this.own = new Set(data.own.map(([i, t]) => i * data.n + t));
    while (this.panels.length < data.panels.length) {
      const panel = new Panel(this);
      this.panels.push(panel);
      this.row.append(panel.node);
    }
    for (const panel of this.panels.splice(data.panels.length)) panel.node.remove();
    this.panels.forEach((panel, k) => {
      if (fresh) panel.view = { x: 0.5, y: 0.5, zoom: 1 };
      panel.take(data, data.panels[k]);
    });
    if (fresh) this.hovered = null;
    this.drawLegend();
    this.drawLabels();
    this.fit();
    this.root.dataset.ready = data.version;
  }

  drawLegend() {
    const signs = this.data.texts && this.data.images ? [["●", "images"], ["▲", "captions"]] : [];
    this.legend.replaceChildren(
      ...signs.map(([sign, name]) => element("span", "sign", `${sign} ${name}`)),
      ...(this.data.whose ? [element("span", "whose", `${this.data.whose}:`)] : []),
      ...this.data.legend.filter((entry) => entry.n).map((entry) => {
        const node = element("span", "key");
        const dot = element("i", entry.solid ? "solid" : "hollow");
        dot.style.setProperty("--colour", entry.colour);
        node.append(dot, document.createTextNode(`${entry.name} ${whole(entry.n)}`));
        return node;
      }));
  }

  // What clumps are called, on the first map: buttons that pick them.
  drawLabels() {
    for (const panel of this.panels) panel.labels.replaceChildren();
    this.panels[0].labels.append(...this.data.clumps.map((clump) => {
      const contents = [...unpack(clump.contents, Uint32Array)];
      const node = button("", () => this.pick(contents, `c${clump.k}`), { className: "clump" });
      if (clump.name) node.append(element("span", "", clump.name));
      if (clump.wrong) node.append(element("b", clump.worse ? "worse" : "", clump.wrong));
      node.contents = contents;
      node.dataset.clump = clump.k;
      node.setAttribute("aria-pressed", String(clump.k === this.data.clump));
      const glow = (on) => {
        this.glow = on ? new Set(contents) : null;
        for (const panel of this.panels) panel.fill();
        this.draw();
        this.tellClump(on ? clump : null, node);
      };
      node.onpointerenter = node.onfocus = () => glow(true);
      node.onpointerleave = node.onblur = () => glow(false);
      return node;
    }));
  }

  tellClump(clump, node) {
    this.tip.hidden = !clump;
    if (!clump) return;
    const list = element("ol");
    list.append(...clump.lines.map((line) => element("li", "fact", line)));
    this.tip.replaceChildren(element("p", "what", clump.head), list, element("p", "side", "Click to pick it."));
    const [box, mine, root] = [this.panels[0].box, node.getBoundingClientRect(), this.root.getBoundingClientRect()];
    const left = mine.right - root.left + 8;
    this.tip.style.left = `${left + 330 > this.root.clientWidth ? Math.max(0, mine.left - root.left - 340) : left}px`;
    this.tip.style.top = `${box.offsetTop + Math.max(0, Math.min(mine.top - box.getBoundingClientRect().top - 10, this.panels[0].height - 170))}px`;
  }

  fit() {
    for (const panel of this.panels) panel.fit();
    if (this.data) this.draw();
  }

  draw() {
    for (const panel of this.panels) panel.draw();
  }

  hover(panel, i) {
    if (i === this.hovered && (i === null) === this.tip.hidden) return;
    this.hovered = i;
    for (const each of this.panels) each.drawTop();
    this.tip.hidden = i === null;
    if (i === null) return;
    const { data } = this;
    const kind = (at) => (at < data.images ? "image" : "caption");
    const name = (at) => data.labels[at] || (at < data.images ? "an image without a caption" : "(empty)");
    const verdict = `${data.legend[panel.code[i]].name}${data.whose ? ` (${data.whose})` : ""}`;
    const more = data.more[i] ? ` and ${data.more[i]} more` : "";
    this.tip.replaceChildren(
      element("p", "what", `${kind(i)} · ${data.items[i]}${more} · ${verdict}`),
      element("p", "label", i < data.images ? `picture of “${name(i)}”` : `“${name(i)}”`));
    [[0, kind(i)], [1, i < data.images ? "caption" : "image"]].forEach(([side, what]) => {
      const list = element("ol");
      for (let k = 0; k < panel.k; k += 1) {
        const at = 2 * panel.k * i + side * panel.k + k;
        const other = panel.near[at];
        if (other < 0) continue;
        const mine = this.own.has(Math.min(i, other) * data.n + Math.max(i, other));
        const line = element("li", mine ? "own" : "");
        line.append(element("b", "", (panel.cosine[at] / 10000).toFixed(3)),
          document.createTextNode(` ${other < data.images ? "picture of " : ""}${name(other)}${mine ? " · its own" : ""}`));
        list.append(line);
      }
      if (list.childElementCount) this.tip.append(element("p", "side", `nearest ${what}s by cosine`), list);
    });
    if (!panel.k) this.tip.append(element("p", "side", data.later || "Click it for its neighbours."));
    const [x, y] = panel.screen(i);
    const left = panel.box.offsetLeft + x + 18;
    this.tip.style.left = `${left + 330 > this.root.clientWidth ? Math.max(0, left - 366) : left}px`;
    this.tip.style.top = `${panel.box.offsetTop + Math.max(0, Math.min(y - 30, panel.height - 270))}px`;
    this.live.textContent = `${kind(i)}: ${name(i)}; ${verdict}`;
  }

  pin(i) {
    this.pinned = i;
    this.clearing.disabled = false;
    this.draw();
    this.send("pinned", i);
  }

  pick(picked, lasso = "") {
    this.lit = new Set(picked);
    this.glow = null;
    if (!lasso || lasso[0] === "c") this.lasso = null;
    for (const panel of this.panels) panel.fill();
    this.clearing.disabled = !this.lit.size && this.pinned === null;
    this.draw();
    this.send("picked", { contents: picked, lasso });
  }
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector("#embedding-map");
  if (!root.maps) root.maps = new Maps(root);
  root.maps.take(data, setTriggerValue);
}
