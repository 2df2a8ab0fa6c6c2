// A row for each loss: its value, how it pulls at γ, c, r and at all four scores together, what that asks, and where its
// steps lead. The row is the legend of its path; the chosen one's pull is drawn at the scores.
import { element, svg } from "../../shared/drawing/dom.js";
import { brief } from "./quad.js";
import { outcomeSaid } from "./steps.js";

const HEADS = [
  ["loss", "choose one to see its pull at the four scores"],
  ["value", "of this quad"],
  ["pull at γ", "−∂L/∂γ, how hard a step pulls at the binding; above zero it is raised"],
  ["c", "−∂L/∂c, how hard a step pulls at the caption bias"],
  ["r", "−∂L/∂r, how hard a step pulls at the image bias"],
  ["all four", "−∂L/∂μ, how hard a step pulls at all four scores together"],
  ["asks for", "the signs of the pulls, the strongest first"],
];
const SHOWN = ["gamma", "c", "r", "mu"];

function swatch(look) {
  const node = svg("svg", { width: 26, height: 10, class: "swatch", "aria-hidden": "true" });
  node.append(svg("line", { x1: 1, x2: 25, y1: 5, y2: 5, stroke: look.colour, "stroke-width": 3, "stroke-dasharray": look.dash }));
  return node;
}

export function drawTable(data, tell) {
  const root = element("div", "scroll");
  Object.assign(root, { tabIndex: 0 });
  root.setAttribute("role", "region");
  root.setAttribute("aria-label", "What each loss asks of this quad");
  const table = element("table");
  const top = element("tr");
  for (const [name, tip] of HEADS) {
    const head = element("th", "", name);
    head.scope = "col";
    head.title = tip;
    top.append(head);
  }
  const last = element("th", "", "");
  last.scope = "col";
  top.append(last);
  const head = element("thead");
  head.append(top);
  const body = element("tbody");
  const rows = data.looks.losses.map((look) => {
    const row = element("tr");
    row.dataset.loss = look.id;
    const first = element("th");
    first.scope = "row";
    const label = element("label");
    const radio = element("input");
    Object.assign(radio, { type: "radio", name: "loss", value: look.id });
    radio.onchange = () => tell.choose(look.id);
    label.append(radio, swatch(look), element("span", "", look.name));
    first.append(label);
    const cells = Array.from({ length: 7 }, () => element("td"));
    row.append(first, ...cells);
    row.onpointerenter = () => tell.hover(look.id);
    row.onpointerleave = () => tell.hover(null);
    row.onclick = () => tell.choose(look.id);
    radio.onfocus = () => tell.hover(look.id);
    radio.onblur = () => tell.hover(null);
    body.append(row);
    return { row, radio, cells };
  });
  table.append(head, body);
  root.append(table);

  const move = (found, chosen, steps) => {
    last.textContent = `after ${steps} step${steps === 1 ? "" : "s"}`;
    last.title = "where its path ends, by comparisons of the four scores";
    found.forEach((each, k) => {
      const { row, radio, cells } = rows[k];
      row.className = each.name === chosen ? "chosen" : "";
      radio.checked = each.name === chosen;
      const end = outcomeSaid(each.end, data.names);
      const texts = [brief(each.value), ...SHOWN.map((part) => (brief(each.parts[part], true))), each.asks, end];
      texts.forEach((text, at) => (cells[at].textContent = text));
      cells[6].className = `end ${end.startsWith("✓") ? "right" : "wrong"}`;
      cells[5].className = "words";
    });
  };
  return { root, move };
}
