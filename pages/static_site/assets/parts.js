// What several pages draw: headings, chips, captions, pictures, links, components in their shadow roots.
import { element, signed } from "../../shared/drawing/dom.js";
import { findingBox } from "../../shared/drawing/finding.js";
import { MIXED, RIGHT, TIE, UNDEFINED } from "./data.js";
import { score } from "./numbers.js";
import { address, place, read } from "./state.js";

export function head(eyebrow, title, lede) {
  const node = element("header", "fs-header");
  node.append(element("p", "fs-eyebrow", eyebrow), element("h1", "", title), element("p", "fs-lede", lede));
  return node;
}

export function section(title, remark) {
  const node = element("h2", "fs-section", title);
  if (remark) node.append(element("span", "fs-remark", remark));
  return node;
}

export const caption = (text) => element("p", "fs-caption", text);

export function empty(title, text) {
  const node = element("div", "fs-empty");
  const words = element("div");
  words.append(element("strong", "", title), element("p", "", text));
  node.append(element("span", "fs-empty-icon", "○"), words);
  return node;
}

export function link(text, page, params, className = "") {
  const node = element("a", className, text);
  node.href = address(page, params);
  return node;
}

export function dot(side) {
  const node = element("i", `fs-dot${side.shape ? ` fs-${side.shape}` : ""}`);
  node.style.background = side.colour;
  return node;
}

const LOOKS = { [RIGHT]: ["fs-right", "✓", "right"], 0: ["fs-wrong", "✗", "wrong"], [TIE]: ["fs-wrong", "✗", "wrong by a tie"], [MIXED]: ["fs-wrong", "✗", "wrong, no foil chosen every time"], [UNDEFINED]: ["fs-none", "–", "undefined"] };

// found: of `verdictOf`; name: what stands before the sign; side: whose mark stands before that.
export function chip(name, found, side = null) {
  const [look, sign, word] = found ? LOOKS[found.verdict] : LOOKS[UNDEFINED];
  const node = element("span", `fs-chip ${look}`);
  if (side) node.append(dot(side));
  if (name) node.append(element("span", "", name));
  node.append(element("b", "", sign));
  if (found && found.margin !== null && found.verdict !== UNDEFINED) node.append(element("span", "fs-margin", score(found.margin)));
  const says = `${name ? `${name}: ` : ""}${word}${found?.margin === null || !found ? "" : `, margin ${score(found.margin)}`}`;
  node.title = says;
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", says);
  return node;
}

// A caption whose words that differ stand between two signs.
export function marked(text) {
  const node = element("span");
  text.split("\u0001").forEach((piece, k) => {
    if (!k) {
      node.append(piece);
      return;
    }
    const [differs, rest] = piece.split("\u0002");
    node.append(element("mark", "fs-diff", differs), rest ?? "");
  });
  return node;
}

export function captions(list) {
  const node = element("ol", "fs-texts");
  for (const [role, text] of list) {
    const line = element("li");
    line.append(element("span", "fs-role", role), marked(text));
    node.append(line);
  }
  return node;
}

export function pictures(of, item, width) {
  const node = element("div", "fs-card-images");
  (of.pictures[item] ?? []).forEach((at, k) => {
    if (at < 0) return;
    const image = element("img", "fs-picture");
    Object.assign(image, { src: `pictures/${of.files[at]}`, width, height: width, loading: "lazy", alt: `image ${k + 1} of item ${of.ids[item]}` });
    node.append(image);
  });
  return node;
}

export const tags = (of, item) => [of.concepts, of.perturbations].flatMap((lists) => Array.from(lists.of(item), (k) => lists.words[k].title));

// What a page calls an item's reason, with its cell beside it wherever that is another word (names.with_cell).
export function reasonSaid(site, of, side, item) {
  const [cell, reason] = [of.words[side.table.cell[item]], of.words[side.table.reason[item]]];
  return cell ? site.said[cell][reason] : "";
}

// A component of the dashboard, with its own stylesheet in a shadow root. Draw after the host is in the page.
export function component(name, id) {
  const host = element("div", `component-${name}`);
  const shadow = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  // STYLES is written before this script by bundle.py.
  // oxlint-disable-next-line no-undef
  sheet.replaceSync(STYLES[name]);
  shadow.adoptedStyleSheets = [sheet];
  const box = element("div");
  box.id = id;
  shadow.append(box);
  return { host, run: (draw, data, hear) => draw({ data, parentElement: shadow, setTriggerValue: hear, setStateValue: hear }) };
}

// "Copy as finding". named: what the copied place has to name because the sentence speaks of it, defaults too; it goes
// into the choices of the page that is shown.
export function finding(said, name, chart, named) {
  if (!said) return element("span");
  const host = element("div", "component-finding");
  const shadow = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  // STYLES is written before this script by bundle.py.
  // oxlint-disable-next-line no-undef
  sheet.replaceSync(STYLES.finding);
  shadow.adoptedStyleSheets = [sheet];
  shadow.append(findingBox({ said, name, chart, copied: location.protocol === "file:" ? "Copied: sentence, and where it stands" : undefined, where: () => {
    const { page, params } = read();
    return place(page, { ...params, ...named });
  } }));
  return host;
}

// A table in a frame of its own. columns: names; rows: of texts, numbers or nodes; the first cell of a row is its head.
export function tableOf(label, columns, rows) {
  const frame = element("div", "fs-scroll");
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", label);
  const node = element("table", "fs-table");
  const top = node.createTHead().insertRow();
  for (const name of columns) {
    const cell = element("th", "", name);
    cell.scope = "col";
    top.append(cell);
  }
  const body = node.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    row.forEach((value, k) => {
      const cell = element(k ? "td" : "th");
      if (!k) cell.scope = "row";
      cell.append(...(Array.isArray(value) ? value : [value ?? ""]));
      line.append(cell);
    });
  }
  frame.append(node);
  return frame;
}

export function select(label, options, value, changed) {
  const node = element("label", "choice");
  const box = element("select");
  box.dataset.focus = label;
  for (const [key, text] of options) {
    const option = element("option", "", text);
    option.value = key;
    option.selected = key === value;
    box.append(option);
  }
  box.onchange = () => changed(box.value);
  node.append(element("span", "", label), box);
  return node;
}

export const points = (gain) => signed(100 * gain, 1);
