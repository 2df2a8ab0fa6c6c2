// The bench: captions whose words can be changed, foils by one click, models x captions with bars that move.
// Bars are drawn where they were and then moved to where they are, so that a change is seen; nothing is kept but that.
import { button, element, keyOf, taken } from "../../shared/drawing/dom.js";
import { openWord } from "./word.js";

const SIGNS = { right: "✓", wrong: "✗", open: "●", none: "–" };

// A number whose facts show where it is pointed at or has the focus (style.css, .fs-told).
function told(className, text, facts) {
  const node = element("span", `${className} fs-told`, text);
  node.tabIndex = 0;
  node.dataset.facts = facts;
  node.setAttribute("aria-label", `${text}: ${facts}`);
  return node;
}
// Characters of a model's name that stand in the matrix.
const LONGEST = 32;
// Where the bars of each bench were drawn last.
const barsOf = new WeakMap();
const SAYS = { right: "wins, and is true", wrong: "wins, and is false", open: "wins" };

function captionLine(caption, number, context) {
  const line = element("li");
  const said = element("p", "fs-said");
  let at = 0;
  const was = new Set(caption.was.split(/\s+/));
  caption.words.forEach((word, k) => {
    said.append(caption.text.slice(at, word.start));
    const text = caption.text.slice(word.start, word.end);
    const node = button(text, () => openWord(node, caption, number, word, context), { className: "fs-word" });
    node.dataset.at = `${number}.${k}`;
    node.setAttribute("aria-haspopup", "dialog");
    node.title = word.options.length ? `Change “${text}”: ${word.options.length} proposed` : `Change “${text}”`;
    if (caption.edited && !was.has(text)) node.classList.add("fs-new");
    said.append(node);
    at = word.end;
  });
  said.append(caption.text.slice(at));
  line.append(element("span", "fs-role", caption.role), said);
  if (caption.edited) {
    line.append(element("span", "fs-effect", caption.effect));
    line.append(button("Undo", () => context.send({ do: "back", caption: number }), { className: "fs-small", title: `Back to “${caption.was}”` }));
  } else if (context.data.captions.length > 1) {
    const drop = button("×", () => context.send({ do: "drop", caption: number }), { className: "fs-remove", title: `Take “${caption.text}” off the page` });
    drop.setAttribute("aria-label", `Remove caption ${number + 1}`);
    line.append(drop);
  }
  return line;
}

// What can be done next: foils to set against the first caption, or the ways back from an edit. Always one line at least.
function nextChips(data, send) {
  const box = element("div", "fs-foils");
  if (data.edited) {
    box.append(button("Back to the start", () => send({ do: "back" }), { className: "fs-small" }));
    if (data.captions.some((each) => each.edited)) box.append(button("Start from here", () => send({ do: "keep" }), { className: "fs-small", title: "The edited captions become the experiment" }));
    return box;
  }
  if (!data.foils.length) {
    box.append(element("span", "fs-foils-head", "Click a word to change it"));
    return box;
  }
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", "Foils: false captions to set against caption 1");
  box.append(element("span", "fs-foils-head", data.captions.length > 1 ? "Set against it" : "Pick a false caption to set against it"));
  for (const { group, chips } of data.foils) {
    const part = element("span", "fs-foils-group");
    part.append(element("i", "", group));
    for (const chip of chips) part.append(button(chip.what, () => send({ do: "foil", text: chip.text }), { className: "fs-foil", title: chip.text }));
    box.append(part);
  }
  return box;
}

// A long name without its middle: its beginning and its end tell models apart; the whole spec shows on hover.
const shortened = (name) => (name.length > LONGEST ? `${name.slice(0, LONGEST / 2)}…${name.slice(1 - LONGEST / 2)}` : name);

function modelHead(row) {
  const head = element("th");
  head.scope = "row";
  const dot = element("i", `fs-dot${row.shape ? ` fs-${row.shape}` : ""}`);
  dot.style.background = row.colour;
  const name = element("span", "fs-name", shortened(row.name));
  head.title = `${row.spec}, ${row.kind}`;
  head.append(dot, name);
  if (row.several) head.append(element("small", "", row.kind));
  return head;
}

const spot = (node, lead) => {
  node.style.left = `${50 + 50 * Math.min(lead, 0)}%`;
  node.style.width = `${50 * Math.abs(lead)}%`;
};

function cellOf(cell, key, context) {
  const node = element("td", `${cell.wins ? `fs-wins fs-is-${cell.mark}` : ""}${cell.caption === 0 && cell.image > 0 ? " fs-next-image" : ""}`);
  const top = element("span", "fs-number");
  top.append(told("", cell.score, cell.facts));
  if (cell.wins) {
    const mark = element("b", "", SIGNS[cell.mark]);
    mark.setAttribute("aria-label", SAYS[cell.mark]);
    mark.setAttribute("role", "img");
    top.append(mark);
  }
  node.append(top);
  const track = element("span", "fs-track");
  if (cell.ghost !== null) {
    const ghost = element("i", "fs-ghost");
    spot(ghost, cell.ghost);
    track.append(ghost);
  }
  if (cell.lead !== null) {
    const bar = element("i", "fs-lead");
    const before = context.last.get(key) ?? cell.ghost ?? cell.lead;
    spot(bar, before);
    if (before !== cell.lead) context.moves.push(() => spot(bar, cell.lead));
    context.now.set(key, cell.lead);
    track.append(bar);
  }
  node.append(track);
  return node;
}

// The parts of a quad's verdict; they stand above the margin, or below the row where the bench is narrow (bench.css).
function partsOf(verdict) {
  const all = element("span", "fs-parts");
  for (const part of verdict.parts) all.append(told(`fs-part fs-v-${part.state}`, `${part.name} ${SIGNS[part.state]}`, part.facts));
  return all;
}

function verdictOf(row) {
  const { verdict } = row;
  const node = element("td", `fs-verdict fs-v-${verdict.state}`);
  const above = element("small");
  above.append(partsOf(verdict));
  if (verdict.was) above.append(`was ${verdict.was}`);
  const line = element("span", "fs-margin-now");
  if (row.turned) line.append(element("b", "fs-turned", "⇄"));
  else if (verdict.state !== "open") line.append(element("b", "", SIGNS[verdict.state]));
  line.append(told("", verdict.margin, verdict.facts));
  if (verdict.unit) line.append(element("span", "fs-unit", verdict.unit));
  node.append(above, line);
  return node;
}

function under(row, width, send) {
  const line = element("tr", "fs-under");
  const cell = element("td");
  cell.colSpan = width;
  cell.append(row.tip ? told("fs-reason", row.reason, row.tip) : element("span", "fs-reason", row.reason));
  if (row.uncertain) cell.append(element("span", "fs-uncertain", "reason uncertain"));
  if (row.tie) cell.append(element("span", "fs-tied", row.tie));
  cell.append(partsOf(row.verdict));
  for (const recipe of row.recipes) {
    const chip = button("", () => send({ do: "replay", row: row.key, kind: recipe.kind }), { className: `fs-recipe fs-recipe-${recipe.kind}`, title: recipe.tip });
    chip.append(element("b", "", `⇄ ${recipe.sign}`), element("span", "", recipe.what));
    cell.append(chip);
  }
  line.append(cell);
  return line;
}

function heads(data) {
  const head = element("thead");
  if (data.images > 1) {
    const line = element("tr");
    line.append(element("td"));
    for (let i = 0; i < data.images; i++) {
      const cell = element("th", i ? "fs-next-image" : "", `image ${i + 1}`);
      cell.scope = "colgroup";
      cell.colSpan = data.captions.length;
      line.append(cell);
    }
    if (data.verdicts) line.append(element("td"));
    head.append(line);
  }
  const line = element("tr");
  line.append(element("td"));
  for (let i = 0; i < data.images; i++) {
    data.captions.forEach((caption, j) => {
      const cell = element("th", i && !j ? "fs-next-image" : "");
      cell.scope = "col";
      cell.title = caption.text;
      cell.append(element("span", "fs-role", caption.role));
      line.append(cell);
    });
  }
  if (data.verdicts) {
    const cell = element("th", "fs-verdict", data.quad ? "both, margin" : "margin");
    cell.scope = "col";
    line.append(cell);
  }
  head.append(line);
  return head;
}

function matrix(data, context) {
  const table = element("table", "fs-versus");
  const body = element("tbody");
  const width = 1 + data.images * data.captions.length + (data.verdicts ? 1 : 0);
  for (const row of data.rows) {
    const line = element("tr", row.turned ? "fs-row-turned" : "");
    line.append(modelHead(row));
    for (const cell of row.cells) line.append(cellOf(cell, `${row.key}|${cell.image}|${cell.caption}`, context));
    if (data.verdicts) line.append(verdictOf(row));
    body.append(line, under(row, width, context.send));
  }
  // Columns of captions are equally wide, whatever stands above them: their bars have one scale.
  table.style.setProperty("--fs-columns", data.images * data.captions.length);
  const columns = element("colgroup");
  columns.append(element("col", "fs-col-name"));
  for (let k = 0; k < data.images * data.captions.length; k++) columns.append(element("col"));
  if (data.verdicts) columns.append(element("col", "fs-col-verdict"));
  table.append(columns, heads(data), body);
  const frame = element("div", "fs-versus-frame");
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", "Models and captions");
  frame.append(table);
  return frame;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".fs-bench");
  const focused = document.activeElement?.dataset?.at;
  root.classList.remove("fs-busy");
  const send = (what) => {
    root.classList.add("fs-busy");
    setTriggerValue("did", { ...what, id: crypto.randomUUID?.() ?? `${Date.now()} ${Math.random()}` });
  };
  const context = { data, send, root, last: barsOf.get(root) ?? new Map(), now: new Map(), moves: [] };
  const parts = [];
  const list = element("ol", "fs-captions");
  list.append(...data.captions.map((caption, k) => captionLine(caption, k, context)));
  parts.push(list);
  parts.push(nextChips(data, send));
  if (data.rows.length) {
    parts.push(matrix(data, context));
    parts.push(element("p", "fs-scale", data.note));
  }
  root.replaceChildren(...parts);
  barsOf.set(root, context.now);
  if (focused) root.querySelector(`[data-at="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  root.getBoundingClientRect(); // the bars are laid out where they were before they move
  for (const move of context.moves) move();
  root.onkeydown = (event) => {
    if (keyOf(event) === "Escape" && root.querySelector(".fs-choose")) {
      root.querySelector(".fs-choose").remove();
      taken(event);
    }
  };
}
