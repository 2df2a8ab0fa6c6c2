// What every plane has around its points: its tools, a legend whose lines hide points, the box beside what is pointed at.
import { button, element } from "../dom.js";

// A tool of one sign or word; its title says the rest.
export function toolOf(words, press, title) {
  const made = button(words, press, { title });
  made.setAttribute("aria-label", title);
  return made;
}

// A tool that stays pressed: what dragging does.
export function modeOf(mode, words, title, press) {
  const made = button(words, press, { title });
  made.dataset.mode = mode;
  return made;
}

// A line of the legend. hidden: the set of classes that are not shown; k: this one's; change: called after it has changed.
export function legendLine(sample, name, hidden, k, change) {
  const line = element("li");
  const made = button("", () => {
    if (!hidden.delete(k)) hidden.add(k);
    made.setAttribute("aria-pressed", String(!hidden.has(k)));
    change();
  }, { title: "Press to hide these points, and again to show them" });
  made.setAttribute("aria-pressed", String(!hidden.has(k)));
  made.append(sample, document.createTextNode(name));
  line.append(made);
  return line;
}

// Say of the point at (x, y) what is told of it, in lines, beside it and within the plane; wide, tall: its size.
export function tellAt(tip, told, x, y, wide, tall) {
  tip.replaceChildren(...told.map((line, k) => element("p", k ? "" : "id", line)));
  const { offsetWidth, offsetHeight } = tip;
  tip.style.left = `${x + 14 + offsetWidth > wide ? Math.max(0, x - 14 - offsetWidth) : x + 14}px`;
  tip.style.top = `${Math.max(0, Math.min(y - offsetHeight / 2, tall - offsetHeight))}px`;
}
