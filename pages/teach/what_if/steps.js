// What becomes of a quad: its verdicts and cell, the steps of a descent, and what a gradient asks in words.
import { LOSSES, PARTS, inParts, lossOf, partsOf } from "./losses.js";

// Sums of two scores nearer to each other than this many roundings of the largest are equal, as in
// backend/metrics/reasons/quads.py.
const ROUNDINGS = 8 * Number.EPSILON;

// Text, image and group score and the cell, by comparisons of the four scores alone; ties are failures.
export function judged(s) {
  const [s11, s12, s21, s22] = s;
  const text = s11 > s12 && s22 > s21;
  const image = s11 > s21 && s22 > s12;
  const textBack = s12 > s11 && s21 > s22;
  const imageBack = s12 > s22 && s21 > s11;
  const gap = s11 + s22 - (s12 + s21);
  const near = Math.abs(gap) <= ROUNDINGS * Math.max(...s.map(Math.abs));
  const binds = text || image || (!textBack && !imageBack && !near && gap > 0);
  const outvoted = text ? "outvoted_by_image" : image ? "outvoted_by_caption" : "outvoted_by_both";
  const cell = text && image ? "right" : binds ? outvoted : "no_binding";
  return { text, image, group: text && image, cell };
}

// Below this share of the scale a slope counts as none.
const FLAT = 1e-6;
const flat = (how) => FLAT * Math.max(1, how.kind === "itc" ? how.scale : 1);

// A step is walked in so many parts, so that a path does not zigzag where a loss has a kink.
const FINE = 8;

// A part of a step straight downhill, halved until the loss is lower; null where there is no slope, or nothing lower.
function lower(name, s, how, longest) {
  const [value, gradient] = lossOf(name, s, how);
  const slope = Math.hypot(...gradient);
  if (!(slope > flat(how))) return null;
  for (let far = longest; far > longest / 1e5; far /= 2) {
    const tried = s.map((each, k) => each - (far * gradient[k]) / slope);
    if (lossOf(name, tried, how)[0] < value) return tried;
  }
  return null;
}

// The quads of a descent on the four free scores, step by step, the first one included: each step goes how.length, the
// last one less where the loss is met on the way.
export function descent(name, s, how) {
  const path = [s];
  for (let k = 0; k < how.steps; k += 1) {
    let here = path[k];
    for (let part = 0; part < FINE && here; part += 1) {
      const next = lower(name, here, how, how.length / FINE);
      if (!next) {
        if (part) path.push(here);
        return path;
      }
      here = next;
    }
    path.push(here);
  }
  return path;
}

// Where a path leads: its last cell, and from which step on the quad is right (null where it does not end right).
export function outcome(path) {
  const cells = path.map((s) => judged(s).cell);
  const last = cells[cells.length - 1];
  let from = null;
  for (let k = cells.length - 1; k >= 0 && cells[k] === "right"; k -= 1) from = k;
  return { first: cells[0], last, from };
}

export function outcomeSaid({ first, last, from }, names) {
  if (from !== null) return from === 0 ? "✓ stays right" : `✓ right from step ${from}`;
  return first === "right" ? `✗ made wrong: ${names[last]}` : `✗ ${first === last ? "still " : ""}${names[last]}`;
}

const LETTERS = { mu: "all four", gamma: "γ", c: "c", r: "r" };

// What a loss asks of a quad, the strongest first, in words: "γ up, r towards zero".
export function asked(name, s, how) {
  const [value, gradient] = lossOf(name, s, how);
  const [slopes, at] = [inParts(gradient), partsOf(s)];
  const largest = Math.max(...PARTS.map((part) => Math.abs(slopes[part])));
  const size = Math.max(...s.map(Math.abs));
  if (!(largest > flat(how))) {
    const hinge = !how.together && name !== "retrieval" && name !== "negatives";
    return hinge && value <= 1e-12 ? "nothing: it is met" : "next to nothing";
  }
  const said = PARTS.filter((part) => Math.abs(slopes[part]) > FLAT * largest);
  said.sort((a, b) => Math.abs(slopes[b]) - Math.abs(slopes[a]));
  return said.map((part) => {
    const up = slopes[part] < 0;
    if (part === "gamma" || part === "mu") return `${LETTERS[part]} ${up ? "up" : "down"}`;
    if (Math.abs(at[part]) <= ROUNDINGS * size) return `${LETTERS[part]} off zero`;
    return `${LETTERS[part]} ${up === at[part] < 0 ? "towards" : "away from"} zero`;
  }).join(", ");
}

// All that is shown of one quad: for each loss its value, its pull on the scores and on their parts, and its path.
export function everything(s, how) {
  return LOSSES.map((name) => {
    const [value, gradient] = lossOf(name, s, how);
    const path = descent(name, s, how);
    const pulls = gradient.map((each) => 0 - each);
    const least = 1e-12 * Math.max(...pulls.map(Math.abs)); // what rounding leaves of a sum that is zero
    const parts = Object.fromEntries(Object.entries(inParts(pulls)).map(([part, pull]) => [part, Math.abs(pull) > least ? pull : 0]));
    return { name, value, pulls, parts, asks: asked(name, s, how), path, end: outcome(path) };
  });
}
