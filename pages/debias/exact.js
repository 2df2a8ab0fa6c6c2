// What is known about a curve, exactly: the open intervals of α in which its items are right.
// An item that is the same all over the domain is only counted; the others come as pieces, in the order of their items.
// How many of some ascending numbers are below a value (or not above it).
import { unpack } from "../shared/drawing/dom.js";

export function countBelow(ascending, value, orEqual) {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (orEqual ? ascending[middle] <= value : ascending[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function exactCurve(curve, domain) {
  const lo = unpack(curve.lo, Float64Array);
  const hi = unpack(curve.hi, Float64Array);
  const owner = unpack(curve.owner, Int32Array);
  const starts = lo.slice().sort();
  const ends = hi.slice().sort();
  const inside = (value) => value > domain[0] && value < domain[1];
  const points = [...new Set([...starts.filter(inside), ...ends.filter(inside)])];
  const breakpoints = Float64Array.from(points).sort();
  // Pieces are open and those of one item disjoint: right at α are those begun before it less those ended by it.
  const right = (alpha) => curve.constant + countBelow(starts, alpha, false) - countBelow(ends, alpha, true);
  const value = (alpha) => (curve.n ? right(alpha) / curve.n : null);
  const tiesAt = (alpha) => {
    const at = (ascending) => countBelow(ascending, alpha, true) - countBelow(ascending, alpha, false);
    return at(starts) + at(ends);
  };
  // Items right at b only (won) and at a only (lost).
  function flips(a, b) {
    let won = 0;
    let lost = 0;
    for (let k = 0; k < owner.length;) {
      const item = owner[k];
      let before = false;
      let after = false;
      for (; k < owner.length && owner[k] === item; k += 1) {
        before = before || (lo[k] < a && a < hi[k]);
        after = after || (lo[k] < b && b < hi[k]);
      }
      if (after && !before) won += 1;
      if (before && !after) lost += 1;
    }
    return [won, lost];
  }
  // The middle of the next stretch without a flip, above or below.
  function stretch(alpha, up) {
    const edges = breakpoints;
    const k = up ? countBelow(edges, alpha, true) : countBelow(edges, alpha, false) - 1;
    if (k < 0 || k >= edges.length) return up ? domain[1] : domain[0];
    const beyond = up ? (k + 1 < edges.length ? edges[k + 1] : domain[1]) : k > 0 ? edges[k - 1] : domain[0];
    return (edges[k] + beyond) / 2;
  }
  // α* has as many decimals as tell it from the ends of its plateau, wherever it is written.
  const named = (alpha) => (curve.best && alpha === curve.best.alpha ? curve.best.number : shown(alpha));
  return { ...curve, named, lo, hi, owner, breakpoints, right, value, tiesAt, flips, stretch };
}

// Three decimals, as everywhere but at α* (`named`); `exactly` where three are not all of it.
export const shown = (alpha) => alpha.toFixed(3);

// All that six decimals say of an α that three do not; "" where three say it.
export const exactly = (alpha) => (Math.abs(alpha * 1000 - Math.round(alpha * 1000)) < 1e-9 ? "" : `exactly ${alpha.toFixed(6)}`);
