// The runs as HTML that Python made: a press on what holds a run's id picks it, a press on a group's arrow unfolds it.
// What is unfolded, what has the focus and how far a box is scrolled stay when the page brings new HTML.
import { setHtml } from "../../shared/drawing/dom.js";

const OPEN = "runs-open";

function unfold(group, open) {
  group.classList.toggle(OPEN, open);
  group.querySelector("[data-fold]")?.setAttribute("aria-expanded", String(open));
}

// Arrows walk from cell to cell of the matrix.
function walk(event) {
  const cell = event.target.closest("td");
  if (!cell || !cell.closest(".runs-matrix")) return;
  const row = cell.parentElement;
  const { cellIndex } = cell;
  const beside = { ArrowLeft: cell.previousElementSibling, ArrowRight: cell.nextElementSibling,
    ArrowUp: row.previousElementSibling?.cells[cellIndex], ArrowDown: row.nextElementSibling?.cells[cellIndex] }; // prettier-ignore
  const next = beside[event.key]?.querySelector("button");
  if (!next) return;
  event.preventDefault();
  next.focus();
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const box = parentElement.querySelector("[data-picks]");
  const opened = (box.opened ??= new Set());
  if (box.shown !== data.html) {
    const held = document.activeElement?.closest("[data-picks]") === box ? document.activeElement.dataset.run : "";
    const at = box.firstElementChild?.scrollTop ?? 0;
    setHtml(box, data.html);
    box.shown = data.html;
    if (box.firstElementChild) box.firstElementChild.scrollTop = at;
    if (held) [...box.querySelectorAll("button")].find((each) => each.dataset.run === held)?.focus({ preventScroll: true });
  }
  // The group of the picked run is unfolded once, when it is picked.
  if (data.picked !== box.picked) {
    const group = box.querySelector(".runs-child.runs-picked")?.closest("[data-group]");
    if (group) opened.add(group.dataset.group);
    box.picked = data.picked;
  }
  for (const group of box.querySelectorAll("[data-group]")) unfold(group, opened.has(group.dataset.group));
  box.onclick = (event) => {
    const fold = event.target.closest("[data-fold]");
    if (fold) {
      const group = fold.closest("[data-group]");
      const key = group.dataset.group;
      if (!opened.delete(key)) opened.add(key);
      unfold(group, opened.has(key));
      return;
    }
    const run = event.target.closest("[data-run]")?.dataset.run;
    if (run) setTriggerValue("run", run);
  };
  box.onkeydown = walk;
}
