// What stands from before the last choice fades while the new page is awaited, once that takes long. Streamlit begins to
// fade each element at every choice, half a second late: twenty animations that are taken back before one of them shows,
// each with a layer of its own, and a sixth of what a browser that draws in software takes for a choice. Here the
// document is marked while a run is long, and style.css lets it fade only then: as Streamlit does, half a second later.
const LONG = 500; // milliseconds

export function markLongRuns(app) {
  let timer = 0;
  const root = document.documentElement;
  const look = () => {
    clearTimeout(timer);
    if (app.dataset.testScriptState === "running") timer = setTimeout(() => { root.dataset.fsLong = ""; }, LONG);
    else delete root.dataset.fsLong;
  };
  new MutationObserver(look).observe(app, { attributeFilter: ["data-test-script-state"] });
  look();
}
