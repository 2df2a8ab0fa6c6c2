// A page that is opened through the sidebar writes what it shows into its address, and Streamlit keeps that as a step of
// its own, so that Back led to the same page without its address first. Here the one takes the place of the other.
export default function () {
  if (window.__flipsideOneStep) return;
  window.__flipsideOneStep = true;
  let opened = ""; // the path that was just opened without an address, until somebody acts on the page
  const push = history.pushState;
  history.pushState = function (state, title, url) {
    const to = new URL(url ?? location.href, location.href);
    const isHere = to.pathname === location.pathname;
    const isFirst = isHere && opened === to.pathname && location.search === "";
    opened = !isHere && to.search === "" ? to.pathname : "";
    if (isFirst) history.replaceState(state, title, url);
    else push.call(history, state, title, url);
  };
  for (const kind of ["pointerdown", "keydown", "popstate"]) addEventListener(kind, () => { opened = ""; }, true);
}
