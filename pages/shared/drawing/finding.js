// "Copy as finding": a sentence with its link, and the chart as a picture. One press copies the sentence and the link and
// shows what was copied; a second one copies the picture, or saves it where the browser keeps pictures off its clipboard.
// The sentence was composed in Python (backend/finding.py) and is set as text.
import { button, element } from "./dom.js";
import { pictureOf } from "./picture.js";

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element("textarea", "", text);
    area.value = text;
    area.style.position = "fixed";
    area.style.opacity = "0";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

function save(blob, name) {
  const link = element("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// An address that also names what a sentence speaks of, where the page leaves it out as a default. named: pairs of a
// name and its values, which replace what the address says of that name; page: another page beside this one, of whose
// address they are all.
export function linkOf(address, named, page = "") {
  const found = new URL(address);
  if (page) {
    found.pathname = found.pathname.slice(0, found.pathname.lastIndexOf("/") + 1) + page;
    found.search = "";
    found.hash = "";
  }
  for (const [name, values] of named) {
    found.searchParams.delete(name);
    for (const value of values) found.searchParams.append(name, value);
  }
  return found.href;
}

// of: said (a text), where (a function: the line below it, a link as a rule), name (of the picture's file), chart (a
// function that finds what is pictured, or null: no picture), note (what the button's tip adds, or nothing).
export function findingBox(of) {
  const root = element("div", "finding");
  const panel = element("div", "finding-panel");
  const status = element("span", "finding-status");
  status.setAttribute("role", "status");
  panel.hidden = true;
  const open = button("Copy as finding", async () => {
    panel.hidden = false;
    open.setAttribute("aria-expanded", "true");
    const text = `${of.said}\n${of.where()}`;
    status.textContent = (await copyText(text)) ? of.copied ?? "Copied: sentence and link" : "Not copied: select the sentence";
  }, { className: "finding-open", title: ["Copies one sentence with its numbers, and a link to this view", of.note].filter(Boolean).join(". ") });
  open.setAttribute("aria-expanded", "false");
  const row = element("div", "finding-row");
  const chart = of.chart ? () => of.chart() : null;
  if (chart) {
    row.append(button("Copy picture", async () => {
      status.textContent = "…";
      try {
        const blob = await pictureOf(chart(), of.said);
        try {
          await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
          status.textContent = "Copied: picture";
        } catch {
          save(blob, `${of.name}.png`);
          status.textContent = "Saved: picture";
        }
      } catch {
        status.textContent = "This browser makes no picture of it";
      }
    }), button("Save picture", async () => {
      try {
        save(await pictureOf(chart(), of.said), `${of.name}.png`);
        status.textContent = "Saved: picture";
      } catch {
        status.textContent = "This browser makes no picture of it";
      }
    }));
  }
  const shut = button("Close", () => {
    panel.hidden = true;
    open.setAttribute("aria-expanded", "false");
    open.focus();
  });
  row.append(shut, status);
  panel.append(element("p", "finding-said", of.said), row);
  root.append(open, panel);
  return root;
}

export default function (component) {
  const { data, parentElement } = component;
  const box = parentElement.querySelector("#finding");
  const signature = JSON.stringify(data);
  if (box.dataset.signature === signature) return;
  box.dataset.signature = signature;
  const chart = data.chart ? () => document.querySelector(data.chart) : null;
  box.replaceChildren(findingBox({ said: data.said, where: () => linkOf(location.href, data.link, data.page), name: data.name, chart, note: data.note }));
}
