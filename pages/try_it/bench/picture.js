// The pictures of an experiment. A box dragged on one covers it; with the keyboard: Enter sets a box, the arrow keys move
// it, + and - change its size, Escape takes it off.
import { button, element, keyOf, taken } from "../../shared/drawing/dom.js";

const LEAST = 4;
const MOVES = { ArrowLeft: [-1, 0, -1, 0], ArrowRight: [1, 0, 1, 0], ArrowUp: [0, -1, 0, -1], ArrowDown: [0, 1, 0, 1], "+": [-1, -1, 1, 1], "-": [1, 1, -1, -1] };

// A box in pixels of the picture, drawn over it in per cent.
function place(node, box, picture) {
  const [left, top, right, bottom] = box;
  node.style.left = `${(100 * left) / picture.width}%`;
  node.style.top = `${(100 * top) / picture.height}%`;
  node.style.width = `${(100 * (right - left)) / picture.width}%`;
  node.style.height = `${(100 * (bottom - top)) / picture.height}%`;
}

function frameOf(picture, number, send) {
  const figure = element("figure");
  const frame = element("div", "fs-frame");
  frame.style.setProperty("--fs-ratio", picture.width / picture.height);
  const image = element("img", "fs-shown");
  Object.assign(image, { src: picture.source, alt: picture.name, draggable: false });
  const cover = element("div", "fs-cover");
  cover.style.background = picture.mean;
  cover.hidden = !picture.box;
  if (picture.box) place(cover, picture.box, picture);
  frame.append(image, cover);
  Object.assign(frame, { tabIndex: 0 });
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", `Image ${number + 1}: drag a box to cover a part of it; Enter sets one, arrow keys move it, plus and minus change its size, Escape clears it`);
  let from = null;
  const at = (event) => {
    const area = image.getBoundingClientRect();
    const across = Math.min(Math.max((event.clientX - area.left) / area.width, 0), 1);
    const down = Math.min(Math.max((event.clientY - area.top) / area.height, 0), 1);
    return [Math.round(across * picture.width), Math.round(down * picture.height)];
  };
  const boxTo = ([x, y]) => [Math.min(from[0], x), Math.min(from[1], y), Math.max(from[0], x), Math.max(from[1], y)];
  const big = (box) => box[2] - box[0] >= LEAST && box[3] - box[1] >= LEAST;
  frame.onpointerdown = (event) => {
    if (event.button !== 0) return;
    from = at(event);
    frame.setPointerCapture(event.pointerId);
  };
  frame.onpointermove = (event) => {
    if (!from) return;
    const box = boxTo(at(event));
    cover.hidden = !big(box);
    place(cover, box, picture);
  };
  frame.onpointerup = (event) => {
    if (!from) return;
    const box = boxTo(at(event));
    from = null;
    if (big(box)) {
      send({ do: "cover", image: number, box });
    } else if (picture.box) {
      place(cover, picture.box, picture);
      cover.hidden = false;
    }
  };
  frame.onpointercancel = () => (from = null);
  frame.onkeydown = (event) => {
    const key = keyOf(event);
    const [w, h] = [picture.width, picture.height];
    if (key === "Escape" && picture.box) send({ do: "uncover", image: number });
    else if (key === "Enter") send({ do: "cover", image: number, box: [0.3 * w, 0.3 * h, 0.6 * w, 0.6 * h].map(Math.round) });
    else if (key in MOVES && picture.box) {
      const step = [w, h, w, h].map((size, k) => MOVES[key][k] * Math.max(1, Math.round(size / 20)));
      send({ do: "cover", image: number, box: picture.box.map((end, k) => end + step[k]) });
    } else return;
    taken(event);
  };
  const line = element("figcaption");
  line.append(element("span", "", picture.box ? `${picture.share} % covered` : `image ${number + 1}`));
  if (picture.box) {
    line.firstChild.title = "Filled with the picture’s own mean colour";
    line.append(button("Clear cover", () => send({ do: "uncover", image: number }), { className: "fs-small" }));
  }
  const remove = button("×", () => send({ do: "remove", image: number }), { className: "fs-remove", title: `Take ${picture.name} off the page` });
  remove.setAttribute("aria-label", `Remove ${number + 1}`);
  line.append(remove);
  figure.append(frame, line);
  return figure;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".fs-pictures");
  const send = (what) =>
    setTriggerValue("did", { ...what, id: crypto.randomUUID?.() ?? `${Date.now()} ${Math.random()}` });
  const focused = [...root.querySelectorAll(".fs-frame")].indexOf(document.activeElement);
  root.dataset.count = Math.min(data.pictures.length, 3);
  root.replaceChildren(...data.pictures.map((picture, k) => frameOf(picture, k, send)));
  if (focused >= 0) root.querySelectorAll(".fs-frame")[focused]?.focus({ preventScroll: true });
}
