// The losses on one quad, live: the four scores, the plane of reasons with a path for each loss, and a table. Nothing here
// asks the server; it hears of the scores and settings once they are let go, to keep them in the address.
import { button, clamp, element, onResize, slider } from "../../shared/drawing/dom.js";
import { partsOf } from "./losses.js";
import { drawPlane } from "./plane.js";
import { brief, drawQuad } from "./quad.js";
import { everything, judged } from "./steps.js";
import { drawTable } from "./table.js";

const PARTS_SAID = [["gamma", "γ", "binding"], ["c", "c", "caption bias"], ["r", "r", "image bias"], ["mu", "μ", "mean of the four"]];

// The parts that are open: kept here, for a busy page may put a new root in place of the old one.
const opened = new Set();

// Radio buttons side by side. options: [value, label].
function choice(name, label, options, pick) {
  const root = element("fieldset");
  root.append(element("legend", "", label));
  const inputs = options.map(([value, said]) => {
    const each = element("label");
    const input = element("input");
    Object.assign(input, { type: "radio", name, value });
    input.onchange = () => pick(value);
    each.append(input, element("span", "", said));
    root.append(each);
    return input;
  });
  return { root, move: (value) => inputs.forEach((input) => (input.checked = input.value === value)) };
}

// A number that is typed, inside its limits.
function typed(id, label, tip, [low, high], step, set) {
  const root = element("label", "typed", label);
  const input = element("input");
  Object.assign(input, { type: "number", id, min: low, max: high, step });
  root.title = tip;
  root.append(input);
  let now = 0;
  input.onchange = () => {
    set(Number.isFinite(input.valueAsNumber) ? clamp(input.valueAsNumber, low, high) : now);
    input.value = now;
  };
  return {
    root,
    move: (value) => {
      now = value;
      if (input.getRootNode().activeElement !== input) input.value = value;
    },
  };
}

function build(root, data, tell) {
  const { losses, norms } = data.looks;
  const state = { ...data.now };
  let hovered = null;
  let timer = 0;
  let waiting = 0;
  let found = [];

  const settle = () => {
    clearTimeout(timer);
    timer = setTimeout(() => tell({ ...state, version: data.version }), 350);
  };
  // At once, but while something is dragged at most once a frame.
  const change = (changes, isDone = true) => {
    Object.assign(state, changes);
    if (isDone) {
      paint();
      settle();
    } else {
      waiting ||= requestAnimationFrame(paint);
    }
  };
  const choose = (loss) => change({ loss });
  // A part that is one click away, and stays as it was left when the picture is built anew for another quad.
  const folded = (name, label, ...inside) => {
    const box = element("details", name);
    box.open = opened.has(name);
    box.ontoggle = () => opened[box.open ? "add" : "delete"](name);
    box.append(element("summary", "", label), ...inside);
    return box;
  };
  const hover = (loss) => {
    if (hovered === loss) return;
    hovered = loss;
    mark();
  };
  const decimals = data.kind === "itc" ? 6 : 5;
  const rounded = (scores) => scores.map((value) => Number(clamp(value, ...data.bounds).toFixed(decimals)));

  const quad = drawQuad(data, (k, value, isDone = false) => change({ scores: state.scores.map((old, at) => (at === k ? value : old)) }, isDone));
  const plane = drawPlane(data, { hover, choose, moved: (scores, isDone) => change({ scores: rounded(scores) }, isDone) });
  const table = drawTable(data, { hover, choose });

  const together = choice("together", "Steps go down", [["alone", "each loss alone"], ["added", "retrieval + the loss"]], (value) => change({ together: value === "added" }));
  together.root.title = "As recipes train: the loss is added to retrieval, EqSim's with its weight β";
  const norm = element("label", "typed", "EqSim compares");
  const select = element("select");
  for (const [value, said] of norms) select.append(Object.assign(element("option", "", said), { value }));
  select.onchange = () => change({ norm: select.value });
  norm.append(select);
  const margin = slider("margin", "binding's margin m", { min: 0, max: data.limits.margin[1] / 2.5, step: data.limits.margin[1] / 500, value: state.margin });
  const marginSaid = element("output");
  margin.input.oninput = () => change({ margin: Number(margin.input.value) }, false);
  margin.input.onchange = () => change({ margin: Number(margin.input.value) });
  const marginRow = element("div", "margin-row");
  marginRow.append(margin.name, margin.input, marginSaid);

  const numbers = {
    scale: typed("scale", "logit scale", "logits are scale × cosine", data.limits.scale, "any", (scale) => change({ scale })),
    alpha: typed("alpha", "EqSim's α", "a squared difference below it costs nothing; the paper has 0, 0.04 and 0.1", data.limits.alpha, 0.01, (alpha) => change({ alpha })),
    beta: typed("beta", "EqSim's β", "its weight beside the retrieval loss; the paper has 0.2, 0.5 and 1", data.limits.beta, 0.1, (beta) => change({ beta })),
    length: typed("length", "step", `how far each step goes, over all four scores together (${data.unit})`, data.limits.length, data.limits.length[0], (length) => change({ length })),
    steps: typed("steps", "steps", "how many steps each path has", data.limits.steps, 1, (steps) => change({ steps: Math.round(steps) })),
  };
  const controls = element("div", "controls");
  controls.append(together.root, norm, marginRow);
  for (const [name, each] of Object.entries(numbers)) {
    if (name !== "scale" || data.kind === "itc") controls.append(each.root);
  }
  const more = folded("more", "More: what the steps go down, EqSim's and binding's settings", controls);
  const allLosses = folded("losses", "Every loss in numbers: its value, its pulls, what it asks, where it leads", table.root);

  const verdict = element("p", "verdict");
  verdict.setAttribute("role", "status");
  const parts = element("dl", "parts");
  const values = PARTS_SAID.map(([name, sign, what]) => {
    const pair = element("div");
    const value = element("dd");
    value.dataset.part = name;
    pair.append(element("dt", "", `${sign} ${what}`), value);
    parts.append(pair);
    return value;
  });
  const walk = (steps) => {
    const { path } = found.find((each) => each.name === state.loss);
    change({ scores: rounded(path[Math.min(steps, path.length - 1)]) });
  };
  const buttons = element("div", "buttons");
  const of = element("label", "of", "of");
  const loss = element("select");
  loss.setAttribute("aria-label", "the loss whose steps are taken, and whose pulls the arrows are");
  for (const look of losses) loss.append(Object.assign(element("option", "", look.name), { value: look.id }));
  loss.onchange = () => choose(loss.value);
  of.append(loss);
  const one = button("take 1 step", () => walk(1));
  const all = button("", () => walk(state.steps));
  const again = button("start again", () => change({ scores: [...data.base] }), { title: "The four scores that this quad began with" });
  buttons.append(one, all, of, again);
  const formula = element("p", "formula");

  const left = element("div", "left");
  left.append(quad.root, verdict, parts, buttons);
  root.replaceChildren(left, plane.root, formula, more, allLosses);

  function mark() {
    for (const node of root.querySelectorAll("[data-loss]")) node.classList.toggle("hovered", node.dataset.loss === hovered);
    root.classList.toggle("hovering", hovered !== null);
    const look = losses.find((each) => each.id === (hovered || state.loss));
    const isAdded = state.together && look.id !== "retrieval";
    const weight = ["v1", "v2", "both"].includes(look.id) ? "β · " : "";
    const [, , how] = data.looks.norms.find(([id]) => weight && id === state.norm) || ["", "", ""];
    const law = how ? look.of_p : look.formula;
    formula.replaceChildren(element("b", "", look.name), element("span", "", ` L = ${isAdded ? "L_retrieval + " + weight : ""}${law}`), element("br"), element("span", "", `${look.what} ${how}`));
  }

  function paint() {
    cancelAnimationFrame(waiting);
    waiting = 0;
    const { scores } = state;
    found = everything(scores, { ...state, kind: data.kind });
    const said = judged(scores);
    const chosen = found.find((each) => each.name === state.loss);
    const look = losses.find((each) => each.id === state.loss);
    quad.move(scores, chosen.pulls, look.colour, chosen.path.length < 2);
    plane.move(scores, found, losses, state.loss, state.margin, said);
    table.move(found, state.loss, state.steps);
    loss.value = state.loss;
    const chips = [["text", said.text], ["image", said.image], ["group", said.group]].map(([name, right]) => element("span", `chip ${right ? "right" : "wrong"}`, `${name} ${right ? "✓" : "✗"}`));
    verdict.replaceChildren(...chips, element("b", "", data.names[said.cell]));
    const at = partsOf(scores);
    values.forEach((node, k) => (node.textContent = brief(at[PARTS_SAID[k][0]], k < 3)));
    together.move(state.together ? "added" : "alone");
    select.value = state.norm;
    margin.input.value = state.margin;
    marginSaid.textContent = brief(state.margin);
    for (const [name, each] of Object.entries(numbers)) each.move(state[name]);
    one.title = all.title = `Down ${look.name}: the arrows at the scores`;
    all.textContent = `take ${state.steps}`;
    one.disabled = all.disabled = chosen.path.length < 2;
    again.disabled = scores.every((value, k) => value === data.base[k]);
    mark();
  }
  paint();
  const unwatch = onResize(quad.root, () => paint());
  const stop = () => {
    clearTimeout(timer);
    cancelAnimationFrame(waiting);
    unwatch();
  };
  return { version: data.version, stop };
}

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  const root = parentElement.querySelector("#what-if");
  const live = root.live;
  const tell = live ? live.tell : {};
  tell.at = (state) => setStateValue("at", state);
  // The server draws again whenever something was let go: what is already there stays, under the hand.
  if (!live || live.version !== data.version) {
    if (live) live.stop();
    root.live = { ...build(root, data, (state) => tell.at(state)), tell };
  }
  return () => {
    if (!root.isConnected) root.live.stop();
  };
}
