// A page that is opened through the sidebar writes what it shows into its address, and Streamlit keeps that as a step of
// its own, so that Back led to the same page without its address first. Here the one takes the place of the other.
//
// A link of ours to another page is two steps of Streamlit's: the page that is left under the other page's address, and
// then that page. Again the one takes the place of the other, for Back led to an address that nobody had seen.
//
// After a reload, Back to a step from before it asks Streamlit for that page under the address of the page that was left,
// for a new session knows no other: it showed another comparison. Each step carries the number of the document that made
// it, and one of another document is loaded as an address is.
export function keepOneStep() {
  const made = Math.random().toString(36).slice(2);
  const marked = (state) => ({ ...(state ?? {}), flipsideDocument: made });
  let opened = ""; // the path that was just opened without an address, until somebody acts on the page
  let passing = ""; // the address that was just written to the page that stands, until somebody acts on it
  const push = history.pushState;
  const replace = history.replaceState;
  history.replaceState = function (state, title, url) {
    replace.call(history, marked(state), title, url);
  };
  history.replaceState(history.state, "");
  history.pushState = function (state, title, url) {
    const to = new URL(url ?? location.href, location.href);
    const isHere = to.pathname === location.pathname;
    const isFirst = isHere && opened === to.pathname && location.search === "";
    opened = !isHere && to.search === "" ? to.pathname : "";
    const isPassed = !isHere && passing !== "" && to.search === passing && location.search === passing;
    passing = isHere ? to.search : "";
    if (isFirst || isPassed) history.replaceState(state, title, url);
    else push.call(history, marked(state), title, url);
  };
  addEventListener("popstate", (event) => {
    if (!event.state?.flipsideDocument || event.state.flipsideDocument === made) return;
    event.stopImmediatePropagation();
    location.reload();
  }, true);
  for (const kind of ["pointerdown", "keydown", "popstate"]) addEventListener(kind, () => { opened = passing = ""; }, true);
}
