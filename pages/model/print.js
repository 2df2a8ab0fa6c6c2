// Opens the browser's dialog for printing; style.css says what the page is on paper.
import { button } from "../shared/drawing/dom.js";

export default function (component) {
  const { data, parentElement } = component;
  const box = parentElement.querySelector(".md-print");
  box.replaceChildren(button(data.label, () => window.print(), { title: "Print this page, or keep it as PDF" }));
}
