// The alpha-curve: exact step functions and a slider that moves without asking the server.
// Only when the slider is let go does the server hear of it, to list the items that flipped.
const NS = "http://www.w3.org/2000/svg";
const MARGIN = { left: 46, right: 14, top: 30, bottom: 40 };
const HEIGHT = 330;

function svg(tag, attributes, text) {
  const node = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

// The curve's exact value: its own value on a break-point, the segment's between them.
function valueAt(curve, alpha) {
  let low = 0;
  let high = curve.x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (curve.x[middle] < alpha) low = middle + 1;
    else high = middle;
  }
  return low < curve.x.length && curve.x[low] === alpha ? curve.at[low] : curve.between[low];
}

// Items right at alpha only (won) and at 0 only (lost); the others never change within the domain.
function flips(curve, alpha) {
  let won = 0;
  let lost = 0;
  for (const [low, high] of curve.changing) {
    const before = low < 0 && 0 < high;
    const after = low < alpha && alpha < high;
    if (after && !before) won += 1;
    if (before && !after) lost += 1;
  }
  return [won, lost];
}

const percent = (value) => (value === null ? "–" : `${(100 * value).toFixed(1)} %`);
const points = (value) => `${value < 0 ? "−" : "+"}${Math.abs(100 * value).toFixed(1)}`;

function ticks(low, high) {
  const step = [0.01, 0.02, 0.05, 0.1, 0.2].find((size) => (high - low) / size <= 6.5) || 0.25;
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9; k += 1) found.push(k * step);
  return found;
}

function reach(data) {
  const all = data.curves.flatMap((curve) => curve.between.concat(curve.x.length ? [] : curve.between));
  const known = all.filter((value) => value !== null);
  let low = Math.min(...known);
  let high = Math.max(...known);
  // Chance belongs into the picture where it is near; far away it would flatten the curves, so it is only named.
  if (data.chance !== null && data.chance > low - 0.12 && data.chance < high + 0.12) {
    low = Math.min(low, data.chance);
    high = Math.max(high, data.chance);
  }
  const pad = Math.max(0.02, 0.07 * (high - low));
  return [Math.max(0, low - pad), Math.min(1, high + pad)];
}

function drawCurves(data, width) {
  const [left, right] = data.domain;
  const [low, high] = reach(data);
  const x = (alpha) => MARGIN.left + ((alpha - left) / (right - left)) * (width - MARGIN.left - MARGIN.right);
  const y = (value) => HEIGHT - MARGIN.bottom - ((value - low) / (high - low)) * (HEIGHT - MARGIN.bottom - MARGIN.top);
  const root = svg("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": data.alt });
  for (const value of ticks(low, high)) {
    root.append(svg("line", { x1: x(left), x2: x(right), y1: y(value), y2: y(value), class: "grid" }));
    root.append(svg("text", { x: MARGIN.left - 7, y: y(value) + 4, class: "tick", "text-anchor": "end" }, `${Math.round(100 * value)}`));
  }
  for (let k = 0; k <= 10; k += 2) {
    const alpha = left + ((right - left) * k) / 10;
    root.append(svg("text", { x: x(alpha), y: HEIGHT - MARGIN.bottom + 17, class: "tick", "text-anchor": "middle" }, alpha.toFixed(1)));
  }
  if (data.title) root.append(svg("text", { x: 2, y: 13, class: "tick strong" }, `% right by ${data.title}`));
  const end = { y: HEIGHT - 5, class: "tick strong" };
  root.append(svg("text", { ...end, x: x(left), "text-anchor": "start" }, "α = 0 keeps the language prior"));
  if (right >= 1) root.append(svg("text", { ...end, x: x(1), "text-anchor": right > 1 ? "middle" : "end" }, "α = 1 is PMI"));
  if (data.chance !== null && data.chance >= low && data.chance <= high) {
    root.append(svg("line", { x1: x(left), x2: x(right), y1: y(data.chance), y2: y(data.chance), class: "chance" }));
    root.append(svg("text", { x: x(right) - 2, y: y(data.chance) - 5, class: "tick", "text-anchor": "end" }, `chance ${percent(data.chance)}`));
  } else if (data.chance !== null) {
    root.append(svg("text", { x: x(right) - 2, y: HEIGHT - MARGIN.bottom - 6, class: "tick", "text-anchor": "end" }, `chance is ${percent(data.chance)}, ${data.chance < low ? "below" : "above"} this axis`));
  }
  const focus = data.curves.find((curve) => curve.key === data.focus) || data.curves[0];
  if (focus && focus.best) {
    const from = x(Math.max(left, focus.best.lo));
    const to = x(Math.min(right, focus.best.hi));
    root.append(svg("rect", { x: from, y: MARGIN.top, width: Math.max(1.5, to - from), height: HEIGHT - MARGIN.top - MARGIN.bottom, fill: focus.colour, opacity: 0.13 }));
  }
  const marker = svg("line", { y1: MARGIN.top - 4, y2: HEIGHT - MARGIN.bottom, class: "marker" });
  const dots = new Map();
  const ordered = data.curves.filter((curve) => curve !== focus).concat(focus ? [focus] : []);
  for (const curve of ordered) {
    const edges = [left, ...curve.x.filter((at) => at > left && at < right), right];
    const pieces = edges.slice(0, -1).map((from, i) => {
      const level = y(valueAt(curve, (from + edges[i + 1]) / 2)).toFixed(2);
      return `${i ? "L" : "M"}${x(from).toFixed(2)},${level}L${x(edges[i + 1]).toFixed(2)},${level}`;
    });
    const line = svg("path", { d: pieces.join(""), class: curve === focus ? "curve focus" : "curve", stroke: curve.colour });
    if (curve.dash) line.setAttribute("stroke-dasharray", curve.dash);
    root.append(line);
    if (curve.best) {
      const [cx, cy] = [x(curve.best.alpha), y(curve.best.value)];
      const diamond = svg("path", { d: `M${cx},${cy - 7}l6.5,7l-6.5,7l-6.5,-7z`, class: "best", stroke: curve.colour });
      diamond.append(svg("title", {}, `${curve.label}: α* = ${curve.best.text}, ${percent(curve.best.value)}`));
      root.append(diamond);
    }
    dots.set(curve.key, svg("circle", { r: curve === focus ? 5.5 : 4, fill: curve.colour, class: "dot" }));
  }
  root.append(marker, ...dots.values());
  const move = (alpha) => {
    marker.setAttribute("x1", x(alpha));
    marker.setAttribute("x2", x(alpha));
    for (const curve of data.curves) {
      dots.get(curve.key).setAttribute("cx", x(alpha));
      dots.get(curve.key).setAttribute("cy", y(valueAt(curve, alpha)));
    }
  };
  const alphaOf = (event) => {
    const share = (event.clientX - root.getBoundingClientRect().left - MARGIN.left) / (width - MARGIN.left - MARGIN.right);
    return left + (right - left) * Math.min(1, Math.max(0, share));
  };
  return { root, move, alphaOf };
}

// Each point is a comparison of a true caption with a foil; those above the line through the origin with slope alpha are won.
function drawPlane(plane, alpha) {
  const size = 300;
  const pad = 34;
  const scale = plane.reach;
  const at = (value) => pad + ((value + scale) / (2 * scale)) * (size - pad - 8);
  const root = svg("svg", { viewBox: `0 0 ${size} ${size}`, class: "plane", role: "img", "aria-label": plane.alt });
  const flip = (value) => size - at(value);
  const area = svg("path", { class: "won" });
  root.append(area);
  root.append(svg("line", { x1: at(-scale), x2: at(scale), y1: flip(0), y2: flip(0), class: "grid" }));
  root.append(svg("line", { x1: at(0), x2: at(0), y1: flip(-scale), y2: flip(scale), class: "grid" }));
  const dots = plane.points.map(([px, py]) => {
    const clip = (value) => Math.max(-scale, Math.min(scale, value));
    return svg("circle", { cx: at(clip(px)).toFixed(1), cy: flip(clip(py)).toFixed(1), r: 2.4 });
  });
  root.append(...dots);
  const line = svg("line", { class: "marker" });
  root.append(line);
  root.append(svg("text", { x: size - 8, y: size - 6, class: "tick", "text-anchor": "end" }, "prior: truth likelier →"));
  root.append(svg("text", { x: at(-scale), y: size - 6, class: "tick" }, "← foil likelier"));
  root.append(svg("text", { transform: `translate(11 ${size / 2 - 10}) rotate(-90)`, class: "tick", "text-anchor": "middle" }, "with the image: truth likelier →"));
  const move = (value) => {
    const clipped = Math.min(1, 1 / Math.max(value, 1e-9)) * scale;
    line.setAttribute("x1", at(-clipped));
    line.setAttribute("x2", at(clipped));
    line.setAttribute("y1", flip(-clipped * value));
    line.setAttribute("y2", flip(clipped * value));
    area.setAttribute("d", `M${at(-clipped)},${flip(-clipped * value)}L${at(clipped)},${flip(clipped * value)}L${at(scale)},${flip(scale)}L${at(-scale)},${flip(scale)}L${at(-scale)},${flip(-clipped * value)}Z`);
    plane.points.forEach(([px, py], i) => dots[i].setAttribute("class", py - value * px > 0 ? "right" : "wrong"));
  };
  move(alpha);
  return { root, move };
}

function drawTable(data) {
  const table = element("table");
  const head = table.createTHead().insertRow();
  for (const [text, tip] of [["", ""], ["at α", "The exact share of right items at this α"], ["since 0", "Percentage points since α = 0"], ["won", "Wrong at α = 0, right here"], ["lost", "Right at α = 0, wrong here"]]) {
    const cell = element("th", "", text);
    cell.title = tip;
    head.append(cell);
  }
  const body = table.createTBody();
  const lines = data.curves.map((curve) => {
    const row = body.insertRow();
    row.dataset.curve = curve.key;
    if (curve.key === data.focus) row.className = "focus";
    const name = element("th");
    const sample = svg("svg", { width: 24, height: 10, class: "sample" });
    sample.append(svg("line", { x1: 1, x2: 23, y1: 5, y2: 5, stroke: curve.colour, "stroke-width": 2.6, "stroke-dasharray": curve.dash || "none" }));
    name.append(sample, element("span", "", curve.label));
    const cells = ["value", "change", "won", "lost"].map((role) => element("td", role));
    row.append(name, ...cells);
    return { curve, cells };
  });
  const move = (alpha) => {
    for (const { curve, cells } of lines) {
      const value = valueAt(curve, alpha);
      const [won, lost] = flips(curve, alpha);
      cells[0].textContent = percent(value);
      cells[1].textContent = value === null ? "–" : points(value - valueAt(curve, 0));
      cells[2].textContent = `▲ ${won}`;
      cells[3].textContent = `▼ ${lost}`;
    }
  };
  return { table, move };
}

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  const root = parentElement.querySelector("#debias");
  const held = root.dataset.alpha === undefined || root.dataset.signature !== data.signature ? data.alpha : Number(root.dataset.alpha);
  root.dataset.signature = data.signature;
  const [left, right] = data.domain;
  const chart = element("div", "chart");
  const { table, move: moveTable } = drawTable(data);
  const side = element("div", "side");
  side.append(table);
  const plane = data.plane ? drawPlane(data.plane, held) : null;
  if (plane) {
    const figure = element("figure");
    figure.append(element("figcaption", "", data.plane.title), plane.root);
    side.append(figure);
  }
  const slider = element("div", "slider");
  const label = element("label", "", "α");
  const input = element("input");
  Object.assign(input, { type: "range", min: left, max: right, step: 0.001, value: held, id: "alpha" });
  input.setAttribute("aria-label", "α, the share of the language prior that is taken away");
  label.htmlFor = "alpha";
  const readout = element("output");
  slider.append(label, input, readout);
  const focus = data.curves.find((curve) => curve.key === data.focus) || data.curves[0];
  const jumps = [["0", 0], ...(focus && focus.best ? [["α*", focus.best.alpha]] : []), ["1", 1]];
  for (const [name, value] of jumps) {
    const button = element("button", "", name);
    button.type = "button";
    button.title = `Set α to ${value.toFixed(3)}`;
    button.onclick = () => { move(value); release(); };
    slider.append(button);
  }
  root.replaceChildren(chart, side, slider);

  let alpha = held;
  let curves = null;
  function move(value) {
    alpha = value;
    root.dataset.alpha = String(value);
    input.value = String(value);
    readout.textContent = value.toFixed(3);
    if (curves) curves.move(value);
    if (plane) plane.move(value);
    moveTable(value);
  }
  function release() {
    setStateValue("alpha", alpha);
  }
  input.oninput = () => move(Number(input.value));
  input.onchange = release;
  function redraw() {
    curves = drawCurves(data, Math.max(300, Math.floor(chart.clientWidth)));
    chart.replaceChildren(curves.root);
    curves.root.onpointerdown = (event) => {
      curves.root.setPointerCapture(event.pointerId);
      move(curves.alphaOf(event));
      curves.root.onpointermove = (moved) => move(curves.alphaOf(moved));
    };
    curves.root.onpointerup = () => {
      curves.root.onpointermove = null;
      release();
    };
    move(alpha);
  }
  redraw();
  const watcher = new ResizeObserver(() => {
    if (curves && Math.abs(Number(curves.root.getAttribute("width")) - chart.clientWidth) > 2) redraw();
  });
  watcher.observe(chart);
  return () => watcher.disconnect();
}
