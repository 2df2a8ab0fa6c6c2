// The slider and what it moves. Nothing here asks the server; only when the slider is let go does it hear of the two α,
// to list the items that flipped.
import { button, clamp, element, keyOf, onResize, percent, slider, taken, whole } from "../shared/drawing/dom.js";
import { exactCurve, exactly } from "./exact.js";
import { drawPlane } from "./plane.js";
import { HEIGHT, RANGES, drawCurves } from "./plot.js";
import { drawRanges } from "./ranges.js";
import { drawHero, drawTable } from "./table.js";
import { walker } from "./walk.js";

function slideRow(className, label, says, value, domain) {
  const row = element("div", className);
  const { name, input } = slider(className, label, { min: domain[0], max: domain[1], step: "any", value });
  input.setAttribute("aria-label", says);
  const readout = element("output");
  row.append(name, input, readout);
  return { row, input, readout };
}

function build(root, data, tell) {
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const known = root.dataset.signature === data.signature && root.dataset.serial === String(data.serial)
    && root.dataset.alpha !== undefined;
  let alpha = known ? Number(root.dataset.alpha) : data.alpha;
  let since = known ? Number(root.dataset.since) : data.since;
  root.dataset.signature = data.signature;
  root.dataset.serial = String(data.serial);
  const curves = data.curves.map((curve) => exactCurve(curve, data.domain));
  const focus = curves.find((curve) => curve.key === data.focus) || curves[0];
  const [left, right] = data.domain;

  const hero = drawHero(focus);
  const chart = element("div", "chart");
  const side = element("div", "side");
  const { table, move: moveTable } = drawTable(data, curves);
  const walk = walker(data.items || {}, (item) => tell.picked(item));
  side.append(table, walk.root);
  const main = slideRow("slider", "α", "α, the share of the language prior that is taken away", alpha, data.domain);
  const from = slideRow("since", "since α₁", "α₁, from where flips are counted", since, data.domain);
  const note = element("p", "note");
  note.setAttribute("role", "status");
  const foot = element("div", "foot");
  // What few need stands one fold away: where flips are counted from, and the comparisons behind the curve.
  const rest = element("details", "rest");
  rest.open = since !== 0;
  rest.append(element("summary", "", data.plane ? "Count flips from another α₁ · the plane of comparisons" : "Count flips from another α₁"));
  const plane = data.plane ? drawPlane(data.plane) : null;
  rest.append(from.row);
  if (plane) {
    const figure = element("figure");
    figure.append(element("figcaption", "", data.plane.title), plane.root);
    rest.append(figure);
  }
  foot.append(main.row, note, rest);
  root.replaceChildren(hero.root, chart, side, foot);

  let drawn = null;
  let waiting = false;
  let again = false;
  let timer = 0;
  let sweep = 0;
  function paint() {
    waiting = true;
    again = false;
    requestAnimationFrame(() => {
      waiting = false;
      if (again) paint();
    });
    hero.move(alpha, since);
    if (drawn) drawn.move(alpha, since);
    if (plane) plane.move(alpha);
    moveTable(alpha, since);
    walk.move(alpha);
    for (const [line, value] of [[main, alpha], [from, since]]) {
      line.readout.textContent = focus.named(value);
      line.readout.title = exactly(value);
    }
    main.input.setAttribute("aria-valuetext", `${focus.named(alpha)}, ${percent(focus.value(alpha))} right`);
    const ties = focus.tiesAt(alpha);
    note.textContent = ties
      ? `On a break-point, ${exactly(alpha) || focus.named(alpha)}: ${ties === 1 ? "one item ties" : `${whole(ties)} items tie`} at exactly this α, and ties count as wrong.`
      : `● stands at this α on a curve, ★ at its best.${data.band ? " Pale band: where 95 % of draws of items lie; bracket on the axis: where these have their best α; upright strip: every α as good as the best." : ""} ← → move α by 0.01, with Shift by 0.001; N and P go from one flip to the next.`;
  }
  // At once, and then at most once a frame.
  function repaint() {
    if (waiting) again = true;
    else paint();
  }
  function move(value) {
    alpha = clamp(value, left, right);
    root.dataset.alpha = String(alpha);
    main.input.value = String(alpha);
    repaint();
  }
  function moveSince(value) {
    since = clamp(value, left, right);
    root.dataset.since = String(since);
    from.input.value = String(since);
    repaint();
  }
  const release = () => tell.settled(alpha, since);
  const releaseSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(release, 350);
  };
  const round = (value) => Math.round(value * 1000) / 1000;
  main.input.oninput = () => move(round(Number(main.input.value)));
  from.input.oninput = () => moveSince(round(Number(from.input.value)));
  main.input.onchange = release;
  from.input.onchange = release;
  const onKey = (now, set) => (event) => {
    const step = event.shiftKey ? 0.001 : 0.01;
    const to = {
      ArrowRight: () => round(now() + step), ArrowUp: () => round(now() + step), ArrowLeft: () => round(now() - step),
      ArrowDown: () => round(now() - step), PageUp: () => round(now() + 0.1), PageDown: () => round(now() - 0.1),
      Home: () => left, End: () => right, n: () => focus.stretch(now(), true), p: () => focus.stretch(now(), false),
    }[keyOf(event)];
    if (!to) return;
    taken(event);
    set(to());
    releaseSoon();
  };
  main.input.onkeydown = onKey(() => alpha, move);
  from.input.onkeydown = onKey(() => since, moveSince);

  const jumps = [["0", 0], ...(focus && focus.best ? [["α*", focus.best.alpha]] : []), ["1", 1]];
  for (const [name, value] of jumps) {
    main.row.append(button(name, () => { move(value); release(); }, { title: `Set α to ${focus.named(value)}` }));
  }
  from.row.append(button("here", () => { moveSince(alpha); release(); }, { title: "Count flips from the α shown now" }));
  from.row.append(button("0", () => { moveSince(0); release(); }, { title: "Count flips from α = 0" }));
  const tools = element("div", "tools");
  if (!calm) {
    const play = button("▶ sweep", () => {
      if (sweep) {
        cancelAnimationFrame(sweep);
        sweep = 0;
        play.textContent = "▶ sweep";
        release();
        return;
      }
      play.textContent = "■ stop";
      const begun = performance.now();
      const step = (time) => {
        const share = Math.min(1, (time - begun) / 8000);
        move(left + (right - left) * share);
        sweep = share < 1 ? requestAnimationFrame(step) : 0;
        if (!sweep) {
          play.textContent = "▶ sweep";
          release();
        }
      };
      sweep = requestAnimationFrame(step);
    }, { title: "Move α from one end to the other in eight seconds" });
    tools.append(play);
  }
  if (root.requestFullscreen) {
    from.row.append(button("full screen", () => {
      if (document.fullscreenElement) document.exitFullscreen();
      else root.requestFullscreen();
    }, { title: "Show only this, large; Esc returns" }));
  }
  hero.root.append(tools);

  function redraw() {
    const width = Math.max(300, Math.floor(chart.clientWidth));
    drawn = drawCurves(data, curves, width);
    const ranges = drawRanges(focus, data.domain, width);
    const title = element("p", "tick rangetitle", ranges.n
      ? `${ranges.n === 1 ? "The row is the one item" : `Each row is one of ${whole(ranges.n)} items`} that α flips, green where it is right: point at one to see it`
      : "No item changes its verdict here.");
    title.style.top = `${HEIGHT}px`;
    chart.style.height = `${RANGES.top + RANGES.height + 6}px`;
    chart.replaceChildren(drawn.root, title, ranges.canvas, drawn.over);
    walk.over(ranges, drawn);
    const overRows = (event) => event.clientY - drawn.over.getBoundingClientRect().top > RANGES.top;
    let held = false;
    drawn.over.onpointerdown = (event) => {
      if (overRows(event)) {
        const k = ranges.rowAt(event);
        if (k !== null) tell.picked(ranges.rows[k].item);
        return;
      }
      held = true;
      drawn.over.setPointerCapture(event.pointerId);
      move(round(drawn.alphaOf(event)));
    };
    drawn.over.onpointermove = (event) => {
      if (held) move(round(drawn.alphaOf(event)));
      else if (overRows(event)) walk.pointed(event);
      else walk.left();
    };
    drawn.over.onpointerleave = () => walk.left();
    drawn.over.onpointerup = () => {
      if (held) release();
      held = false;
    };
    paint();
  }
  redraw();
  const unwatch = onResize(chart, () => {
    if (Math.abs(drawn.width - chart.clientWidth) > 2) redraw();
  });
  // A page that was left is told nothing more: a slider let go a moment before the click would redraw it elsewhere.
  const stop = () => {
    clearTimeout(timer);
    walk.stop();
    unwatch();
  };
  // Where something else than this slider has set α, a link or the α of all pages.
  const follow = (now) => {
    root.dataset.serial = String(now.serial);
    moveSince(now.since);
    move(now.alpha);
  };
  return { signature: data.signature, follow, stop };
}

export default function (component) {
  const { data, parentElement, setStateValue, setTriggerValue } = component;
  const root = parentElement.querySelector("#debias");
  const live = root.live;
  const tell = live ? live.tell : {};
  tell.settled = (alpha, since) => setStateValue("at", [alpha, since, data.serial]);
  tell.picked = (item) => setTriggerValue("picked", item);
  // The server draws again whenever the slider was let go: what is already there stays, under the hand.
  if (!live || live.signature !== data.signature) {
    if (live) live.stop();
    root.live = { ...build(root, data, tell), tell };
  } else if (root.dataset.serial !== String(data.serial)) {
    live.follow(data);
  }
  return () => {
    if (!root.isConnected) root.live.stop();
  };
}
