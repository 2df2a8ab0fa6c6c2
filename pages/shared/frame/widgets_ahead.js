// Tells the server once that the page stands and the browser has nothing else to do.
const WAIT = 600; // milliseconds between two looks

export default function (component) {
  const { setTriggerValue } = component;
  const root = document.documentElement;
  if (root.dataset.fsWidgetsAhead) return () => {};
  const idle = window.requestIdleCallback ?? ((then) => setTimeout(then, 0));
  let timer = setTimeout(look, WAIT);
  let gone = false;

  function look() {
    const app = document.querySelector("[data-testid=stApp]");
    if (app?.dataset.testScriptState === "running") timer = setTimeout(look, WAIT);
    else idle(say);
  }

  function say() {
    if (gone || root.dataset.fsWidgetsAhead) return;
    root.dataset.fsWidgetsAhead = "1";
    setTriggerValue("idle", true);
  }

  return () => {
    gone = true;
    clearTimeout(timer);
  };
}
