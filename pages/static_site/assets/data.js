// The data of the site: scripts that are loaded when they are needed, and what they hold as typed arrays.
import { unpack } from "../../shared/drawing/dom.js";

const given = new Map();
const asked = new Map();

// What a script of data calls.
window.FLIPSIDE = { add: (name, value) => given.set(name, value) };

export function need(name) {
  if (!asked.has(name)) {
    asked.set(name, new Promise((done, refused) => {
      const script = document.createElement("script");
      script.src = `data/${name}.js`;
      script.onload = () => (given.has(name) ? done(given.get(name)) : refused(new Error(`data/${name}.js holds no ${name}`)));
      script.onerror = () => refused(new Error(`data/${name}.js is not beside this page`));
      document.head.append(script);
    }));
  }
  return asked.get(name);
}

export const UNDEFINED = -1;
export const RIGHT = 1;
export const TIE = 2;
export const MIXED = 3; // wrong, though no foil was chosen every time

function lists(raw) {
  const ends = unpack(raw.ends, Int32Array);
  const at = unpack(raw.at, Int16Array);
  return { words: raw.words, of: (item) => at.subarray(item ? ends[item - 1] : 0, ends[item] ?? 0) };
}

function table(raw, n) {
  const metrics = new Map();
  for (const [name, of] of Object.entries(raw.metrics)) {
    const at = unpack(of.at, Int32Array);
    const place = new Int32Array(n).fill(-1);
    at.forEach((item, k) => {
      place[item] = k;
    });
    metrics.set(name, { at, place, verdict: unpack(of.verdict, Int8Array), margin: of.margin ? unpack(of.margin, Float32Array) : null });
  }
  return { metrics, cell: unpack(raw.cell, Int8Array), reason: unpack(raw.reason, Int8Array), times: raw.times ? unpack(raw.times, Int16Array) : null, orders: raw.orders ? unpack(raw.orders, Int8Array) : null };
}

// A benchmark: about (its line in the site's index), items, sides (each with its table of verdicts), metrics by name.
export async function benchmark(about) {
  const raw = await need(about.key);
  if (raw.ready) return raw.ready;
  const { n } = raw.items;
  const sides = raw.sides.map((side, k) => ({ ...side, at: k, table: table(raw.verdicts[k], n), curves: raw.alpha[side.key] ?? [] }));
  raw.ready = {
    about,
    n,
    ids: raw.items.ids,
    place: new Map(raw.items.ids.map((id, k) => [id, k])),
    subsets: raw.items.subsets,
    subset: unpack(raw.items.subset, Int16Array),
    concepts: lists(raw.items.concepts),
    perturbations: lists(raw.items.perturbations),
    files: raw.items.files,
    pictures: raw.items.pictures,
    hasTexts: raw.items.hasTexts,
    sides,
    metrics: new Map(raw.metrics.map((metric) => [metric.name, metric])),
    words: raw.words,
    overview: raw.overview,
    pairs: raw.pairs,
    apart: raw.apart,
    clustered: raw.clustered,
    means: raw.means,
    walk: null,
  };
  return raw.ready;
}

export const texts = (of) => (of.hasTexts ? need(`${of.about.key}-texts`) : Promise.resolve(null));

// JSON that was deflated: the browser's own stream, nothing of the network.
async function inflated(text) {
  const stream = new Blob([unpack(text, Uint8Array)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const reader = stream.getReader();
  const letters = new TextDecoder();
  let found = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return JSON.parse(found + letters.decode());
    found += letters.decode(value, { stream: true });
  }
}

// What is said of each item under a side: said(item), the claim, rest(item), and finding(item), "" where nothing is.
export async function why(of, side) {
  const raw = await need(`${of.about.key}-why-${side.at}`);
  if (!raw.ready) {
    const at = unpack(raw.at, Int32Array);
    const place = new Map(Array.from(at, (item, k) => [item, k]));
    const [said, rest, findings] = await Promise.all([raw.said, raw.rest, raw.findings].map(inflated));
    raw.ready = { said: (item) => said[place.get(item)] ?? "", rest: (item) => rest[place.get(item)] ?? "", finding: (item) => findings[place.get(item)] ?? "" };
  }
  return raw.ready;
}

// The metrics by which a side's items are listed: of each protocol the one that decides, else the first that it has.
export function deciding(of, side) {
  const found = new Map();
  for (const metric of of.metrics.values()) {
    if (!side.table.metrics.has(metric.name)) continue;
    const known = found.get(metric.protocol);
    if (!known || (metric.decides && !known.decides)) found.set(metric.protocol, metric);
  }
  return [...found.values()].map((metric) => metric.name);
}

// Whether an item was asked in as many orders on both sides: other verdicts follow different rules, and compare in
// nothing (asking_orders.alike has the same). Scores do not depend on an order.
export const alike = (a, b, item) => !a.table.times || !b.table.times || a.table.times[item] === b.table.times[item];

// The mean of the orders of asking over some items: {value, n}, n the items that were asked in any; null where the side was
// not asked to choose in several orders, or none of these is among what was asked (contests.mean_of_orders has the same).
export function meanOfOrders(of, side, items) {
  const right = side.table.orders;
  if (!right) return null;
  const k = right.length / of.n;
  const shares = [...items].flatMap((item) => {
    const own = right.subarray(item * k, (item + 1) * k).filter((each) => each >= 0);
    return own.length ? [own.reduce((a, b) => a + b, 0) / own.length] : [];
  });
  return shares.length ? { value: shares.reduce((a, b) => a + b, 0) / shares.length, n: shares.length } : null;
}

// The verdict of a side on an item by a metric: {verdict, margin}; null where it has none.
export function verdictOf(side, metric, item) {
  const own = side.table.metrics.get(metric);
  const k = own ? own.place[item] : -1;
  return k < 0 ? null : { verdict: own.verdict[k], margin: own.margin ? own.margin[k] : null };
}
