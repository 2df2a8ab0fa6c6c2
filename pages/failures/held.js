// Keys that are typed before their field is there: held, and put into the field once it has the focus.
import { taken } from "../shared/drawing/dom.js";

// Milliseconds: so long is a field waited for, its list of options, and what was taken of it; so often is each looked for.
const LONGEST = 20000;
const LISTED = 2000;
const KEPT = 1500;
const BETWEEN = 30;
// Looks in a row at a page that is not drawn any more.
const STILL = 8;

let leave = () => {};

const listing = (field) => field.getAttribute("role") === "combobox";
export const running = () => document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState !== "notRunning";
const wait = (time) => new Promise((done) => setTimeout(done, time));

// A letter, Enter, or what takes a letter back; with Ctrl, Alt or Cmd only Enter, which ends a note.
function writes(event) {
  if (event.key === "Enter") return true;
  const chord = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState("AltGraph");
  return !chord && (event.key === "Backspace" || [...event.key].length === 1);
}

// Until something is so, or for so long.
async function until(so, time) {
  const last = performance.now() + time;
  while (!so() && performance.now() < last) await wait(BETWEEN);
}

// A made Enter types nothing by itself, but fields hear it.
function enter(field, { ctrlKey, metaKey }) {
  const made = { key: "Enter", code: "Enter", keyCode: 13, which: 13, ctrlKey, metaKey, bubbles: true, cancelable: true };
  for (const type of ["keydown", "keypress", "keyup"]) field.dispatchEvent(new KeyboardEvent(type, made));
}

// Enter in a field with a list, once the option that it takes has the words typed. A page that is drawn at that moment
// empties the field and takes no option: the words are typed again then.
async function take(field, event, typed) {
  const words = typed.trim().toLowerCase();
  const option = () => document.getElementById(field.getAttribute("aria-activedescendant"));
  const kept = () => field.closest('[data-testid="stMultiSelect"]')?.textContent.toLowerCase().includes(words);
  for (let tries = 3; tries > 0 && document.activeElement === field; tries -= 1) {
    if (!field.value) document.execCommand("insertText", false, typed);
    await until(() => option()?.textContent.toLowerCase().includes(words), LISTED);
    enter(field, event);
    await until(kept, KEPT);
    if (kept() || field.value) return;
  }
}

// The first of the held keys, with all letters at once, as the browser would type them. typed: what was put before.
async function put(field, held, typed) {
  const other = held.findIndex((event) => [...event.key].length > 1);
  const letters = held.splice(0, other < 0 ? held.length : other).map((event) => event.key).join("");
  if (letters) {
    document.execCommand("insertText", false, letters);
    return typed + letters;
  }
  const event = held.shift();
  if (event.key === "Backspace") {
    document.execCommand("delete");
    return typed.slice(0, -1);
  }
  if (listing(field) && typed.trim()) await take(field, event, typed);
  else if (field.matches("textarea") && !event.ctrlKey && !event.metaKey) document.execCommand("insertText", false, "\n");
  else enter(field, event);
  return "";
}

// Give a field the focus as soon as it is there; what is typed until then goes into it. find: the field, or nothing;
// lost: called where it did not come, or the person went elsewhere, and keys were held. Escape, too, goes elsewhere.
export async function hold(find, lost) {
  leave();
  const held = [];
  const last = performance.now() + LONGEST;
  const waits = new AbortController();
  const end = () => {
    if (!waits.signal.aborted && held.length) lost();
    waits.abort();
  };
  const hear = (event) => {
    if (event.key === "Escape" || event.key === "Tab") return end();
    if (!event.isTrusted || event.isComposing || !writes(event)) return; // what `put` makes is no key of the person's
    taken(event);
    if (!event.repeat || held.length) held.push(event); // the key that began this may be down for a while
  };
  const first = { capture: true, signal: waits.signal }; // before cards, and Streamlit's own keys, hear it
  addEventListener("keydown", hear, first);
  addEventListener("pointerdown", end, first);
  leave = end;
  let [field, still, typed] = [null, 0, ""];
  while (!waits.signal.aborted && performance.now() < last) {
    const found = find();
    if (!found || found !== field || document.activeElement !== found) {
      field = found; // a dialog that opens may take the focus once more: it is looked at again before anything is typed
      found?.focus();
      found?.setSelectionRange(found.value.length, found.value.length);
    } else {
      still = running() ? 0 : still + 1;
      if (!listing(found) || still > STILL) {
        if (!held.length) break;
        typed = await put(found, held, typed);
        continue;
      }
    }
    await wait(BETWEEN);
  }
  end();
}
