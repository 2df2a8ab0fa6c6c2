// The card of the guided first visit. What the browser remembers: {"state": "left" | "done" | "at", "step": n}.
const PLACE = "flipside-tour";

function recall() {
  try {
    return JSON.parse(localStorage.getItem(PLACE)) ?? {};
  } catch {
    return {};
  }
}

function keep(state, step) {
  try {
    localStorage.setItem(PLACE, JSON.stringify({ state, step }));
  } catch {
    // A browser that keeps nothing asks again next time.
  }
}

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function button(label, className, press) {
  const node = element("button", className, label);
  node.type = "button";
  node.onclick = press;
  return node;
}

// Outline what a step speaks of, once it is there, and bring it into sight.
function call(selector, isHere) {
  for (const old of document.querySelectorAll(".fs-called")) old.classList.remove("fs-called");
  if (!selector) return;
  let tries = 60;
  const look = () => {
    if (!isHere() || tries-- < 0) return;
    const found = document.querySelector(`[data-testid="stMain"] :is(${selector})`);
    if (!found) return void setTimeout(look, 150);
    found.classList.add("fs-called");
    found.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  };
  setTimeout(look, 250);
}

// The slider of the page, wherever it stands: components draw inside shadow roots.
function slider(root) {
  for (const node of root.querySelectorAll("*")) {
    if (node.matches("input[type=range].slider, input[type=range]#slider")) return node;
    const found = node.shadowRoot && slider(node.shadowRoot);
    if (found) return found;
  }
  return null;
}

// Move it as a hand would, in about a second, and let it go.
function move(value, then) {
  const input = slider(document);
  if (!input) return then();
  const [from, start, took] = [Number(input.value), performance.now(), 1100];
  const step = (now) => {
    const share = Math.min(1, (now - start) / took);
    input.value = String(from + (value - from) * share);
    input.dispatchEvent(new Event("input", { bubbles: true }));
    if (share < 1) return void requestAnimationFrame(step);
    input.dispatchEvent(new Event("change", { bubbles: true }));
    setTimeout(then, 700);
  };
  requestAnimationFrame(step);
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector("#tour");
  const memory = recall();
  const act = (what) => setTriggerValue("act", what);
  const before = root.dataset.step;
  root.dataset.step = String(data.step);
  const isHere = () => root.isConnected && root.dataset.step === String(data.step);
  const leave = (state) => {
    keep(state, data.step);
    root.replaceChildren();
    call("", isHere);
    act("leave");
  };
  const card = element("section", "card");
  card.setAttribute("aria-label", "Guided first visit");

  if (!data.step) {
    if (memory.state === "left" || memory.state === "done") return root.replaceChildren();
    const resume = memory.state === "at" && memory.step > 1 && memory.step <= data.last ? memory.step : 0;
    card.append(element("p", "title", resume ? "Your first visit is not over" : "New here? Find a failure in 60 seconds"));
    card.append(element("p", "", resume ? `You were at step ${resume} of ${data.last}.` : `${data.last} steps through real results, a click each.`));
    const row = element("div", "row");
    row.append(button(resume ? "Go on" : "Show me", "primary", () => act(`go:${resume || 1}`)));
    if (resume) row.append(button("Start again", "", () => act("go:1")));
    row.append(button("No, thanks", "quiet", () => leave("left")));
    card.append(row);
    root.replaceChildren(card);
    return;
  }

  const over = data.step > data.last;
  keep(over ? "done" : "at", data.step);
  const head = element("p", "title", over ? "Found" : `Step ${data.step} of ${data.last}`);
  const dots = element("span", "dots");
  dots.setAttribute("aria-hidden", "true");
  for (let n = 1; n <= data.last; n++) dots.append(element("i", n <= data.step ? "on" : ""));
  head.append(dots);
  const words = element("p", "", data.text);
  words.setAttribute("role", "status");
  const row = element("div", "row");
  const main = button(data.button, "primary", () => {
    if (over) return leave("done");
    main.disabled = true;
    if (data.alpha === null || data.alpha === undefined) return act(`go:${data.step + 1}`);
    move(data.alpha, () => act(`go:${data.step + 1}`));
  });
  row.append(main);
  if (data.step > 1) row.append(button("Back", "", () => act(`go:${data.step - 1}`)));
  if (!over) row.append(button("Skip", "quiet", () => leave("left")));
  card.append(head, words, row);
  root.replaceChildren(card);
  if (before !== root.dataset.step) {
    main.focus({ preventScroll: true });
    call(data.look, isHere);
  }
}
