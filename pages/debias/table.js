// The numbers that follow the marker: large ones for the curve in focus, a table for all.
import { element, percent, points, svg, whole } from "../shared/drawing/dom.js";

export function drawTable(data, curves) {
  const table = element("table");
  const head = table.createTHead().insertRow();
  for (const [text, tip] of [["P(t) from", "Where log P(t) comes from"], ["at α", "The exact share of right items at this α"], ["since α₁", "Percentage points since α₁"], ["won", "Wrong at α₁, right at α"], ["lost", "Right at α₁, wrong at α"]]) {
    const cell = element("th", "", text);
    cell.scope = "col";
    cell.title = tip;
    head.append(cell);
  }
  const body = table.createTBody();
  const lines = curves.map((curve) => {
    const row = body.insertRow();
    row.dataset.curve = curve.key;
    if (curve.key === data.focus) row.className = "focus";
    const name = element("th");
    name.scope = "row";
    const sample = svg("svg", { width: 24, height: 10, class: "sample", "aria-hidden": "true" });
    sample.append(svg("line", { x1: 1, x2: 23, y1: 5, y2: 5, stroke: curve.colour, "stroke-width": 2.6, "stroke-dasharray": curve.dash || "none" }));
    name.append(sample, element("span", "", curve.label));
    const cells = ["value", "change", "won", "lost"].map((role) => element("td", role));
    row.append(name, ...cells);
    return { curve, cells };
  });
  const move = (alpha, since) => {
    for (const { curve, cells } of lines) {
      const value = curve.value(alpha);
      const [won, lost] = curve.flips(since, alpha);
      cells[0].textContent = percent(value);
      cells[0].title = `${whole(curve.right(alpha))} of ${whole(curve.n)} items`;
      cells[1].textContent = value === null ? "–" : points(value - curve.value(since));
      cells[2].textContent = `▲ ${whole(won)}`;
      cells[3].textContent = `▼ ${whole(lost)}`;
    }
  };
  return { table, move };
}

export function drawHero(focus) {
  const root = element("div", "hero");
  // Two and two, so that where they do not fit into one line neither won nor lost stands alone.
  const figures = [["alpha", "value"], ["won", "lost"]].flatMap((roles) => {
    const pair = element("div", "pair");
    root.append(pair);
    return roles.map((role) => {
      const box = element("div", `figure ${role}`);
      const [number, says] = [element("b"), element("span")];
      box.append(number, says);
      pair.append(box);
      return [number, says];
    });
  });
  const move = (alpha, since) => {
    const value = focus.value(alpha);
    const [won, lost] = focus.flips(since, alpha);
    const said = [
      [`α ${focus.named(alpha)}`, alpha === 0 ? "the prior is kept" : alpha === 1 ? "PMI" : "of the prior gone"],
      [percent(value), value === null || alpha === since ? "right" : `right, ${points(value - focus.value(since))} points`],
      [`▲ ${whole(won)}`, since ? `won since α₁ = ${focus.named(since)}` : "won since α = 0"],
      [`▼ ${whole(lost)}`, since ? `lost since α₁ = ${focus.named(since)}` : "lost since α = 0"],
    ];
    said.forEach(([number, says], k) => {
      figures[k][0].textContent = number;
      figures[k][1].textContent = says;
    });
  };
  return { root, move };
}
