// Streamlit changes to its other theme, when the system or the reader does, without a run. What Python has drawn in
// colours of its own kept those of the theme before: grid lines, marks, and the scheme of dialogs, whose text was then
// dark on dark. So a run is asked for, once for each change, and only when it takes nothing away: after the one that is
// under way, which it would cut short with what a button has begun, and after a dialog, which it would close. Until then
// the document, and so a dialog, is told the scheme here, as style.py tells it.
//
// Returns what each run calls: with the scheme that it draws in ("light" or "dark"), and with how a run is asked for.

// So often, every so many milliseconds, nothing may stand in the way of a run, one look after the other: with its theme
// Streamlit takes a dialog out and puts it back, and a dialog that has just been closed has a run to come, beside which
// another one opened it again.
const LOOKS = 4;
const EVERY = 100;

export function followScheme(app) {
  let drawn = "";
  let hasChanged = false; // since a run was asked for: a part of the page may have been drawn by itself in the other scheme
  let asked = ""; // the scheme that is asked for, until there is another one
  let timer = 0;
  let ask = () => {};
  const told = document.createElement("style");
  const look = () => {
    clearTimeout(timer);
    const now = getComputedStyle(app).colorScheme;
    const isOther = drawn !== "" && now !== drawn && ["light", "dark"].includes(now);
    told.textContent = isOther ? `@media screen { :root { color-scheme: ${now} !important; } }` : "";
    hasChanged ||= isOther;
    if (now !== asked) asked = "";
    if (hasChanged && asked === "") timer = setTimeout(begin, EVERY, now, LOOKS);
  };
  const begin = (now, left) => {
    const isBusy = app.dataset.testScriptState === "running" || document.querySelector("[role=dialog]") !== null;
    if (isBusy || left > 1) {
      timer = setTimeout(begin, EVERY, now, isBusy ? LOOKS : left - 1);
      return;
    }
    [asked, hasChanged] = [now, false];
    ask(now);
  };
  document.head.append(told);
  new MutationObserver(look).observe(app, { attributeFilter: ["class", "data-test-script-state"] });
  return (scheme, run) => {
    if (scheme !== drawn) hasChanged = false; // else it may be that a change of theme alone draws this again, and no run
    [drawn, ask] = [scheme, run];
    look();
  };
}
