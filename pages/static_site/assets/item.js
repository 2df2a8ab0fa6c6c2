// One item: pictures, captions, why the chosen model says what it says, and the verdicts of all.
import { button, element, keyOf, listen, whole } from "../../shared/drawing/dom.js";
import { texts, verdictOf, why } from "./data.js";
import { caption, captions, chip, dot, empty, finding, head, link, pictures, reasonSaid, section, tableOf, tags } from "./parts.js";
import { chosenSide } from "./failures.js";
import { go, one } from "./state.js";

async function whyBox(site, of, side, item) {
  const node = element("div", "fs-why fs-why-lead");
  const who = element("span", "fs-why-who");
  who.append(dot(side), element("b", "", side.name));
  const said = reasonSaid(site, of, side, item);
  if (said) who.append(element("span", "fs-label", said));
  node.append(who);
  const words = await why(of, side);
  if (words.said(item)) node.append(element("p", "fs-why-claim", words.said(item)), element("p", "fs-why-rest", words.rest(item)));
  else if (side.table.cell[item] >= 0) node.append(element("p", "fs-why-claim", `${capital(site.meanings[of.words[side.table.reason[item]]])}.`));
  else node.append(element("p", "fs-why-rest", "Its reason was not measured."));
  return node;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function walk(of, item, side) {
  const order = of.walk?.includes(item) ? of.walk : Array.from({ length: of.n }, (_, k) => k);
  const at = order.indexOf(item);
  const to = (k) => order[k] !== undefined && go("item", { benchmark: of.about.name, item: of.ids[order[k]], model: side.model, kind: side.kind });
  const node = element("nav", "tools");
  node.setAttribute("aria-label", "Items of the list");
  const [before, after] = [button("← previous", () => to(at - 1), { className: "quiet" }), button("next →", () => to(at + 1), { className: "quiet" })];
  before.disabled = at <= 0;
  after.disabled = at >= order.length - 1;
  before.dataset.focus = "previous item";
  after.dataset.focus = "next item";
  node.append(before, element("span", "", `${whole(at + 1)} of ${whole(order.length)}`), after);
  const stop = listen("keydown", (event) => {
    if (/INPUT|SELECT|TEXTAREA/.test(event.target.tagName) || event.target.shadowRoot) return;
    const key = keyOf(event);
    if (key === "ArrowLeft") to(at - 1);
    if (key === "ArrowRight") to(at + 1);
  });
  return { node, stop };
}

function matrix(of, item, current) {
  const protocol = of.subsets[of.subset[item]].protocol;
  const metrics = [...of.metrics.values()].filter((metric) => metric.protocol === protocol && of.sides.some((side) => verdictOf(side, metric.name, item)));
  const rows = of.sides.filter((side) => metrics.some((metric) => verdictOf(side, metric.name, item))).map((side) => {
    const name = element("span", "who");
    name.append(dot(side), link(side.name, "item", { benchmark: of.about.name, item: of.ids[item], model: side.model, kind: side.kind }, side === current ? "current" : ""));
    return [name, ...metrics.map((metric) => (verdictOf(side, metric.name, item) ? chip("", verdictOf(side, metric.name, item)) : "–"))];
  });
  return tableOf("Verdicts of all models", ["model", ...metrics.map((metric) => metric.title)], rows);
}

export async function drawItem({ site, of, root, name, params }) {
  const item = of.place.get(one(params, "item"));
  if (item === undefined) {
    root.append(head("Item", "There is no such item here", "It may belong to another benchmark, or the link was cut."), link("All failures", "failures", { benchmark: name }));
    return null;
  }
  const side = chosenSide(of, params);
  const known = await texts(of);
  const id = of.ids[item];
  const { node, stop } = walk(of, item, side);
  root.append(head("Item", id, [of.subsets[of.subset[item]].title, ...tags(of, item)].join(" · ")), node);
  const card = element("article", "fs-card item-card");
  const images = pictures(of, item, 192);
  const body = element("div", "fs-card-body");
  body.append(known ? captions(known[item]) : caption(of.about.withheld[0] ?? "Its captions are not in here."));
  if (images.childNodes.length) card.append(images);
  card.append(body);
  const lead = element("div", "pictured");
  lead.append(card, await whyBox(site, of, side, item));
  root.append(lead, finding((await why(of, side)).finding(item), `flipside-${name}-item`, () => lead, { benchmark: name, item: id, model: side.model, kind: side.kind }));
  root.append(section("What every model says", "right ✓, wrong ✗, and how far from flipping where scores may be shown"), matrix(of, item, side));
  const others = of.sides.filter((each) => each !== side && each.table.cell[item] >= 0);
  if (others.length) {
    const more = element("details", "others");
    more.append(element("summary", "", `Why, for the other ${others.length === 1 ? "model" : `${others.length} rows`}`));
    more.ontoggle = async () => {
      if (more.open && more.childNodes.length === 1) more.append(...(await Promise.all(others.map((each) => whyBox(site, of, each, item)))));
    };
    root.append(more);
  }
  if (!of.sides.some((each) => each.table.cell[item] >= 0)) root.append(empty("No model has a reason here", "Reasons need scores of all four cells of a quad, or of the captions under other images."));
  return stop;
}
