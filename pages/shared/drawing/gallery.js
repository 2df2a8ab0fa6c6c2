// A gallery of cards. Each card's HTML comes from pages/shared/drawing/cards.py, which escapes all texts.
// Tab reaches a card, the arrow keys go from card to card, Enter opens; when the item is closed, its card has the focus.
import { element, setHtml, taken } from "./dom.js";

const columns = (cards) => {
  const first = cards[0].offsetTop;
  const next = cards.findIndex((card) => card.offsetTop > first);
  return next < 0 ? cards.length : next;
};

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".fs-gallery");
  root.classList.toggle("fs-compact", data.compact);
  const old = new Map([...root.children].map((node) => [node.dataset.item + node.dataset.place, node]));
  const nodes = data.cards.map((card, place) => {
    const kept = old.get(card.id + place);
    const node = kept ?? element("div", "fs-open");
    if (!kept) {
      node.tabIndex = 0;
      node.setAttribute("role", "button");
      node.dataset.item = card.id;
      node.dataset.place = place;
    }
    node.setAttribute("aria-label", `Open ${card.name}`);
    if (node.drawn !== card.html) {
      setHtml(node, card.html);
      node.drawn = card.html;
    }
    node.onclick = () => {
      root.opened = node;
      setTriggerValue("opened", card.id);
    };
    node.onkeydown = (event) => {
      const cards = [...root.children];
      const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns(cards), ArrowUp: -columns(cards) };
      if (event.key === "Enter" || event.key === " ") node.onclick();
      else if (event.key in steps) cards[cards.indexOf(node) + steps[event.key]]?.focus();
      else return;
      taken(event);
    };
    return node;
  });
  const same = nodes.length === root.children.length && nodes.every((node, k) => node === root.children[k]);
  if (!same) root.replaceChildren(...nodes);

  // A dialog that closes leaves the focus on the page's body.
  const watch = new MutationObserver(() => {
    if (!root.opened) return;
    const open = document.querySelector('[role="dialog"]');
    if (open) root.seen = true;
    else if (root.seen) {
      const back = root.opened;
      root.opened = root.seen = undefined;
      setTimeout(() => back.isConnected && document.activeElement === document.body && back.focus(), 60);
    }
  });
  watch.observe(document.body, { childList: true, subtree: true });
  return () => watch.disconnect();
}
