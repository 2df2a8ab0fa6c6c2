// Occlusion maps: the image under cells of heat. The maps are linked: the cell under the pointer is told for all.
import { along, css, element, slider, svg, taken } from "../shared/drawing/dom.js";

const place = ([left, top, right, bottom]) => ({ x: left, y: top, width: right - left, height: bottom - top });

function drawMap(data, map, point) {
  const figure = element("figure");
  figure.append(element("figcaption", "title", map.title));
  const frame = element("div", "frame");
  frame.style.aspectRatio = `${data.width} / ${data.height}`;
  const image = element("img");
  image.src = data.picture;
  image.alt = "";
  const root = svg("svg", { viewBox: `0 0 ${data.width} ${data.height}`, preserveAspectRatio: "none", tabindex: 0, role: "img", "aria-label": `${map.alt}. Arrow keys walk from cell to cell.` });
  const heat = svg("g", { class: "heat" });
  const numbers = svg("g", { class: "numbers", "aria-hidden": "true" });
  const size = Math.min(data.width / data.columns / 3.1, data.height / data.rows / 2);
  map.values.forEach((value, k) => {
    const box = data.boxes[k];
    const fill = value === null ? "transparent" : css(along(map.scale, map.high > map.low ? (value - map.low) / (map.high - map.low) : 0.5));
    const cell = svg("rect", { ...place(box), fill, "data-cell": k });
    cell.onpointerenter = () => point(k);
    heat.append(cell);
    if (value !== null) {
      const number = svg("text", { x: (box[0] + box[2]) / 2, y: (box[1] + box[3]) / 2, "font-size": size });
      number.textContent = map.says[k].replace(/^([+−]?)0\./, "$1.");
      numbers.append(number);
    }
  });
  const patch = svg("rect", { class: "patch", visibility: "hidden" });
  const cell = svg("rect", { class: "cell", visibility: "hidden" });
  root.append(heat, numbers, patch, cell);
  frame.append(image, root);
  const legend = element("figcaption", "legend");
  const ramp = element("i", "ramp");
  ramp.style.background = `linear-gradient(90deg, ${map.scale.join(",")})`;
  if (map.high > map.low && map.low < 0 && map.high > 0) {
    const zero = element("b", "zero");
    zero.style.left = `${(100 * -map.low) / (map.high - map.low)}%`;
    zero.title = "0";
    ramp.append(zero);
  }
  legend.append(ramp, element("span", "", map.range));
  figure.append(frame, legend);
  const mark = (k) => {
    for (const [node, boxes] of [[patch, data.patches], [cell, data.boxes]]) {
      node.setAttribute("visibility", k === null ? "hidden" : "visible");
      if (k !== null) for (const [name, value] of Object.entries(place(boxes[k]))) node.setAttribute(name, value);
    }
  };
  return { figure, root, heat, numbers, mark };
}

export default function (component) {
  const { data, parentElement } = component;
  const root = parentElement.querySelector("#occlusion");
  const told = element("output", "told", "Point at a cell, or walk with the arrow keys, for its number; the outline is what was covered.");
  told.setAttribute("aria-live", "polite");
  let at = null;
  const maps = data.maps.map((map) => drawMap(data, map, point));
  function point(k) {
    at = k;
    for (const map of maps) map.mark(k);
    const [row, column] = [Math.floor(k / data.columns) + 1, (k % data.columns) + 1];
    const parts = data.maps.map((map) => `${map.title} ${map.says[k]}`);
    told.textContent = `Row ${row}, column ${column} covered: ${parts.join(" · ")} (${data.unit})`;
  }
  for (const map of maps) {
    map.root.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -data.columns, ArrowDown: data.columns }[event.key];
      if (!step) return;
      taken(event);
      const next = at === null ? 0 : at + step;
      if (next >= 0 && next < data.boxes.length) point(next);
    });
  }
  const tools = element("div", "tools");
  const { name, input: heat } = slider("heat", "heat", { min: 0, max: 1, step: 0.05, value: root.dataset.heat || 0.65 });
  heat.oninput = () => {
    root.dataset.heat = heat.value;
    for (const map of maps) map.heat.setAttribute("opacity", heat.value);
  };
  const numbersLabel = element("label", "check", "");
  const numbers = element("input");
  Object.assign(numbers, { type: "checkbox", id: "numbers", checked: root.dataset.numbers === "true" });
  numbersLabel.append(numbers, "numbers in the cells");
  numbers.onchange = () => {
    root.dataset.numbers = String(numbers.checked);
    for (const map of maps) map.numbers.setAttribute("visibility", numbers.checked ? "visible" : "hidden");
  };
  tools.append(name, heat, numbersLabel);
  const row = element("div", "maps");
  row.append(...maps.map((map) => map.figure));
  root.replaceChildren(tools, row, told);
  heat.oninput();
  numbers.onchange();
}
