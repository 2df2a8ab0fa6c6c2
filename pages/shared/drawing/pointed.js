// The facts of a number: of the element with `data-tip` that is pointed at or has the focus, above it, or below it where
// there is no room. The stylesheet of whoever imports this has the class `facts` (heatmap.css).
import { element } from "./dom.js";

// box: all such elements are in it. Returns the element that shows the facts, to be put into the box, and what hides it.
export function pointed(box) {
  const tip = element("div", "facts");
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true"); // each element says the same by its label
  const show = (rate) => {
    tip.textContent = rate.dataset.tip;
    tip.hidden = false;
    const at = rate.getBoundingClientRect();
    const { width, height } = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, at.left + at.width / 2 - width / 2), window.innerWidth - width - 8);
    tip.style.left = `${left}px`;
    tip.style.top = `${at.top - height - 6 > 4 ? at.top - height - 6 : at.bottom + 6}px`;
  };
  const hide = () => (tip.hidden = true);
  const rateOf = (event) => event.target.closest?.("[data-tip]");
  box.listening?.abort(); // of the run before
  box.listening = new AbortController();
  const until = { signal: box.listening.signal };
  box.addEventListener("mouseover", (event) => (rateOf(event) ? show(rateOf(event)) : hide()), until);
  box.addEventListener("mouseleave", hide, until);
  box.addEventListener("focusin", (event) => rateOf(event)?.matches(":focus-visible") && show(rateOf(event)), until);
  box.addEventListener("focusout", hide, until);
  return { tip, hide };
}
