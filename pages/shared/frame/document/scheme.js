// Streamlit changes to its other theme, when the system or the reader does, without a run. What Python has drawn in
// colours of its own kept those of the theme before: grid lines, marks, and the scheme of dialogs, whose text was then
// dark on dark. So a run is asked for, once for each change, and after the one that is under way: it would be cut short, and
// with it what a button has begun.
//
// Returns what each run calls: with the scheme that it draws in ("light" or "dark"), and with how a run is asked for.
export function followScheme(app) {
  let drawn = "";
  let asked = "";
  let ask = () => {};
  const look = () => {
    if (app.dataset.testScriptState === "running") return;
    const now = getComputedStyle(app).colorScheme;
    if (now === drawn) asked = "";
    else if (now !== asked && ["light", "dark"].includes(now)) ask((asked = now));
  };
  new MutationObserver(look).observe(app, { attributeFilter: ["class", "data-test-script-state"] });
  return (scheme, run) => {
    [drawn, ask] = [scheme, run];
    look();
  };
}
