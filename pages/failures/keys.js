// Failures by keyboard. Nothing happens while somebody types, and nothing with Ctrl, Alt or Cmd; C and R are Streamlit's.
import { keyOf, listen, setHtml } from "../shared/drawing/dom.js";
import { hold, running } from "./held.js";

const typing = (node) =>
  node instanceof HTMLElement &&
  (node.isContentEditable || node.matches("textarea, select, input:not([type=range]):not([type=radio]):not([type=checkbox])"));

const dialog = () => document.querySelector('[role="dialog"]');
const press = (selector) => document.querySelector(selector)?.click();
const cards = () => [...document.querySelectorAll(".fs-tiles .fs-open")];

// One line over the page for a while, where a key could do nothing.
function say(words) {
  const line = document.querySelector(".fs-key-said");
  if (!line) return;
  line.textContent = words;
  line.showPopover();
  clearTimeout(line.goes);
  line.goes = setTimeout(() => line.isConnected && line.hidePopover(), 4000);
}

const takeFirst = () => say(cards().length ? "Take a card first: J" : "No card to take here: the list is empty, or a table");
const lost = () => say("What you typed was not kept: the field was not open yet");

// A field of an item in its dialog, tags or note: of any item, or of this one, by the class that Streamlit makes of a key.
const fieldOf = (name, item) => {
  const key = item ? `.st-key-${name}-${item.trim().replace(/[^a-zA-Z0-9_-]/g, "-")}` : `[class*="st-key-${name}-"]`;
  return document.querySelector(`[role="dialog"] ${key} :is(input, textarea)`);
};
const whose = (found) => [...(found?.closest('[class*="st-key-"]').classList ?? [])].find((each) => each.startsWith("st-key-"));

// Whose tags stood in the open item when it was walked on: they stay in sight until the next item is drawn.
let walked;
const walks = () => {
  walked = whose(fieldOf("tags"));
};

// A field of the item that is open, else of the card that has the focus, which is opened first.
const field = (name) => {
  const card = document.activeElement?.closest?.(".fs-open");
  if (dialog()) {
    const past = () => running() && whose(fieldOf("tags")) === walked;
    hold(() => (past() ? null : fieldOf(name)), lost);
  } else if (card) {
    hold(() => fieldOf(name, card.dataset.item), lost);
    card.click();
  } else takeFirst();
  return true;
};

// A step in the open item, else from nowhere onto the first card; on a card the gallery itself hears the key.
const step = (name) => {
  if (dialog()) {
    walks();
    return press(`.st-key-item-${name} button:enabled`);
  }
  const [first] = cards();
  return first ? first.focus() : false;
};

// → and ↓ are J where nothing has the focus that may have them for itself; in the open item → and ← are its buttons'.
const arrow = () => {
  if (dialog()) {
    walks();
    return false;
  }
  return document.activeElement?.contains(cards()[0] ?? null) ? step("next") : false;
};

const back = () => {
  walks();
  return false;
};

// The verdict of a key on the open item: pressed again it is taken away.
const judge = (number) => () => {
  if (!dialog()) return takeFirst();
  const found = dialog().querySelectorAll('[class*="st-key-verdict-"] [role=radio]')[number - 1];
  found?.click();
  return true;
};

const search = () => {
  if (dialog()) return false;
  document.querySelector(".st-key-more-failures details:not([open]) summary")?.click();
  hold(() => document.querySelector(".st-key-text input"), lost);
  return true;
};

const margins = () => {
  if (dialog()) return false;
  const host = [...document.querySelectorAll(".st-key-failures-margins *")].find((node) => node.shadowRoot);
  (host?.shadowRoot ?? document).querySelector(".stage")?.focus();
  return true;
};

const KEYS = {
  t: () => field("tags"),
  n: () => field("note"),
  e: () => (dialog() ? false : press(".st-key-export button")),
  "/": search,
  m: margins,
  g: () => (dialog() ? false : cards()[0]?.focus()),
  j: () => step("next"),
  k: () => step("previous"),
  ArrowRight: arrow,
  ArrowDown: arrow,
  ArrowLeft: back,
  1: judge(1),
  2: judge(2),
  3: judge(3),
};

export default function ({ data, parentElement }) {
  const sheet = parentElement.querySelector(".fs-key-sheet");
  const hint = parentElement.querySelector(".fs-key-hint");
  hint.textContent = data.hint;
  setHtml(sheet, data.sheet);
  sheet.setAttribute("aria-label", "What the keys do");
  const help = () => (sheet.open ? sheet.close() : sheet.showModal());
  hint.onclick = help;
  sheet.onclick = () => sheet.close();
  const heard = (event) => {
    if (event.defaultPrevented || event.isComposing || typing(event.target)) return;
    const key = keyOf(event);
    if (key === "?") help();
    else if (sheet.open || !KEYS[key] || KEYS[key]() === false) return;
    event.preventDefault();
  };
  return listen("keydown", heard);
}
