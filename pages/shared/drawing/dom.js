// What the components share: elements, sliders, keys, sizes, numbers, colours. `component.py` joins this file with the
// script that imports from it. Nothing here keeps a state, and a text never becomes markup: `setHtml` alone sets HTML,
// which Python made as Markup.

// Elements ------------------------------------------------------------------------------------------------------------
export function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

// An SVG element. A number or a text as attribute is set as it is.
export function svg(tag, attributes, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

export function button(label, press, { className = "", title = "" } = {}) {
  const node = element("button", className, label);
  node.type = "button";
  node.onclick = press;
  if (title) node.title = title;
  return node;
}

// A label with its range input. range: min, max, step, value.
export function slider(id, label, range) {
  const name = element("label", "", label);
  const input = element("input");
  Object.assign(input, { type: "range", id, ...range });
  name.htmlFor = id;
  return { name, input };
}

// HTML that pages/shared/frame/style.py let through: Markup, in which all texts are escaped.
export function setHtml(node, html) {
  node.innerHTML = html;
}

// Events --------------------------------------------------------------------------------------------------------------
// An event that was for this component: neither the browser nor the page does more about it.
export function taken(event) {
  event.preventDefault();
  event.stopPropagation();
}

// The key of an event, letters in lower case; "" where Ctrl, Alt or Cmd make it somebody else's.
export function keyOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return "";
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}

// Listen on the whole page; returns what ends it.
export function listen(type, hear) {
  document.addEventListener(type, hear);
  return () => document.removeEventListener(type, hear);
}

// Call when the size of a node changes; returns what ends it.
export function onResize(node, act) {
  const watch = new ResizeObserver(act);
  watch.observe(node);
  return () => watch.disconnect();
}

// Numbers -------------------------------------------------------------------------------------------------------------
// Digits of a float that are no noise: 100 × 0.2875 is 28.749999999999996.
const SIGNIFICANT = 12;

// A number of at least 0 with so many digits behind the point, as `written.rounded` writes it: a half in decimal digits
// goes up, where `toFixed` rounds the binary float.
function rounded(size, digits) {
  const text = size.toPrecision(SIGNIFICANT);
  if (text.includes("e")) return size.toFixed(digits); // below a millionth, or too large for any fraction
  const [before, behind = ""] = text.split(".");
  const tenths = BigInt(before + behind.padEnd(digits + 1, "0").slice(0, digits + 1));
  const found = ((tenths + 5n) / 10n).toString().padStart(digits + 1, "0");
  return digits ? `${found.slice(0, -digits)}.${found.slice(-digits)}` : found;
}

// "+0.12", "−0.12", "0.00", "+∞": as `numbers.fixed(value, digits, signed=True)` writes it; "–" for null and NaN.
export function signed(value, digits = 2) {
  if (value === null || Number.isNaN(value)) return "–";
  const size = Number.isFinite(value) ? rounded(Math.abs(value), digits) : "∞";
  return (Number(size) === 0 ? "" : value < 0 ? "−" : "+") + size;
}

// The same without a plus.
export const plain = (value, digits = 2) => signed(value, digits).replace("+", "");

// A share as "41.7 %".
export const percent = (value) => (value === null || Number.isNaN(value) ? "–" : `${rounded(100 * value, 1)} %`);

// A difference of shares in percentage points.
export const points = (value) => signed(value === null ? null : 100 * value, 1);

// A count as "12,345".
export const whole = (count) => count.toLocaleString("en-GB");

export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

// Numbers that Python packed as base64 of their bytes (`view.encoded`): exact, infinities included.
export function unpack(text, Numbers) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at += 1) bytes[at] = raw.charCodeAt(at); // letter by letter through `from` is slow
  return new Numbers(bytes.buffer, 0, Math.floor(bytes.byteLength / Numbers.BYTES_PER_ELEMENT));
}

// Colours -------------------------------------------------------------------------------------------------------------
// "#rrggbb" as three numbers from 0 to 255.
export const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

// The colour at 0 … 1 along a scale of such, as three numbers from 0 to 255.
export function along(scale, position) {
  const at = clamp(position, 0, 1) * (scale.length - 1);
  const low = Math.min(Math.floor(at), scale.length - 2);
  const [from, to] = [rgb(scale[low]), rgb(scale[low + 1])];
  return from.map((value, k) => Math.round(value + (to[k] - value) * (at - low)));
}

export const css = (mixed) => `rgb(${mixed.join(",")})`;

// Black or white: one of the two has a contrast of 4.5 at least on any colour.
export function inkOn(mixed) {
  const [r, g, b] = mixed.map((value) => value / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000000" : "#ffffff";
}

// A real link, so that it can be opened in a new tab, by the keys, the middle button or the menu of the browser; a plain
// click stays in the session: press is what it does there.
export function anchor(href, press, className = "") {
  const link = element("a", className);
  link.href = href;
  link.onclick = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    press();
  };
  return link;
}

// A model's name leads to its page.
export function linked(of, words, go) {
  if (!of.href) return words;
  const link = anchor(of.href, () => go(of.key), "to");
  link.title = of.tip;
  link.append(words);
  return link;
}
