// The card of the guided first visit. What the browser remembers: {"state": "left" | "done" | "at", "step": n}.
import { button, element } from "../shared/drawing/dom.js";

const PLACE = "flipside-tour";

function recall() {
  try {
    return JSON.parse(localStorage.getItem(PLACE)) ?? {};
  } catch {
    return {};
  }
}

function keep(state, step) {
  try {
    localStorage.setItem(PLACE, JSON.stringify({ state, step }));
  } catch {
    // A browser that keeps nothing asks again next time.
  }
}

// The first element of a selector, wherever it stands: components draw inside shadow roots.
function find(root, selector) {
  for (const node of root?.querySelectorAll("*") ?? []) {
    if (node.matches(selector)) return node;
    const found = node.shadowRoot && find(node.shadowRoot, selector);
    if (found) return found;
  }
  return null;
}

// Room at the page's end while the card is there, so that its last lines can be scrolled out from under it.
function room(wanted) {
  document.querySelector('[data-testid="stMain"]')?.classList.toggle("fs-visit", wanted);
}

// Whether all of an element lies in the window and is not covered by the card, of a tall one its top.
function inSight(node, card) {
  const box = node.getBoundingClientRect();
  const over = card.getBoundingClientRect();
  const bottom = Math.min(box.bottom, box.top + 0.4 * innerHeight);
  const covered = box.right > over.left && box.left < over.right && bottom > over.top && box.top < over.bottom;
  return box.width && !covered && box.top >= 0 && bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth + 1;
}

// The header row that names a table's columns stays above its cells while the table is scrolled in its own box.
const headOf = (node) => node.closest("table")?.tHead ?? null;

// Whether the names above a cell are in sight, too; true of what stands in no table.
function named(node) {
  const head = headOf(node)?.getBoundingClientRect();
  return !head || (head.top >= 0 && head.bottom <= innerHeight);
}

// Scroll the box of a cell's table to the top of the window and the cell to its middle; anything else to the middle.
function bring(node, card) {
  const frame = headOf(node)?.closest("table").parentElement;
  if (frame) {
    frame.style.scrollMarginTop = "4.5rem";
    frame.scrollIntoView({ block: "start" });
    const [outer, inner] = [frame.getBoundingClientRect(), node.getBoundingClientRect()];
    frame.scrollTop += (inner.top + inner.bottom - outer.top - outer.bottom) / 2;
    frame.scrollLeft += (inner.left + inner.right - outer.left - outer.right) / 2;
    if (inSight(node, card)) return true;
  }
  node.scrollIntoView({ block: "center", inline: "center" });
  return !frame;
}

// Outline what a step speaks of, once it is there, and bring it into sight, in every box that scrolls around it. A page
// that is still drawn moves it away again, so this is looked after for some seconds, unless the reader scrolls.
function call(selector, isHere, card) {
  for (const old of document.querySelectorAll(".fs-called")) old.classList.remove("fs-called");
  if (!selector) return;
  let [waits, tries, quiet, byHand, both] = [400, 80, 0, false, true];
  const hand = () => { byHand = true; };
  for (const event of ["wheel", "touchmove", "pointerdown"]) addEventListener(event, hand, { once: true, passive: true });
  const look = () => {
    if (!isHere() || byHand || waits-- < 0 || tries < 0 || quiet > 12) return;
    setTimeout(look, 150);
    const found = find(document.querySelector('[data-testid="stMain"]'), selector);
    if (!found) return;
    tries -= 1;
    if (!found.classList.contains("fs-called")) found.classList.add("fs-called");
    quiet += 1;
    if (inSight(found, card) && (named(found) || !both)) return;
    quiet = 0;
    both = bring(found, card);
  };
  setTimeout(look, 250);
}

// Move the page's slider as a hand would, in about a second, and let it go. Whoever is quick presses before it is drawn.
function move(value, then, tries = 200) {
  const input = find(document, "input[type=range].slider, input[type=range]#slider");
  if (!input) return void (tries ? setTimeout(() => move(value, then, tries - 1), 150) : then());
  const [from, start, took] = [Number(input.value), performance.now(), 1100];
  const step = (now) => {
    const share = Math.min(1, (now - start) / took);
    input.value = String(from + (value - from) * share);
    input.dispatchEvent(new Event("input", { bubbles: true }));
    if (share < 1) return void requestAnimationFrame(step);
    input.dispatchEvent(new Event("change", { bubbles: true }));
    setTimeout(then, 700);
  };
  requestAnimationFrame(step);
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector("#tour");
  const memory = recall();
  const act = (what) => setTriggerValue("act", what);
  const before = root.dataset.step;
  root.dataset.step = String(data.step);
  const isHere = () => root.isConnected && root.dataset.step === String(data.step);
  const leave = (state) => {
    keep(state, data.step);
    root.replaceChildren();
    room(false);
    call("", isHere, root);
    act("leave");
  };
  const card = element("section", "card");
  card.setAttribute("aria-label", "Guided first visit");
  const declined = !data.step && (memory.state === "left" || memory.state === "done");
  room(!declined);

  if (!data.step) {
    if (declined) return root.replaceChildren();
    const resume = memory.state === "at" && memory.step > 1 && memory.step <= data.last ? memory.step : 0;
    card.append(element("p", "title", resume ? "Your first visit is not over" : "New here? Find a failure in 60 seconds"));
    card.append(element("p", "", resume ? `You were at step ${resume} of ${data.last}.` : `${data.last} steps through real results, a click each.`));
    const row = element("div", "row");
    row.append(button(resume ? "Go on" : "Show me", () => act(`go:${resume || 1}`), { className: "primary" }));
    if (resume) row.append(button("Start again", () => act("go:1")));
    row.append(button("No, thanks", () => leave("left"), { className: "quiet" }));
    card.append(row);
    root.replaceChildren(card);
    return;
  }

  const over = data.step > data.last;
  keep(over ? "done" : "at", data.step);
  const head = element("p", "title", over ? "Found" : `Step ${data.step} of ${data.last}`);
  const dots = element("span", "dots");
  dots.setAttribute("aria-hidden", "true");
  for (let n = 1; n <= data.last; n++) dots.append(element("i", n <= data.step ? "on" : ""));
  head.append(dots);
  const words = element("p", "", data.text);
  words.setAttribute("role", "status");
  const row = element("div", "row");
  const forward = () => {
    if (over) return leave("done");
    main.disabled = true;
    if (data.alpha === null || data.alpha === undefined) return act(`go:${data.step + 1}`);
    move(data.alpha, () => act(`go:${data.step + 1}`));
  };
  const main = button(data.button, forward, { className: "primary" });
  row.append(main);
  if (data.step > 1) row.append(button("Back", () => act(`go:${data.step - 1}`)));
  if (!over) row.append(button("Skip", () => leave("left"), { className: "quiet" }));
  card.append(head, words, row);
  root.replaceChildren(card);
  if (before !== root.dataset.step) {
    main.focus({ preventScroll: true });
    call(data.look, isHere, card);
  }
}
