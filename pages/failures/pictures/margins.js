// The histogram of margins as a filter: a drag over bars, or a click on one, chooses them; so do the arrow keys with Enter.
// Every number arrives as data; what is not listed because of another choice is drawn faint.
import { clamp, element, plain, svg, taken, whole } from "../../shared/drawing/dom.js";

const WIDE = 600;
const HIGH = 62;

const said = (data, k) => {
  const last = data.right.length - 1;
  const [low, high] = [data.edges[k], data.edges[k + 1]].map((edge) => plain(edge, data.digits));
  const where = k === 0 ? `margin up to ${high}` : k === last ? `margin above ${low}` : `margin ${low} to ${high}`;
  const near = data.near.length && data.wrong[k] ? `, ${whole(data.near[k])} of these near misses` : "";
  return `${where}: ${whole(data.wrong[k])} wrong${near}, ${whole(data.right[k])} right`;
};

function picture(box, data, state) {
  const n = data.right.length;
  const step = WIDE / n;
  const most = Math.max(1, ...data.right.map((count, k) => count + data.wrong[k]));
  // The square root: few beside many stay in sight.
  const tall = (count) => (count ? Math.max(1.5, HIGH * Math.sqrt(count / most)) : 0);
  const root = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", class: "bars", "aria-hidden": "true" });
  const [from, to] = state.drag ?? data.chosen ?? [0, n - 1];
  for (let k = 0; k < n; k += 1) {
    const all = data.right[k] + data.wrong[k];
    const top = tall(all);
    const wrong = all ? (top * data.wrong[k]) / all : 0;
    const near = all && data.near_drawn ? (top * (data.near[k] ?? 0)) / all : 0;
    const off = k < from || k > to ? " off" : "";
    const missed = `${data.show === "right" ? " unlisted" : ""}${off}`;
    const at = { x: k * step + 0.5, width: step - 1 };
    root.append(
      svg("rect", { ...at, y: HIGH - wrong + near, height: wrong - near, class: `wrong${missed}` }),
      svg("rect", { ...at, y: HIGH - wrong, height: near, class: `near${missed}` }),
      svg("rect", { ...at, y: HIGH - top, height: Math.max(0, top - wrong), class: `right${data.show === "wrong" ? " unlisted" : ""}${off}` }),
    );
  }
  const zero = data.zero * step;
  root.append(svg("line", { x1: zero, x2: zero, y1: 0, y2: HIGH, class: "zero", "vector-effect": "non-scaling-stroke" }));
  root.append(svg("line", { x1: 0, x2: WIDE, y1: HIGH, y2: HIGH, class: "base", "vector-effect": "non-scaling-stroke" }));
  if (state.drag || data.chosen) {
    root.append(svg("rect", { x: from * step, y: 0, width: (to - from + 1) * step, height: HIGH, class: "brush", "vector-effect": "non-scaling-stroke" }));
  }
  if (state.at !== null) root.append(svg("rect", { x: state.at * step, y: 0, width: step, height: HIGH, class: "cursor", "vector-effect": "non-scaling-stroke" }));
  const old = box.querySelector("svg");
  if (old) old.replaceWith(root);
  else box.querySelector(".stage").prepend(root);
  const placed = box.querySelector(".zero-label");
  placed.style.left = `clamp(2.6rem, ${(100 * data.zero) / n}%, 100% - 2.6rem)`;
  // The words at an end give way to those of zero.
  box.querySelector(".low").classList.toggle("under", data.zero / n < 0.2);
  box.querySelector(".high").classList.toggle("under", data.zero / n > 0.8);
  for (const name of [".legend", ".nearly"]) box.querySelector(name).hidden = state.at !== null;
  box.querySelector(".told").textContent = state.at === null ? data.told : said(data, state.at);
  box.querySelector(".clear").hidden = !data.chosen;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const box = parentElement.querySelector("#margins");
  const n = data.right.length;
  const state = (box.state ??= { at: null, drag: null });
  state.drag = null;
  if (state.at !== null) state.at = clamp(state.at, 0, n - 1);
  const send = (first, last) => setTriggerValue("brushed", `${Math.min(first, last)} ${Math.max(first, last)}`);
  const clear = () => setTriggerValue("brushed", "all");
  const stage = box.querySelector(".stage");
  const redraw = () => picture(box, data, state);
  box.querySelector(".low").textContent = `≤ ${plain(data.edges[1], data.digits)}`;
  box.querySelector(".high").textContent = `> ${plain(data.edges[n - 1], data.digits)}`;
  box.querySelector(".clear").onclick = clear;
  box.querySelector(".legend").replaceChildren(...data.legend.map((of) => {
    const words = element("span", "", of.words);
    words.prepend(element("i", `swatch ${of.part}`));
    if (of.tip) words.title = of.tip;
    return words;
  }));
  const nearly = box.querySelector(".nearly");
  nearly.textContent = data.near_said;
  nearly.title = data.near_tip;
  stage.setAttribute("aria-label", `${data.alt} ${data.told}`);
  const bar = (event) => {
    const place = stage.getBoundingClientRect();
    return clamp(Math.floor((n * (event.clientX - place.left)) / place.width), 0, n - 1);
  };
  let from = null;
  stage.onpointerdown = (event) => {
    if (event.button) return;
    state.byKeys = false;
    from = bar(event);
    state.drag = [from, from];
    stage.setPointerCapture?.(event.pointerId);
    redraw();
  };
  stage.onpointermove = (event) => {
    state.byKeys = false;
    state.at = bar(event);
    if (from !== null) state.drag = [Math.min(from, state.at), Math.max(from, state.at)];
    redraw();
  };
  stage.onpointerup = (event) => {
    if (from === null) return;
    const [first, last] = [from, bar(event)];
    from = null;
    const again = data.chosen && first === last && data.chosen[0] === first && data.chosen[1] === first;
    if (again) clear();
    else send(first, last);
  };
  stage.onpointercancel = () => {
    from = null;
    state.drag = null;
    redraw();
  };
  stage.onpointerleave = () => {
    if (from !== null || state.byKeys) return; // a bar that the pointer went to is told of while it is there alone
    state.at = null;
    redraw();
  };
  // By keys: arrows go from bar to bar, with Shift they take bars in, Enter chooses, Delete takes the choice back.
  stage.onkeydown = (event) => {
    const now = state.at ?? data.zero - 1;
    const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: n - 1 }[event.key];
    if (to !== undefined) {
      const next = state.at === null ? clamp(now, 0, n - 1) : clamp(to, 0, n - 1);
      if (event.shiftKey) {
        state.anchor ??= now;
        state.drag = [Math.min(state.anchor, next), Math.max(state.anchor, next)];
      } else {
        state.anchor = null;
        state.drag = null;
      }
      state.at = next;
      state.byKeys = true;
      redraw();
    } else if (event.key === "Enter" && state.at !== null) {
      const [first, last] = state.drag ?? [state.at, state.at];
      state.anchor = null;
      send(first, last);
    } else if (event.key === "Delete" || event.key === "Backspace") clear();
    else return;
    taken(event);
  };
  stage.onblur = () => {
    state.at = null;
    state.drag = null;
    redraw();
  };
  redraw();
}
