// Marks stamped onto the pixels of a canvas: each look is worked out once as shares of pixels, at 4 × 4 places within a
// pixel, and laid down for every point. Tens of thousands take milliseconds, where paths take a good part of a second.
const PHASES = 4;

// How far a place is outside a mark of this size (pixels; inside is negative).
const OUTSIDE = {
  circle: (x, y, size) => Math.hypot(x, y) - size / 2,
  diamond: (x, y, size) => (Math.abs(x) + Math.abs(y) - 0.65 * size) / Math.SQRT2,
  square: (x, y, size) => Math.max(Math.abs(x), Math.abs(y)) - size / 2,
  "triangle-up": (x, y, size) => Math.max(y - size / 4, (Math.abs(x) * Math.sqrt(3) - y) / 2 - size / 4 - 0.06 * size),
  "triangle-down": (x, y, size) => OUTSIDE["triangle-up"](x, -y, size),
  x: (x, y, size) => {
    const [a, b] = [Math.abs(x + y) / Math.SQRT2, Math.abs(x - y) / Math.SQRT2];
    return Math.min(Math.max(a - 0.62 * size, b - 0.2 * size), Math.max(b - 0.62 * size, a - 0.2 * size));
  },
  "x-thin": (x, y, size) => {
    const [a, b] = [Math.abs(x + y) / Math.SQRT2, Math.abs(x - y) / Math.SQRT2];
    return Math.min(Math.max(a - 0.62 * size, b - 0.5), Math.max(b - 0.62 * size, a - 0.5));
  },
  ring: (x, y, size) => Math.abs(Math.hypot(x, y) - size / 2) - 0.8,
};

// The shares (0 … 1) of the pixels that a mark covers whose middle is at (dx, dy) within the middle pixel: rows of
// [x, y, share]. ratio: device pixels to a pixel.
export function sharesOf(symbol, size, ratio, dx, dy) {
  const reach = Math.ceil(0.75 * size * ratio) + 2;
  const found = [];
  for (let y = -reach; y <= reach; y += 1) {
    for (let x = -reach; x <= reach; x += 1) {
      const share = Math.min(1, 0.5 - ratio * OUTSIDE[symbol]((x + 0.5 - dx) / ratio, (y + 0.5 - dy) / ratio, size));
      if (share > 0.02) found.push([x, y, share]);
    }
  }
  return found;
}

// All 16 places of one look on an image of this width: where its pixels lie from the middle one, their weights of 256,
// and how far it reaches.
export function stampOf(mark, ratio, width, dim) {
  const opacity = mark.opacity * (dim ? 0.22 : 1);
  const rgb = [1, 3, 5].map((at) => parseInt(mark.colour.slice(at, at + 2), 16));
  const places = [];
  let reach = 0;
  for (let k = 0; k < PHASES * PHASES; k += 1) {
    const rows = sharesOf(mark.symbol, mark.size, ratio, ((k % PHASES) + 0.5) / PHASES, (Math.floor(k / PHASES) + 0.5) / PHASES);
    for (const [x, y] of rows) reach = Math.max(reach, Math.abs(x), Math.abs(y));
    places.push({
      x: Int16Array.from(rows, (row) => row[0]),
      y: Int16Array.from(rows, (row) => row[1]),
      offset: Int32Array.from(rows, ([x, y]) => 4 * (y * width + x)),
      weight: Uint16Array.from(rows, (row) => Math.round(256 * row[2] * opacity)),
    });
  }
  return { rgb, places, reach };
}

// Lay a look down at (x, y), device pixels. bytes: of an opaque image with these sizes; what lies beyond it is cut off.
export function lay(bytes, width, height, stamp, x, y) {
  const [column, row] = [Math.floor(x), Math.floor(y)];
  const { reach, rgb } = stamp;
  if (column < -reach || row < -reach || column >= width + reach || row >= height + reach) return;
  const place = stamp.places[Math.floor((y - row) * PHASES) * PHASES + Math.floor((x - column) * PHASES)];
  const within = column >= reach && row >= reach && column < width - reach && row < height - reach;
  const middle = 4 * (row * width + column);
  for (let k = 0; k < place.offset.length; k += 1) {
    if (!within) {
      const [px, py] = [column + place.x[k], row + place.y[k]];
      if (px < 0 || py < 0 || px >= width || py >= height) continue;
    }
    const at = middle + place.offset[k];
    const share = place.weight[k];
    bytes[at] += ((rgb[0] - bytes[at]) * share) >> 8;
    bytes[at + 1] += ((rgb[1] - bytes[at + 1]) * share) >> 8;
    bytes[at + 2] += ((rgb[2] - bytes[at + 2]) * share) >> 8;
  }
}
