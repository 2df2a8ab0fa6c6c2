// The item behind a row of the barcode: its pictures, its captions, where it is right, and its verdict at α. Texts are set
// as text. Nothing is asked of the server but the pictures themselves.
import { button, element, plain } from "../shared/drawing/dom.js";

// What a caption is: said by its role and its look. ✓ and ✗ are the model's verdict alone.
const LOOKS = new Map([[true, "true"], [false, "foil"], [null, ""]]);
const TOLD = new Map([[true, "true of the picture"], [false, "false of the picture"]]);

// "right for 0.211 < α < 0.870", of several ranges joined by "and".
export function rangeSaid(pieces) {
  const one = ([low, high]) => {
    if (!Number.isFinite(low) && !Number.isFinite(high)) return "every α";
    if (!Number.isFinite(low)) return `α < ${plain(high, 3)}`;
    if (!Number.isFinite(high)) return `α > ${plain(low, 3)}`;
    return `${plain(low, 3)} < α < ${plain(high, 3)}`;
  };
  return pieces.length ? `right for ${pieces.map(one).join(" and ")}` : "right at no α";
}

// What a screen reader hears of a row.
export function rowSaid(shown, row) {
  const name = shown ? shown.id : `item ${row.item + 1}`;
  return `${name}: ${rangeSaid(row.pieces)}${shown && shown.texts.length ? `. ${shown.texts[0][1]}` : ""}`;
}

export function itemCard(items, open) {
  const root = element("div", "card");
  let key = "";
  function figures(shown) {
    const box = element("div", "shots");
    for (const address of shown.images) {
      const image = element("img");
      Object.assign(image, { src: address, alt: "", decoding: "async" });
      box.append(address ? image : element("span", "gone", "image missing"));
    }
    return box;
  }
  function captions(shown) {
    const list = element("ul");
    for (const [role, text, right] of shown.texts) {
      const line = element("li", LOOKS.get(right));
      line.append(element("span", "role", role), element("span", "", text));
      line.title = TOLD.get(right) ?? role;
      list.append(line);
    }
    return list;
  }
  // row: {item, pieces}; head: why this item; null: nothing changes here.
  function show(row, head, alpha) {
    if (!row) {
      key = "";
      root.replaceChildren(element("p", "why", "No item changes its verdict here."));
      return;
    }
    const right = row.pieces.some(([low, high]) => low < alpha && alpha < high);
    const now = `${row.item}|${head}|${right}`;
    if (now === key) return;
    key = now;
    const shown = items[String(row.item)];
    const title = element("p", "head");
    title.append(element("b", "", shown ? shown.id : `item ${row.item + 1}`), element("span", right ? "right" : "wrong", right ? "✓ right" : "✗ wrong"));
    const range = element("p", "range", rangeSaid(row.pieces));
    const parts = [element("p", "why", head), title];
    if (shown) parts.push(figures(shown), captions(shown));
    parts.push(range, button("Open this item", () => open(row.item)));
    root.replaceChildren(...parts);
  }
  return { root, show };
}
