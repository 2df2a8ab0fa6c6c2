// Failures by keyboard. Nothing happens while somebody types, and nothing with Ctrl, Alt or Cmd; C and R are Streamlit's.
import { keyOf, listen, setHtml } from "../shared/drawing/dom.js";

const typing = (node) =>
  node instanceof HTMLElement &&
  (node.isContentEditable || node.matches("textarea, select, input:not([type=range]):not([type=radio]):not([type=checkbox])"));

const dialog = () => document.querySelector('[role="dialog"]');
const press = (selector) => document.querySelector(selector)?.click();
const cards = () => [...document.querySelectorAll(".fs-tiles .fs-open")];

// As soon as something is there, within a few seconds.
function once(selector, act) {
  const until = Date.now() + 6000;
  const look = () => {
    const found = document.querySelector(selector);
    if (found) act(found);
    else if (Date.now() < until) setTimeout(look, 60);
  };
  look();
}

// A field of the item that is open; where none is, the card that has the focus is opened first.
const field = (selector) => {
  const card = document.activeElement?.closest?.(".fs-open");
  if (!dialog() && !document.querySelector(selector)) {
    if (!card) return false;
    card.click();
  }
  once(selector, (found) => found.focus());
  return true;
};

// A step in the open item, else from nowhere onto the first card; on a card the gallery itself hears the key.
const step = (name) => {
  if (dialog()) return press(`.st-key-item-${name} button:enabled`);
  const [first] = cards();
  return first ? first.focus() : false;
};

// The verdict of a key on the open item: pressed again it is taken away.
const judge = (number) => () => {
  if (!dialog()) return false;
  const found = dialog().querySelectorAll('[class*="st-key-verdict-"] [role=radio]')[number - 1];
  found?.click();
  return true;
};

const search = () => {
  if (dialog()) return false;
  const fold = document.querySelector(".st-key-more-failures details:not([open]) summary");
  fold?.click();
  once(".st-key-text input", (found) => setTimeout(() => found.focus(), fold ? 250 : 0));
  return true;
};

const margins = () => {
  if (dialog()) return false;
  const host = [...document.querySelectorAll(".st-key-failures-margins *")].find((node) => node.shadowRoot);
  (host?.shadowRoot ?? document).querySelector(".stage")?.focus();
  return true;
};

const KEYS = {
  t: () => field('[class*="st-key-tags-"] input'),
  n: () => field('[class*="st-key-note-"] textarea'),
  e: () => (dialog() ? false : press(".st-key-export button")),
  "/": search,
  m: margins,
  g: () => (dialog() ? false : cards()[0]?.focus()),
  j: () => step("next"),
  k: () => step("previous"),
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
