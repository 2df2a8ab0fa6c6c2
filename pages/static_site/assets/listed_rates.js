// What Failures says of the items that are left: their rate, its interval, the mean of the orders of asking, and a sentence.
import { element, percent, whole } from "../../shared/drawing/dom.js";
import { UNDEFINED, meanOfOrders } from "./data.js";
import { COUNTED, HERE, ends, sentence, shareOf } from "./numbers.js";
import { one } from "./state.js";

// What comes of the verdict itself, or of another model's: items that are picked by it have no rate.
export const PICKED = "A margin, a cell, a reason or another model picks items for being right or wrong, so no rate of these is given.";

// The interval that Python made of items that share an image taken together, where a whole subset, or everything, is shown by one
// metric; null where the reader has chosen other items.
export function precomputed(of, side, rows, params, n) {
  const [metrics, subsets] = [new Set(rows.map((row) => row.metric)), params.subset ?? []];
  if (metrics.size !== 1 || subsets.length > 1 || one(params, "show", "wrong") !== "all") return null;
  const found = of.clustered[side.key]?.[[...metrics][0]]?.[subsets[0] ?? ""];
  return found && found[3] === n && found[1] !== null ? [found[1], found[2]] : null;
}

// Why what is right by one metric is only a lower bound; "" where it is none.
export function bounded(of, side, rows, params) {
  const metrics = [...new Set(rows.map((row) => row.metric))];
  const subsets = params.subset?.length ? params.subset : [""];
  return metrics.length === 1 ? subsets.map((name) => of.clustered[side.key]?.[metrics[0]]?.[name]?.[4]).find(Boolean) ?? "" : "";
}

// What stands for choices that were asked in several orders: their mean over the orders, with the interval that Python made
// where a whole subset, or everything, is shown; "" of all others.
export function heading(of, found, params) {
  const items = found.among.filter((row) => row.metric === "accuracy" && row.verdict !== UNDEFINED).map((row) => row.item);
  const mean = found.picked ? null : meanOfOrders(of, found.side, items);
  if (!mean) return null;
  const subsets = params.subset ?? [];
  const known = subsets.length < 2 ? of.means[found.side.key]?.[subsets[0] ?? ""] : null;
  const isWhole = known && known[3] === mean.n;
  const interval = isWhole && known[1] !== null ? ` ${ends([known[1], known[2]])}` : "";
  return { said: `${percent(mean.value)}${interval} (n = ${whole(mean.n)})`, more: isWhole ? known[4] : "", value: `${percent(mean.value)}${interval}` };
}

// The rate of the items that are left, whatever verdicts are listed, in one sentence; of items that were picked for their
// outcome how many are right; "" without any that has one.
export function copied(of, found, params, name, right, n, bound, mean) {
  if (!n) return "";
  const { side, facets: all, other, same, rows, picked } = found;
  const chosen = all.slice(1).filter((facet) => facet.wanted.size).map((facet) => `${facet.title.split(",")[0].toLowerCase()} ${[...facet.wanted].map((value) => facet.names.get(value) ?? value).join(" or ")}`);
  const [low, high, text] = [one(params, "from"), one(params, "to"), one(params, "text").trim()];
  if (low !== "" || high !== "") chosen.push(`margin ${[low !== "" && `from ${low}`, high !== "" && `to ${high}`].filter(Boolean).join(" ")}`);
  if (text) chosen.push(of.hasTexts ? `“${text}” in a caption, or this id` : `the id “${text}”`);
  if (other) chosen.push(`right under ${other.name}${same ? ", asked in as many orders" : ""}`);
  const metrics = [...new Set(rows.map((row) => of.metrics.get(row.metric).title))];
  const which = chosen.length ? `the items with ${chosen.join(", ")}` : "all items";
  const share = picked ? `${whole(right)} of ${whole(n)} ${which.replace(/^the /, "")}` : shareOf(right, n, which);
  const claim = `${side.name} is right on ${bound ? "at least " : ""}${share}`;
  return sentence(claim, n, "items", [picked ? `${HERE}, picked by its outcome` : COUNTED, mean && `${mean.value} in the mean of the orders of asking`, metrics.length === 1 ? metrics[0] : "each item by the metric that decides", side.rule, bound && "one verdict for both paraphrases", side.kindName, name]);
}

export function meanLine(mean) {
  const node = element("p", "in-mean");
  node.append(element("b", "", mean.said), ` right, mean of the orders of asking${mean.more ? ` · ${mean.more}` : ""}; listed below by one verdict each, right where the truth was chosen in every order.`);
  return node;
}
