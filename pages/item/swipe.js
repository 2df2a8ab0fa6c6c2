// Two images laid over each other with a divider: a range input that covers both moves it, by pointer or arrow keys.
export default function (component) {
  const { data, parentElement } = component;
  const root = parentElement.querySelector(".fs-swipe");
  const [under, over] = root.querySelectorAll("img");
  const slider = root.querySelector("input");
  const captions = root.querySelectorAll("figcaption span");
  [under, over].forEach((image, k) => {
    if (image.getAttribute("src") !== data.images[k]) image.src = data.images[k];
    image.alt = data.names[k];
    captions[k].textContent = data.names[k];
  });
  slider.setAttribute("aria-label", `${data.names[0]} on the left, ${data.names[1]} on the right of the divider`);
  const draw = () => {
    root.style.setProperty("--at", `${slider.value}%`);
    slider.setAttribute("aria-valuetext", `${slider.value} % ${data.names[0]}`);
  };
  slider.oninput = draw;
  // Left and right belong to the slider while it has the focus, not to the walk along the items.
  slider.onkeydown = (event) => {
    if (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End") event.stopPropagation();
  };
  draw();
}
