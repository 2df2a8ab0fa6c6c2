// A gallery of cards. Each card's HTML comes from pages/parts/cards.py, which escapes all texts.
export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".fs-gallery");
  root.classList.toggle("fs-compact", data.compact);
  const cards = data.cards.map((card) => {
    const node = document.createElement("div");
    node.className = "fs-open";
    node.tabIndex = 0;
    node.setAttribute("role", "button");
    node.setAttribute("aria-label", `Open ${card.name}`);
    node.dataset.item = card.id;
    node.innerHTML = card.html;
    const open = () => setTriggerValue("opened", card.id);
    node.onclick = open;
    node.onkeydown = (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        open();
      }
    };
    return node;
  });
  root.replaceChildren(...cards);
}
