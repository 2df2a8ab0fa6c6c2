// The glossary's words and formulas, filtered as one types. Each word's HTML comes from view.py, which escapes all texts.
import { element, setHtml } from "../shared/drawing/dom.js";

// Whether a text has all the words that were typed.
function has(text, typed) {
  const said = text.toLowerCase();
  return typed.every((word) => said.includes(word));
}

function wordOf(of, go) {
  const node = element("article", "gl-word");
  node.id = `glossary-${of.key}`;
  node.dataset.said = `${of.name} ${of.also}`;
  const head = element("h3", "", of.name);
  const link = element("a", "gl-link", "#");
  const address = new URL(location.href);
  address.searchParams.set("glossary", of.key);
  link.href = address.href;
  link.title = "This word's own address";
  link.setAttribute("aria-label", `Address of ${of.name}`);
  head.append(" ", link);
  const body = element("div", "gl-body");
  setHtml(body, of.html);
  for (const next of body.querySelectorAll("a[data-go]")) {
    next.onclick = (event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      go(next.dataset.go);
    };
  }
  node.append(head, body);
  return node;
}

function formulasOf(parts) {
  const box = element("section", "gl-formulas");
  box.append(element("h2", "", "Every formula"));
  for (const of of parts) {
    const part = element("details", "fs-glossary gl-part");
    part.append(element("summary", "", of.part));
    const list = element("dl");
    for (const html of of.rows) {
      const row = element("div", "gl-row");
      setHtml(row, html);
      list.append(row);
    }
    part.append(list);
    box.append(part);
  }
  return box;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".gl");
  const signature = JSON.stringify([data.open, data.words.map((word) => word.html.length)]);
  if (root.dataset.signature === signature) return;
  root.dataset.signature = signature;

  const field = element("input", "gl-search");
  Object.assign(field, { type: "search", placeholder: "Search: quad, prior, group …" });
  field.setAttribute("aria-label", "Search the glossary");
  const status = element("p", "gl-status");
  status.setAttribute("role", "status");
  const names = element("nav", "gl-names");
  names.setAttribute("aria-label", "Words");
  const words = element("div", "gl-words");
  for (const of of data.words) {
    const word = wordOf(of, (key) => setTriggerValue("go", key));
    const name = element("button", "", of.name);
    name.type = "button";
    name.onclick = () => word.scrollIntoView({ block: "start" });
    name.dataset.of = word.id;
    names.append(name);
    words.append(word);
  }
  const formulas = formulasOf(data.formulas);
  const folds = [...formulas.querySelectorAll("details")];

  const filter = () => {
    const typed = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const word of words.children) {
      word.hidden = !has(`${word.dataset.said} ${word.textContent}`, typed);
      shown += !word.hidden;
    }
    // A name that begins with what was typed comes first.
    for (const word of words.children) {
      word.style.order = typed.length && has(word.dataset.said, typed) ? 0 : 1;
      names.querySelector(`[data-of="${word.id}"]`).hidden = word.hidden;
    }
    let lines = 0;
    for (const part of folds) {
      const rows = [...part.querySelectorAll(".gl-row")];
      const name = part.querySelector("summary").textContent;
      for (const row of rows) row.hidden = !has(`${name} ${row.textContent}`, typed);
      const left = rows.filter((row) => !row.hidden).length;
      part.hidden = !left;
      part.open = typed.length > 0 && left > 0 && left < 13;
      lines += left;
    }
    formulas.hidden = !lines;
    status.textContent = typed.length
      ? shown + lines ? `${shown} of ${data.words.length} words · ${lines} ${lines === 1 ? "formula" : "formulas"}` : "Nothing is called that here."
      : "";
  };
  field.oninput = filter;
  const head = element("div", "gl-head");
  head.append(field, status, names);
  root.replaceChildren(head, words, formulas);
  filter();
  for (const word of words.children) word.style.scrollMarginTop = `${head.offsetHeight + 10}px`;
  const first = data.open && root.querySelector(`#glossary-${CSS.escape(data.open)}`);
  if (first) {
    first.classList.add("gl-opened");
    // Pictures above it have no height until they are there, and the drawer slides in.
    for (const wait of [0, 300, 900]) setTimeout(() => first.isConnected && first.scrollIntoView({ block: "start" }), wait);
  } else setTimeout(() => field.focus({ preventScroll: true }), 120);
}
