// What a word may become: proposals of the same kind, those that keep the meaning apart, or a word of one's own.
import { button, element, taken } from "../../shared/drawing/dom.js";

const TOLD = [["", "meaning unknown"], ["meaning-changing", "it changes the meaning"], ["meaning-preserving", "it keeps the meaning"]];

// The group of the proposals that only misspell the word (backend/perturb/foils.py).
const SLIP = "typing slip";

function group(title, options, choose) {
  const part = element("div", "fs-options");
  part.append(element("p", "", title));
  for (const option of options) {
    part.append(button(option.label, () => choose(option), { className: "fs-foil", title: `${option.text} (${option.group})` }));
  }
  return part;
}

// Characters as the server counts them, a letter outside the first plane as one.
const characters = (text) => [...text].length;

export function openWord(node, caption, number, word, { root, send, data }) {
  const before = root.querySelector(".fs-choose");
  before?.remove();
  if (before?.dataset.of === node.dataset.at) return;
  const box = element("div", "fs-choose");
  box.dataset.of = node.dataset.at;
  box.setAttribute("role", "dialog");
  const own = caption.text.slice(word.start, word.end);
  box.setAttribute("aria-label", `Change “${own}”`);
  const choose = (option) => {
    box.remove();
    node.focus({ preventScroll: true });
    send({ do: "word", caption: number, text: option.text });
  };
  const changing = word.options.filter((option) => !option.same && option.group !== SLIP);
  const misspelled = word.options.filter((option) => option.group === SLIP);
  const keeping = word.options.filter((option) => option.same && option.group !== SLIP);
  if (changing.length) box.append(group("Changes the meaning", changing, choose));
  if (keeping.length) box.append(group("Keeps the meaning", keeping, choose));
  if (misspelled.length) box.append(group("Misspelled: a reader still understands it", misspelled, choose));
  const form = element("form");
  const field = element("input");
  Object.assign(field, { type: "text", placeholder: "your own word", autocomplete: "off", spellcheck: false });
  field.setAttribute("aria-label", `Instead of “${own}”`);
  const said = element("select");
  said.setAttribute("aria-label", "What your own word does");
  for (const [value, label] of TOLD) {
    const option = element("option", "", label);
    option.value = value;
    said.append(option);
  }
  const set = button("Set", null, { className: "fs-small" });
  set.type = "submit";
  const problem = element("p", "fs-too-long");
  problem.setAttribute("role", "alert");
  // One character less than the caption has room for: "a" before the word may become "an".
  const room = data.longest - characters(caption.text) + characters(own) - 1;
  const fits = () => characters(field.value.trim()) <= room;
  field.oninput = () => {
    set.disabled = !fits();
    problem.textContent = fits() ? "" : `${characters(field.value.trim())} characters; ${room} fit into a caption of at most ${data.longest}. Shorten it.`;
  };
  form.append(field, said, set, problem);
  form.onsubmit = (event) => {
    taken(event);
    if (!field.value.trim() || !fits()) return;
    box.remove();
    send({ do: "typed", caption: number, start: word.start, end: word.end, new: field.value, told: said.value });
  };
  form.onkeydown = (event) => {
    if (event.key !== "Escape") event.stopPropagation(); // the page's own keys are letters, too
  };
  box.append(form);
  box.onkeydown = (event) => { // who types a word means one of their own, not the proposal that has the focus
    const types = event.key.length === 1 && event.key !== " " && !(event.ctrlKey || event.metaKey || event.altKey);
    if (!types || form.contains(event.target)) return;
    event.stopPropagation();
    field.focus({ preventScroll: true });
  };
  root.append(box);
  const [place, around] = [node.getBoundingClientRect(), root.getBoundingClientRect()];
  box.style.top = `${place.bottom - around.top + 4}px`;
  box.style.left = `${Math.max(0, Math.min(place.left - around.left, around.width - box.offsetWidth))}px`;
  (box.querySelector(".fs-foil") ?? field).focus({ preventScroll: true });
}
