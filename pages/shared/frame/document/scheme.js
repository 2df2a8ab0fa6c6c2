// Streamlit changes to its other theme, when the system or the reader does, without a run. What Python has drawn in
// colours of its own kept those of the theme before: grid lines, marks, and the scheme of dialogs, whose text was then
// dark on dark. So a run is asked for, once for each change, and only when it takes nothing away: after the one that is
// under way, which it would cut short with what a button has begun, and after a dialog, which it would close. Until then
// the document, and so a dialog, is told the scheme here, as style.py tells it.
//
// Returns what each run calls: with the scheme that it draws in ("light" or "dark"), and with how a run is asked for.

// So long (milliseconds) nothing may stand in the way of a run: with its theme Streamlit takes a dialog out and puts it back.
const SETTLED = 300;

export function followScheme(app) {
  let drawn = "";
  let asked = "";
  let timer = 0;
  let ask = () => {};
  const told = document.createElement("style");
  const look = () => {
    clearTimeout(timer);
    const now = getComputedStyle(app).colorScheme;
    const isOther = now !== drawn && ["light", "dark"].includes(now);
    told.textContent = isOther ? `@media screen { :root { color-scheme: ${now} !important; } }` : "";
    if (!isOther) asked = "";
    if (isOther && now !== asked) timer = setTimeout(begin, SETTLED, now);
  };
  const begin = (now) => {
    const isBusy = app.dataset.testScriptState === "running" || document.querySelector("[role=dialog]") !== null;
    if (isBusy) timer = setTimeout(look, SETTLED);
    else ask((asked = now));
  };
  document.head.append(told);
  new MutationObserver(look).observe(app, { attributeFilter: ["class", "data-test-script-state"] });
  return (scheme, run) => {
    [drawn, ask] = [scheme, run];
    look();
  };
}
