// The barcode under the pointer and under the keys: which row is looked at, and what the card shows of it.
import { keyOf, taken } from "../shared/drawing/dom.js";
import { itemCard, rowSaid } from "./item_card.js";
import { endsOf, nearestRow } from "./ranges.js";

// How long α has to stand still before the card follows it: pictures are not fetched while it moves.
const SETTLE = 160;

// items: what cards hold, by position; open: told the item that is to be opened in full.
export function walker(items, open) {
  const card = itemCard(items, open);
  let ranges = null;
  let drawn = null;
  let ends = [];
  let looked = null;
  let alpha = 0;
  let timer = 0;
  function show(k, head) {
    const row = k === null ? null : ranges.rows[k];
    card.show(row, head, alpha);
    drawn.mark(k === null ? null : ranges.heightOf(k));
  }
  function follow() {
    if (!ranges || looked !== null) return;
    const [end, k] = nearestRow(ends, alpha) || [null, null];
    show(k, end === null ? "" : `Closest to flipping: at α = ${end.toFixed(3)}`);
  }
  function look(k) {
    looked = k;
    if (k === null) {
      follow();
      return;
    }
    show(k, `Row ${k + 1} of ${ranges.n}`);
    ranges.canvas.setAttribute("aria-valuenow", String(k + 1));
    ranges.canvas.setAttribute("aria-valuetext", rowSaid(items[String(ranges.rows[k].item)], ranges.rows[k]));
  }
  function onKey(event) {
    const last = ranges.n - 1;
    const at = looked === null ? (nearestRow(ends, alpha) || [0, 0])[1] : looked;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowLeft: at - 1, PageDown: at + 10, PageUp: at - 10, Home: 0, End: last }[keyOf(event)];
    if (keyOf(event) === "Enter") {
      taken(event);
      open(ranges.rows[at].item);
    } else if (to !== undefined) {
      taken(event);
      look(Math.min(last, Math.max(0, to)));
    }
  }
  return {
    root: card.root,
    // A new drawing of the barcode, at another width.
    over(found, picture) {
      [ranges, drawn, looked] = [found, picture, null];
      ends = endsOf(ranges.rows);
      if (ranges.n) {
        ranges.canvas.onkeydown = onKey;
        ranges.canvas.onfocus = () => look(looked === null ? (nearestRow(ends, alpha) || [0, 0])[1] : looked);
        ranges.canvas.onblur = () => look(null);
      }
      follow();
    },
    pointed: (event) => {
      const k = ranges.rowAt(event);
      if (k !== null && k !== looked) look(k);
    },
    left: () => looked !== null && look(null),
    move(value) {
      alpha = value;
      clearTimeout(timer);
      timer = setTimeout(() => (looked === null ? follow() : look(looked)), SETTLE);
    },
    stop: () => clearTimeout(timer),
  };
}
