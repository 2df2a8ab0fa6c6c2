// A gallery of cards. Each card's HTML comes from pages/shared/drawing/cards.py, which escapes all texts.
// Tab reaches a card, the arrow keys (and J, K) go from card to card, Enter opens; when the item is closed, the card of
// the one that was open last has the focus. Where the cards can be judged, 1, 2 and 3 do so without opening one.
// Below a card stand its tags, where it has any: buttons of their own, which a button may not hold.
import { button, element, keyOf, setHtml, taken } from "./dom.js";

const columns = (cards) => {
  const first = cards[0].offsetTop;
  const next = cards.findIndex((card) => card.offsetTop > first);
  return next < 0 ? cards.length : next;
};

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".fs-gallery");
  root.classList.toggle("fs-compact", data.compact);
  root.classList.toggle("fs-tiles", data.tiles);
  const drawn = () => [...root.querySelectorAll(".fs-open")];
  const old = new Map(drawn().map((node) => [node.dataset.item + node.dataset.place, node]));
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
      delete document.documentElement.dataset.fsItem;
      setTriggerValue("opened", card.id);
    };
    node.onkeydown = (event) => {
      const cards = drawn();
      const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns(cards), ArrowUp: -columns(cards), j: 1, k: -1 };
      const key = keyOf(event);
      if (key === "Enter" || key === " ") node.onclick();
      else if (key in steps) cards[cards.indexOf(node) + steps[key]]?.focus();
      else if (data.judges && ["1", "2", "3"].includes(key)) setTriggerValue("judged", `${key} ${card.id}`);
      else return;
      taken(event);
    };
    return node;
  });
  const held = root.contains(document.activeElement) ? document.activeElement : null; // before a frame takes its card
  const places = nodes.map((node, k) => placed(node, data.cards[k].tags ?? []));
  const same = places.length === root.children.length && places.every((node, k) => node === root.children[k]);
  if (!same) root.replaceChildren(...places);
  // A card that was put into a frame, or a tag that was pressed, keeps the focus.
  const pressed = held?.classList.contains("fs-tag") ? held.textContent : "";
  const alike = () => [...root.querySelectorAll(".fs-tag")].find((tag) => tag.textContent === pressed) ?? nodes[0];
  if (held && document.activeElement !== held) (held.isConnected ? held : alike())?.focus({ preventScroll: true });

  // A card with its tags, or the card alone. What is there already and the same stays, and with it the focus.
  function placed(node, tags) {
    const now = node.parentElement?.classList.contains("fs-tagged") && root.contains(node) ? node.parentElement : null;
    if (!tags.length) return node;
    const head = node.querySelector(".fs-tile .fs-card-head");
    const said = JSON.stringify([tags, data.listed ?? [], head?.innerHTML]);
    if (now?.dataset.tags === said) return now;
    const place = element("div", "fs-tagged");
    place.dataset.tags = said;
    const row = element("div", "fs-chips");
    row.append(...tags.map((tag) => {
      const on = Boolean(data.listed?.includes(tag));
      const title = on ? "List items without regard to your tags again" : "List only items with this tag of yours";
      const made = button(`#${tag}`, () => setTriggerValue("tagged", tag), { className: "fs-label fs-tag", title });
      made.setAttribute("aria-pressed", String(on));
      return made;
    }));
    place.append(node, row);
    if (head) {
      // What the item is stays the last line, as on every card beside it: the card's own is out of sight.
      const last = head.cloneNode(true);
      last.onclick = () => node.click();
      place.append(last);
    }
    return place;
  }

  // A dialog that closes leaves the focus on the page's body.
  const watch = new MutationObserver(() => {
    if (!root.opened) return;
    const open = document.querySelector('[role="dialog"]');
    if (open) root.seen = true;
    else if (root.seen) {
      // Of the item that was walked to last, where its card is here (pages/item/place.js).
      const last = document.documentElement.dataset.fsItem;
      const its = last && drawn().find((node) => `${node.dataset.item}`.endsWith(` ${last.split(" ").pop()}`));
      const from = root.opened; // the dialog itself may have given the focus back to it
      const back = its || from;
      root.opened = root.seen = undefined;
      setTimeout(() => back.isConnected && [document.body, from].includes(document.activeElement) && back.focus(), 60);
    }
  });
  watch.observe(document.body, { childList: true, subtree: true });
  return () => watch.disconnect();
}
