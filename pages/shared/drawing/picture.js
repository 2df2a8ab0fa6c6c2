// A part of the page as a PNG: its elements are written as an SVG image, with the styles that they have now, and painted
// on a canvas. Nothing is asked of the network; typefaces that the page loaded are not known to an image, so the
// system's own stand in. Where a browser refuses, the promise is rejected.
const KEPT = [
  "display", "position", "top", "right", "bottom", "left", "z-index", "float", "box-sizing", "width", "height", "min-width",
  "min-height", "margin-top", "margin-right", "margin-bottom", "margin-left", "padding-top", "padding-right", "padding-bottom",
  "padding-left", "border-top-width", "border-right-width", "border-bottom-width", "border-left-width", "border-top-style",
  "border-right-style", "border-bottom-style", "border-left-style", "border-top-color", "border-right-color",
  "border-bottom-color", "border-left-color", "border-top-left-radius", "border-top-right-radius",
  "border-bottom-right-radius", "border-bottom-left-radius", "border-collapse", "border-spacing", "background-color",
  "background-image", "background-size", "color", "font-family", "font-size", "font-weight", "font-style", "line-height",
  "font-variant-numeric", "letter-spacing", "text-align", "text-transform", "text-decoration-line", "white-space",
  "overflow-wrap", "vertical-align", "opacity", "transform", "clip-path", "list-style-type", "flex-direction", "flex-wrap",
  "flex-grow", "flex-shrink", "flex-basis", "justify-content", "align-items", "align-self", "align-content", "row-gap",
  "column-gap", "grid-template-columns", "grid-template-rows", "grid-column-start", "grid-column-end", "grid-row-start",
  "grid-row-end", "grid-auto-flow", "box-shadow", "outline-width", "outline-style", "outline-color", "outline-offset",
  "visibility", "writing-mode", "fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "stroke-opacity", "stroke-linecap", "fill-opacity", "text-anchor",
];
const SVG_SPACE = "http://www.w3.org/2000/svg";
const SKIPPED = new Set(["STYLE", "LINK", "SCRIPT", "TEMPLATE", "INPUT", "VIDEO", "IFRAME"]);
const ROOM = 16;
const NARROWER = 0.91;

export const escaped = (text) => text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);

function oneLine(node, now, size) {
  const text = [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim());
  const high = node.getBoundingClientRect().height - parseFloat(now.paddingTop) - parseFloat(now.paddingBottom);
  return text && high < 1.75 * (parseFloat(now.lineHeight) || 1.2 * size);
}

function styleOf(node) {
  const now = getComputedStyle(node);
  const said = KEPT.map((name) => [name, now.getPropertyValue(name)]).filter(([, value]) => value);
  const found = Object.fromEntries(said);
  // What stays in sight while one scrolls lies in its place in a picture, and nothing of it is cut off.
  if (found.position === "sticky") Object.assign(found, { position: "static" });
  // The system's typeface is wider than the page's: a size smaller, and what stands on one line stays on it.
  const size = parseFloat(now.fontSize);
  found["font-size"] = `${(NARROWER * size).toFixed(2)}px`;
  found["font-family"] = "Arial, Helvetica, sans-serif";
  if (node.namespaceURI !== SVG_SPACE && oneLine(node, now, size)) {
    found["white-space"] = "nowrap";
    if (now.display !== "table-cell") delete found.width;
    if (!parseFloat(now.minWidth)) delete found["min-width"];
  }
  if (/auto|scroll/.test(now.overflowX + now.overflowY)) {
    delete found.height;
    found["max-height"] = "none";
  }
  return Object.entries(found).map(([name, value]) => `${name}:${value}`).join(";");
}

// A picture of the page's own host as data; of a page that was opened from disk a browser gives none away.
function copied(image) {
  try {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth || 1, image.naturalHeight || 1];
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/png");
  } catch {
    return "data:,";
  }
}

function written(node) {
  if (node.nodeType === Node.TEXT_NODE) return escaped(node.data);
  if (node.nodeType !== Node.ELEMENT_NODE || SKIPPED.has(node.tagName.toUpperCase())) return "";
  // What is there for a hand alone, such as the tools of a plane, says nothing in a picture.
  if (getComputedStyle(node).display === "none" || node.hasAttribute("data-unpictured")) return "";
  const style = escaped(styleOf(node));
  if (node.tagName === "CANVAS") {
    return `<img style="${style}" src="${node.toDataURL("image/png")}" alt=""/>`;
  }
  if (node.tagName === "IMG" && !node.currentSrc.startsWith("data:")) return `<img style="${style}" src="${copied(node)}" alt=""/>`;
  const drawn = node.namespaceURI === SVG_SPACE;
  const tag = drawn ? node.tagName : node.tagName.toLowerCase();
  const own = drawn ? [...node.attributes].filter((each) => !/^(class|style|on|tabindex|data-|aria-)/.test(each.name)) : [];
  if (!drawn) for (const name of ["src", "colspan", "rowspan"]) if (node.hasAttribute(name)) own.push({ name, value: node.getAttribute(name) });
  const said = own.filter((each) => each.name !== "xmlns").map((each) => ` ${each.name}="${escaped(each.value)}"`).join("");
  const space = drawn && tag === "svg" ? ` xmlns="${SVG_SPACE}"` : "";
  const inner = [...(node.shadowRoot ?? node).childNodes].map(written).join("");
  return `<${tag === "button" ? "div" : tag}${space}${said} style="${style}">${inner}</${tag === "button" ? "div" : tag}>`;
}

// The markup of the picture and its size in CSS pixels. said: a line below the chart.
export function markupOf(node, background, colour, said) {
  const box = node.getBoundingClientRect();
  const width = Math.ceil(Math.max(box.width, node.scrollWidth)) + 2 * ROOM;
  const line = said ? `<p style="margin:14px 0 0;max-width:60em;font:13px/1.45 sans-serif;color:${colour}">${escaped(said)}</p>` : "";
  const room = said ? 30 + 20 * Math.ceil((said.length * 7) / Math.max(200, width)) : 0;
  const height = Math.ceil(Math.max(box.height, node.scrollHeight)) + 2 * ROOM + room;
  const html = `<div xmlns="http://www.w3.org/1999/xhtml" style="box-sizing:border-box;width:${width}px;height:${height}px;padding:${ROOM}px;background:${background}">${written(node)}${line}</div>`;
  return { width, height, svg: `<svg xmlns="${SVG_SPACE}" width="${width}" height="${height}"><foreignObject width="100%" height="100%">${html}</foreignObject></svg>` };
}

// The colour that shows behind a node; components alone know the theme's own by name.
function behind(node) {
  for (let at = node; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (colour && !/^rgba\(.*, 0\)$|^transparent$/.test(colour)) return colour;
  }
  return "#ffffff";
}

function page(node) {
  const root = getComputedStyle(node);
  return { background: root.getPropertyValue("--st-background-color").trim() || behind(node), colour: root.color };
}

// Keys that stand beside a chart on the page, and would be lacking where its picture goes alone.
function* keysIn(node) {
  for (const child of (node.shadowRoot ?? node).children) {
    if (child.hasAttribute("data-key")) yield child;
    yield* keysIn(child);
  }
}

export async function pictureOf(node, said) {
  const probe = document.createElement("div");
  probe.style.background = page(node).background;
  node.append(probe);
  const background = getComputedStyle(probe).backgroundColor;
  probe.remove();
  const keys = [...keysIn(node)].filter((key) => key.hidden);
  keys.forEach((key) => (key.hidden = false)); // shown and hidden again before anything is painted
  const { width, height, svg } = markupOf(node, background, page(node).colour, said);
  keys.forEach((key) => (key.hidden = true));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  const scale = Math.min(2, 8000 / Math.max(width, height));
  [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.drawImage(image, 0, 0);
  return new Promise((done, refused) => {
    canvas.toBlob((blob) => (blob ? done(blob) : refused(new Error("no picture"))), "image/png");
  });
}
