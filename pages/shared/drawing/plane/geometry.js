// Arithmetic of a plane: ticks, numbers as they are said, which points lie inside an area, and which is the nearest.

// Round values within [low, high], about `most` of them, but three at least.
export function ticksOf(low, high, most) {
  const rough = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((each) => each * power >= rough * 0.999) ?? 10);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) found.push(k * step);
  return found.length < 3 && most < 20 ? ticksOf(low, high, most * 1.5) : { step, values: found };
}

// A tick's number with as many digits as its step has, and a true minus. sizeAlone: without a sign.
export function tickText(value, step, sizeAlone) {
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const shown = Math.abs(value) < step / 1e6 ? 0 : value;
  const text = Math.abs(shown).toFixed(Math.min(digits, 12));
  return shown < 0 && !sizeAlone ? `−${text}` : text;
}

// A number with three significant digits, as "%.3g" writes it, with a true minus; "–" where there is none.
export function threeDigits(value) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const rounded = Number(value.toPrecision(3));
  const size = Math.abs(rounded);
  const plain = size >= 1e-4 && size < 1e5 ? String(size) : size.toExponential().replace("e-", "e−").replace("e+", "e");
  return rounded < 0 ? `−${plain}` : plain;
}

// Whether a place lies inside a polygon, by the even-odd rule (pick.py decides in the same way).
export function isWithin(x, y, xs, ys) {
  let found = false;
  for (let i = 0, j = xs.length - 1; i < xs.length; j = i, i += 1) {
    if (ys[i] !== ys[j] && ys[i] > y !== ys[j] > y && x < ((xs[j] - xs[i]) * (y - ys[i])) / (ys[j] - ys[i]) + xs[i]) found = !found;
  }
  return found;
}

// Whether a place lies in any of some areas: { kind: "lasso" | "box", x: [...], y: [...] }.
export function isCaught(x, y, areas) {
  return areas.some((area) => {
    if (area.kind === "lasso") return isWithin(x, y, area.x, area.y);
    const [x1, x2] = area.x[0] < area.x[1] ? area.x : [area.x[1], area.x[0]];
    const [y1, y2] = area.y[0] < area.y[1] ? area.y : [area.y[1], area.y[0]];
    return x >= x1 && x <= x2 && y >= y1 && y <= y2;
  });
}

// The corners of a path that matter: every one that is farther than `reach` from the last kept one.
export function thinned(points, reach) {
  const kept = points.slice(0, 1);
  for (const [x, y] of points) {
    const [lastX, lastY] = kept[kept.length - 1];
    if (Math.hypot(x - lastX, y - lastY) >= reach) kept.push([x, y]);
  }
  return kept;
}

// Points in the cells of a grid: of cell c those at order[start[c]] … order[start[c + 1] − 1]. xs, ys lie in
// [−half, half]; side: cells along an axis.
export function gridOf(xs, ys, half, side) {
  const cell = (value, reach) => Math.min(side - 1, Math.max(0, Math.floor(((value / reach + 1) / 2) * side)));
  const own = Uint32Array.from(xs, (x, i) => cell(ys[i], half[1]) * side + cell(x, half[0]));
  const start = new Uint32Array(side * side + 1);
  for (const c of own) start[c + 1] += 1;
  for (let c = 0; c < side * side; c += 1) start[c + 1] += start[c];
  const next = start.slice();
  const order = new Uint32Array(xs.length);
  own.forEach((c, i) => { order[next[c]++] = i; });
  return { start, order, side, half, cell };
}

// The point nearest to (x, y), no farther than the reaches [rx, ry], distances counted in these; of equally near ones
// the one drawn last; null for none. skip: points that are not there.
export function nearestOf(grid, xs, ys, x, y, [rx, ry], skip = () => false) {
  let best = null;
  let least = 1;
  const columns = [grid.cell(x - rx, grid.half[0]), grid.cell(x + rx, grid.half[0])];
  for (let row = grid.cell(y - ry, grid.half[1]); row <= grid.cell(y + ry, grid.half[1]); row += 1) {
    for (let at = grid.start[row * grid.side + columns[0]]; at < grid.start[row * grid.side + columns[1] + 1]; at += 1) {
      const i = grid.order[at];
      const far = ((xs[i] - x) / rx) ** 2 + ((ys[i] - y) / ry) ** 2;
      if (far <= least && !skip(i) && (far < least || i > best)) [best, least] = [i, far];
    }
  }
  return best;
}

// Of so many rings at most each is still seen; more hide the colours of what they stand round.
export const RINGS = 40;

// Which points of those that were picked elsewhere are ringed: all of a few, none of many.
export function ringsOf(picked) {
  return picked.length > RINGS ? [] : picked;
}

// Whether each of n points is among those picked, 1 or 0.
export function litOf(picked, n) {
  const found = new Uint8Array(n);
  for (const i of picked) found[i] = 1;
  return found;
}
