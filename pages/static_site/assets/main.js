// The site: its frame, and one page at a time.
import { button, element, whole } from "../../shared/drawing/dom.js";
import { drawCompare } from "./compare.js";
import { benchmark, need } from "./data.js";
import { able, drawDebias } from "./debias.js";
import { drawFailures } from "./failures.js";
import { drawItem } from "./item.js";
import { drawOverview } from "./overview.js";
import { empty, link, select } from "./parts.js";
import { drawReasons } from "./reasons.js";
import { go, one, read } from "./state.js";

const PAGES = { overview: ["Overview", drawOverview], failures: ["Failures", drawFailures], reasons: ["Reasons", drawReasons], debias: ["Debias", drawDebias], compare: ["Compare", drawCompare], item: ["", drawItem] };
let stop = null;
let turn = 0;
let before = "";

// Light or dark: the system's, until the reader says otherwise.
function theme(set) {
  try {
    if (set !== undefined) localStorage.setItem("flipside-theme", set);
    return localStorage.getItem("flipside-theme") ?? "";
  } catch {
    return set ?? "";
  }
}

function themed() {
  const said = theme();
  document.documentElement.style.colorScheme = said || "light dark";
  return said;
}

function isDark() {
  const said = theme();
  return said ? said === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function frame(site, of, page, name) {
  const top = document.querySelector(".bar-top");
  const brand = link("", "overview", { benchmark: name }, "brand");
  const mark = element("img");
  Object.assign(mark, { src: "mark.svg", alt: "", width: 26, height: 26 });
  brand.append(mark, element("b", "", site.title || "Flipside"));
  const nav = element("nav");
  nav.setAttribute("aria-label", "Pages");
  for (const [key, [label]] of Object.entries(PAGES)) {
    if (!label || (key === "debias" && of && !able(of).length)) continue;
    const to = link(label, key, { benchmark: name });
    if (key === page) to.setAttribute("aria-current", "page");
    to.dataset.focus = `page ${key}`;
    nav.append(to);
  }
  const right = element("div", "bar-right");
  if (site.benchmarks.length > 1) right.append(select("Benchmark", site.benchmarks.map((each) => [each.name, each.name]), name, (to) => go(page === "item" ? "overview" : page, { benchmark: to })));
  const dark = button(isDark() ? "☀ light" : "☾ dark", () => {
    theme(isDark() ? "light" : "dark");
    themed();
    frame(site, of, page, name);
    document.querySelector("[data-focus=theme]").focus();
  }, { className: "quiet", title: "Light or dark; your system decides until you do" });
  dark.dataset.focus = "theme";
  right.append(dark);
  top.replaceChildren(brand, nav, right);
  const foot = document.querySelector(".foot-page");
  const about = of?.about;
  foot.replaceChildren(element("p", "", about ? `${about.title}. ${whole(about.n)} items, ${about.models} models. Source: ${about.source || "not stated"}. Licence: ${about.licence || "not stated"}.` : ""),
    ...(about?.fetched.models ? [element("p", "", `The scores of ${whole(about.fetched.models)} of these models were fetched. ${about.fetched.terms.join(" ")}`)] : []),
    element("p", "", `Made by Flipside ${site.version} on ${site.made}. Everything here is in these files; nothing is asked of the network and nothing is kept but the choice of light or dark.`));
}

async function draw() {
  const mine = (turn += 1);
  const main = document.querySelector("main");
  const { page: asked, params } = read();
  const page = Object.hasOwn(PAGES, asked) ? asked : "overview"; // an address is anybody's: #/constructor is no page
  const root = element("div", `page page-${page}`);
  const focus = document.activeElement?.dataset?.focus;
  let ended = null;
  try {
    const site = await need("site");
    const about = site.benchmarks.find((each) => each.name === one(params, "benchmark")) ?? site.benchmarks[0];
    const known = PAGES[page];
    frame(site, null, page, about.name);
    const of = await benchmark(about);
    if (mine !== turn) return;
    frame(site, of, page, about.name);
    document.title = `${known[0] || one(params, "item", "Item")} · ${site.title || "Flipside"}`;
    if (stop) stop();
    stop = null;
    // Components measure themselves, so the page is in place before it is drawn.
    if (before === page) {
      root.style.minHeight = `${main.clientHeight}px`;
    }
    const earlier = [...main.childNodes];
    main.append(root);
    if (earlier.length) root.classList.add("coming");
    ended = await known[1]({ site, of, root, name: about.name, params });
    if (mine !== turn) {
      if (typeof ended === "function") ended();
      root.remove();
      return;
    }
    earlier.forEach((node) => node.remove());
    root.classList.remove("coming");
    root.style.minHeight = "";
    stop = typeof ended === "function" ? ended : null;
  } catch (error) {
    if (mine !== turn) return;
    root.replaceChildren(empty("This page cannot be shown", `${error.message}. Copy the whole folder, with data/, and open index.html again.`));
    main.replaceChildren(root);
  }
  if (before !== page) {
    scrollTo(0, 0);
    if (before) main.focus({ preventScroll: true });
  }
  before = page;
  if (focus) [...document.querySelectorAll("[data-focus]")].find((node) => node.dataset.focus === focus)?.focus({ preventScroll: true });
  document.body.dataset.drawn = String(mine);
}

themed();
addEventListener("hashchange", draw);
draw();
