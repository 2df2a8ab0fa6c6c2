// A line a concept: its rate as a dot with its interval, chance as a tick, on a scale from 0 to 100 %. A line with a
// beginning goes from one rate to another. All texts arrive as data and are set as text.
import { button, element } from "../shared/drawing/dom.js";
import { pointed } from "../shared/drawing/pointed.js";

function at(className, left) {
  const node = element("i", className);
  node.style.left = `${left}%`;
  return node;
}

function between(className, low, high) {
  const node = at(className, Math.min(low, high));
  node.style.width = `${Math.abs(high - low)}%`;
  return node;
}

function track(of) {
  const node = element("span", "track");
  if (of.chance !== null) node.append(at("chance", of.chance));
  if (of.before !== null) node.append(between("way", of.before, of.value), at("before", of.before));
  if (of.low !== null && of.high !== null) node.append(between("ends", of.low, of.high));
  const dot = at(of.sign === "○" ? "dot open" : "dot", of.value);
  dot.style.setProperty("--colour", of.colour);
  node.append(dot);
  return node;
}

function line(of, send) {
  const node = button(undefined, () => send(of.key), { className: "line" });
  node.dataset.tip = of.tip;
  node.dataset.line = of.key;
  node.setAttribute("aria-label", of.tip);
  const name = element("span", "name", of.label);
  name.append(element("small", "", of.sub));
  node.append(name, track(of), element("b", "", of.text + (of.sign ? `\u2009${of.sign}` : "")));
  return node;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const box = parentElement.querySelector("#lines");
  const { tip } = pointed(box);
  const held = box.getRootNode().activeElement?.dataset?.line;
  const figure = element("div", "figure");
  figure.setAttribute("role", "group");
  figure.setAttribute("aria-label", data.caption);
  let group = "";
  for (const of of data.lines) {
    if (of.group && of.group !== group) figure.append(element("h4", "", of.group));
    group = of.group;
    figure.append(line(of, (key) => setTriggerValue("opened", key)));
  }
  const axis = element("div", "axis");
  const scale = element("span", "scale");
  for (const value of [0, 25, 50, 75, 100]) {
    const tick = at("tick", value);
    tick.append(element("small", "", value === 100 ? "100 %" : String(value)));
    scale.append(tick);
  }
  axis.append(element("span"), scale, element("span"));
  figure.append(axis);
  box.replaceChildren(figure, tip);
  if (held) [...box.querySelectorAll(".line")].find((node) => node.dataset.line === held)?.focus({ preventScroll: true });
}
