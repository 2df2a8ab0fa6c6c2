// The heat map: an HTML table whose cells are buttons. All texts arrive as data and are set as text, never as markup.
function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function heading(column) {
  const node = element("th");
  node.scope = "col";
  node.title = column.tip;
  node.append(element("span", "name", column.label), element("span", "sub", column.sub));
  return node;
}

function cell(entry, send) {
  const node = element("td");
  if (!entry) {
    node.append(element("span", "none", "–"));
    return node;
  }
  const button = element("button");
  button.type = "button";
  button.title = entry.tip;
  button.setAttribute("aria-label", entry.tip);
  button.style.background = entry.colour;
  button.style.color = entry.ink;
  button.dataset.cell = entry.id;
  button.append(element("b", "", entry.value + (entry.mark ? "\u2009" + entry.mark : "")));
  button.append(element("span", "", entry.spread));
  button.onclick = () => send(entry.id);
  node.append(button);
  return node;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const table = element("table");
  table.append(element("caption", "hidden", data.caption));
  const head = table.createTHead();
  if (data.groups.length > 1) {
    const row = head.insertRow();
    row.className = "groups";
    row.append(element("th"));
    for (const group of data.groups) {
      const node = element("th", "", group.label);
      node.colSpan = group.span;
      node.scope = "colgroup";
      row.append(node);
    }
  }
  const names = head.insertRow();
  names.append(element("th"), ...data.columns.map(heading));
  const body = table.createTBody();
  for (const line of data.rows) {
    const row = body.insertRow();
    const name = element("th");
    name.scope = "row";
    name.title = line.tip;
    const dot = element("i");
    dot.style.background = line.colour;
    const words = element("span", "name", line.label);
    words.append(element("small", "", line.kind));
    name.append(dot, words);
    row.append(name, ...line.cells.map((entry) => cell(entry, (id) => setTriggerValue("opened", id))));
  }
  const foot = table.createTFoot().insertRow();
  const chance = element("th", "", "chance");
  chance.scope = "row";
  foot.append(chance, ...data.columns.map((column) => element("td", "", column.chance)));
  const root = parentElement.querySelector("#heat");
  root.replaceChildren(table);
}
