// Overview: the dashboard's own two pictures, from the numbers that Python wrote.
import drawCells from "../../shared/drawing/cells.js";
import drawHeat from "../../shared/drawing/heatmap.js";
import { element } from "../../shared/drawing/dom.js";
import { caption, component, empty, finding, head, section } from "./parts.js";
import { go } from "./state.js";

export function drawOverview({ site, of, root, name }) {
  const { overview } = of;
  root.append(head("Overview", "Which models fail at what?", "Each number is the share of items that a model gets right, with the ends of its 95 % interval; click one to see the failures behind it, or a column's name to sort by it."));
  const opened = (wanted) => go("failures", { benchmark: name, ...wanted });
  if (overview.hero.parts.length) {
    const hero = component("cells", "cells");
    root.append(section(overview.heroTitle, "each model that sees images, subset by subset"), hero.host, caption(overview.heroCaption), finding(overview.heroFinding, `flipside-${name}-cells`, () => hero.host, { benchmark: name }));
    hero.run(drawCells, overview.hero, (_, id) => {
      const [model, kind, subset, cell] = id.split("\t");
      opened({ model, kind, subset, cell, show: "all" });
    });
  }
  root.append(section("How often is it right?", "by subset"));
  if (!overview.heat.rows.length) {
    root.append(empty("No rates", "None of these runs has verdicts that a rate can be formed of."));
    return null;
  }
  const heat = component("heatmap", "heat");
  root.append(heat.host, caption(overview.heatCaption), finding(overview.heatFinding, `flipside-${name}-rates`, () => heat.host, { benchmark: name }));
  const stop = heat.run(drawHeat, { ...overview.heat, order: "" }, (what, id) => {
    if (what !== "opened") return;
    const [row, column] = id.split("\n");
    const [subset, metric] = column.split("\t");
    const wanted = { model: row.split("\t")[0], kind: overview.heatKinds[id], subset: subset.split(" (")[0] };
    opened(of.metrics.has(metric) ? { ...wanted, metric } : wanted);
  });
  if (overview.notice.length) {
    const facts = element("div", "fs-notice");
    for (const [title, text] of overview.notice) {
      const fact = element("div");
      fact.append(element("strong", "", title), element("p", "", text));
      facts.append(fact);
    }
    root.append(section("What to notice", "read off the numbers above"), facts);
  }
  if (of.about.fetched.models) {
    const whose = element("div", "sources");
    for (const [title, text] of of.about.fetched.facts) {
      const line = element("p", "fs-caption");
      line.append(element("b", "", title), text);
      whose.append(line);
    }
    whose.append(...of.about.fetched.terms.map((text) => caption(text)));
    root.append(section("Whose results these are", `${of.about.fetched.models} of ${of.about.models} models were fetched from public places`), whose);
  }
  const about = element("div", "withheld");
  about.append(...of.about.withheld.map((text) => caption(text)));
  if (of.about.withheld.length) root.append(section("What is not in here"), about);
  void site;
  return stop;
}
