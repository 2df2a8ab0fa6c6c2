// Failures by keyboard. Nothing happens while somebody types, and nothing with Ctrl, Alt or Cmd; C and R are Streamlit's.
import { keyOf, listen } from "../shared/drawing/dom.js";

const typing = (node) =>
  node instanceof HTMLElement &&
  (node.isContentEditable || node.matches("textarea, select, input:not([type=range]):not([type=radio]):not([type=checkbox])"));

const dialog = () => document.querySelector('[role="dialog"]');
const press = (selector) => document.querySelector(selector)?.click();

// A field of the item that is open; where none is, the card that has the focus is opened first.
const field = (selector) => {
  const card = document.activeElement?.closest?.(".fs-open");
  if (!dialog() && !document.querySelector(selector)) {
    if (!card) return false;
    card.click();
  }
  const until = Date.now() + 6000;
  const look = () => {
    const found = document.querySelector(selector);
    if (found) found.focus();
    else if (Date.now() < until) setTimeout(look, 60);
  };
  look();
  return true;
};

const KEYS = {
  t: () => field('[class*="st-key-tags-"] input'),
  n: () => field('[class*="st-key-note-"] textarea'),
  e: () => (dialog() ? false : press(".st-key-export button")),
  "?": () => (dialog() ? false : press(".st-key-keys button")),
  "/": () => (dialog() ? false : document.querySelector(".st-key-text input")?.focus()),
  g: () => (dialog() ? false : document.querySelector(".fs-open")?.focus()),
};

export default function () {
  const heard = (event) => {
    if (event.defaultPrevented || event.isComposing || typing(event.target)) return;
    const act = KEYS[keyOf(event)];
    if (act && act() !== false) event.preventDefault();
  };
  return listen("keydown", heard);
}
