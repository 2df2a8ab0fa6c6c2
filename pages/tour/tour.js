// The card of the guided first visit. What the browser remembers: {"state": "left" | "done" | "at", "step": n, "places":
// {step: address}}.
import { button, element } from "../shared/drawing/dom.js";

const PLACE = "flipside-tour";

function recall() {
  try {
    return JSON.parse(localStorage.getItem(PLACE)) ?? {};
  } catch {
    return {};
  }
}

function keep(what) {
  try {
    localStorage.setItem(PLACE, JSON.stringify(what));
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
// atTop: to the top of the window, too, for what stands below it has to be seen with it.
function bring(node, card, atTop) {
  const frame = headOf(node)?.closest("table").parentElement;
  if (frame) {
    frame.style.scrollMarginTop = "4.5rem";
    frame.scrollIntoView({ block: "start" });
    const [outer, inner] = [frame.getBoundingClientRect(), node.getBoundingClientRect()];
    frame.scrollTop += (inner.top + inner.bottom - outer.top - outer.bottom) / 2;
    frame.scrollLeft += (inner.left + inner.right - outer.left - outer.right) / 2;
    if (inSight(node, card)) return true;
  }
  node.style.scrollMarginTop = "5rem";
  node.scrollIntoView({ block: atTop ? "start" : "center", inline: "center" });
  return !frame;
}

// The card moves to the other corner where it would lie on what it speaks of.
function aside(node) {
  const holder = document.querySelector('[data-testid="stLayoutWrapper"]:has(> .st-key-fs-tour)');
  if (!holder) return;
  const box = node.getBoundingClientRect();
  const right = box.left + box.width / 2 < innerWidth / 2;
  holder.style.right = right ? "" : "auto";
  const main = document.querySelector('[data-testid="stMain"]').getBoundingClientRect();
  holder.style.left = right ? "" : `${main.left + 22}px`;
}

// Whether what is shown is the offer, which on a narrow window stands above the page instead of over it (style.css).
function offers(is) {
  document.querySelector('[data-testid="stLayoutWrapper"]:has(> .st-key-fs-tour)')?.classList.toggle("fs-offer", is);
}

// Whether the card lies beside a node, not on it; of nothing it does.
function apart(node, card) {
  const [box, over] = [node?.getBoundingClientRect(), card.getBoundingClientRect()];
  return !box?.width || box.right <= over.left || box.left >= over.right || box.bottom <= over.top || box.top >= over.bottom;
}

// Outline what a step speaks of, once it is there, and bring it into sight, in every box that scrolls around it. A page
// that is still drawn moves it away again, so this is looked after for some seconds, unless the reader scrolls.
// clear: a selector of what belongs to it and the card may not cover either, as long as the window has room for both.
function call(selector, isHere, card, clear = "") {
  for (const old of document.querySelectorAll(".fs-called")) old.classList.remove("fs-called");
  if (!selector) return;
  let [waits, tries, quiet, missed, byHand, both] = [400, 80, 0, 0, false, true];
  const hand = () => { byHand = true; };
  for (const event of ["wheel", "touchmove", "pointerdown"]) addEventListener(event, hand, { once: true, passive: true });
  const look = () => {
    if (!isHere() || byHand || waits-- < 0 || tries < 0 || quiet > 12) return;
    setTimeout(look, 150);
    const main = document.querySelector('[data-testid="stMain"]');
    const found = find(main, selector);
    if (!found) return;
    tries -= 1;
    if (!found.classList.contains("fs-called")) found.classList.add("fs-called");
    quiet += 1;
    const isSeen = inSight(found, card) && (named(found) || !both);
    const isClear = !clear || missed > 4 || apart(find(main, clear), card);
    if (isSeen && isClear) return;
    quiet = 0;
    missed += 1;
    if (missed === 2 && !isSeen) aside(found);
    both = bring(found, card, Boolean(clear));
  };
  setTimeout(look, 250);
}

// What the visitor clicks on the page instead of the card's button: seen before the page itself does anything with it.
function watch(root, selector, picked) {
  root.unwatch?.();
  root.unwatch = undefined;
  if (!selector) return;
  const found = (event) => event.composedPath().find((node) => node.matches?.(selector));
  const hear = (event) => {
    if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
    const node = root.isConnected && found(event);
    if (!node) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    picked(node);
  };
  for (const type of ["click", "keydown"]) document.addEventListener(type, hear, true);
  root.unwatch = () => {
    for (const type of ["click", "keydown"]) document.removeEventListener(type, hear, true);
  };
}

async function toClipboard(text, shown) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection()?.selectAllChildren(shown);
    return document.execCommand("copy");
  }
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
    keep({ state });
    root.replaceChildren();
    room(false);
    offers(false);
    watch(root, "");
    call("", isHere, root);
    act("leave");
  };
  const card = element("section", data.step ? "card" : "card offer");
  card.setAttribute("aria-label", "Guided first visit");
  const declined = !data.step && (memory.state === "left" || memory.state === "done");
  room(!declined);
  watch(root, "");
  offers(!data.step && !declined);

  if (!data.step) {
    if (declined) return root.replaceChildren();
    const resume = memory.state === "at" && memory.step > 1 && memory.step <= data.last ? memory.step : 0;
    card.append(element("p", "title", resume ? "Your first visit is not over" : "New here? Five clicks to a finding of your own"));
    card.append(element("p", "", resume ? `You were at click ${resume + 1} of ${data.clicks}.` : "On results that are here, of a benchmark that the visit chooses, and yours to copy at the end."));
    const row = element("div", "row");
    row.append(button(resume ? "Go on" : "Show me", () => act(resume ? `to:${resume}:${memory.places?.[resume] ?? ""}` : "go:1"), { className: "primary" }));
    if (resume) row.append(button("Start again", () => act("go:1")));
    row.append(button("No, thanks", () => leave("left"), { className: "quiet" }));
    card.append(row);
    root.replaceChildren(card);
    return;
  }

  const places = { ...memory.places, [data.step]: location.search };
  keep({ state: "at", step: data.step, places });
  const title = element("p", "title", `Click ${data.step + 1} of ${data.clicks}`);
  const dots = element("span", "dots");
  dots.setAttribute("aria-hidden", "true");
  for (let n = 1; n <= data.clicks; n++) dots.append(element("i", n <= data.step ? "on" : ""));
  title.append(dots);
  const words = element("p", "", data.text);
  words.setAttribute("role", "status");
  card.append(title, words);
  const row = element("div", "row");

  for (const of of data.choices) {
    const choice = button(`${of.name} ${of.mark}`, () => act(`model:${of.id}`), { className: of.mark === "✓" ? "choice right" : "choice wrong" });
    row.append(choice);
  }
  let finding = null;
  if (data.said) {
    finding = element("blockquote", "finding");
    const link = element("a", "", "The link that reopens it");
    link.href = data.link;
    finding.append(element("p", "", data.said));
    if (data.about) finding.append(element("p", "about", data.about));
    finding.append(link);
    card.append(finding);
  }
  // The first card whose reason is certified: a finding that ends in "uncertain" teaches nobody. Else the first.
  const first = () => {
    const main = document.querySelector('[data-testid="stMain"]');
    const certified = [...main.querySelectorAll(data.pick)].find((node) => {
      const why = node.querySelector(".fs-why-line span")?.textContent;
      return why && !/^(uncertain|not measured)/i.test(why);
    });
    const node = certified ?? find(main, data.pick);
    if (node) act(`item:${node.dataset.item}`);
  };
  const copy = async () => {
    const done = await toClipboard([data.said, data.about, data.link].filter(Boolean).join("\n"), finding);
    keep({ state: "done" });
    title.firstChild.data = done ? "It is yours" : "It is selected: press Ctrl + C";
    for (const dot of dots.children) dot.className = "on";
    words.textContent = done
      ? "Copied: the sentence, the item and the link. Next: does it hold on pictures and captions of your own?"
      : "This browser lets no page copy. Next: does it hold on pictures and captions of your own?";
    const next = button("Try your own", () => { keep({ state: "done" }); act("next"); }, { className: "primary" });
    row.replaceChildren(next, button("Close", () => leave("done"), { className: "quiet" }));
    next.focus({ preventScroll: true });
  };
  const press = data.said ? copy : data.pick ? first : () => act(`go:${data.step + 1}`);
  const main = data.button ? button(data.button, press, { className: "primary" }) : row.firstChild;
  if (data.button) row.append(main);
  if (data.step > 1) row.append(button("Back", () => act(`to:${data.step - 1}:${places[data.step - 1] ?? ""}`)));
  row.append(button("Skip", () => leave("left"), { className: "quiet" }));
  card.append(row);
  root.replaceChildren(card);
  if (data.pick) watch(root, data.pick, (node) => act(`item:${node.dataset.item}`));
  if (before !== root.dataset.step) {
    main?.focus({ preventScroll: true });
    call(data.look, isHere, card, data.clear);
  }
  return () => watch(root, "");
}
