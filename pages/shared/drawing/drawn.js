// A drawing that Python made as HTML with SVG in it, which `st.html` takes away.
import { setHtml } from "./dom.js";

export default function (component) {
  setHtml(component.parentElement.querySelector("[data-drawn]"), component.data.html);
}
