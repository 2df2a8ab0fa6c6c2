// Rates that the page counts itself. They are labelled so: items that share an image count as independent here.
import { percent, plain, whole } from "../../shared/drawing/dom.js";

const Z = 1.959963984540054;

// Wilson's interval of k right among n, at 95 %; null for none (backend/metrics/statistics.py has the same).
export function wilson(k, n) {
  if (n <= 0) return null;
  const [p, spread] = [k / n, (Z * Z) / n];
  const centre = (p + spread / 2) / (1 + spread);
  const half = (Z / (1 + spread)) * Math.sqrt((p * (1 - p)) / n + spread / (4 * n));
  return [k === 0 ? 0 : Math.max(0, centre - half), k === n ? 1 : Math.min(1, centre + half)];
}

export const ends = (of) => (of ? `[${plain(100 * of[0], 1)}, ${plain(100 * of[1], 1)}]` : "");

// "61.5 % [59.4, 63.6] (n = 600)"; a count below ten.
export function rate(k, n, interval = wilson(k, n)) {
  if (!n) return "– (n = 0)";
  if (n < 10) return `${k} of ${n}`;
  return `${percent(k / n)} ${ends(interval)} (n = ${whole(n)})`;
}

// A rate inside a sentence that says its n elsewhere.
export const share = (k, n) => (n < 10 ? `${k} of ${n}` : `${percent(k / n)} ${ends(wilson(k, n))}`);

// The same with what it is a share of, "all items" or "quads of relation"; of how many is said once.
export function shareOf(k, n, what) {
  if (n >= 10) return `${share(k, n)} of ${what}`;
  const [, which = "", rest] = what.match(/^(all |the )?(.*)$/);
  return `${k} of ${which}${n} ${rest}`;
}

export const HERE = "counted in the published page";
export const COUNTED = `Wilson’s interval, ${HERE}`;

// A sentence as backend/finding.py composes it: what is found, n and what it holds under.
export const sentence = (claim, n, counted, setting) => `${claim} (${[`n = ${whole(n)} ${n === 1 ? counted.replace(/s$/, "") : counted}`, ...setting.filter(Boolean)].join("; ")}).`;

// Three significant digits with a sign, as `written.score` has them.
export function score(value) {
  if (value === null || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const text = size >= 100 ? size.toFixed(0) : size === 0 ? "0.00" : size >= 0.001 ? size.toPrecision(3) : size.toExponential(2).replace("e-", "e−");
  return (value < 0 && Number(size.toPrecision(3)) !== 0 ? "−" : value > 0 ? "+" : "") + text;
}
