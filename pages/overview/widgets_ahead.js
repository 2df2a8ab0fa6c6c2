// Tells the server once that this page stands and the browser has nothing else to do.
const WAIT = 1500; // milliseconds

export default function (component) {
  const { setTriggerValue } = component;
  const root = document.documentElement;
  if (root.dataset.fsWidgetsAhead) return () => {};
  const idle = window.requestIdleCallback ?? ((then) => setTimeout(then, 0));
  let gone = false;
  const timer = setTimeout(() => idle(() => {
    if (gone) return;
    root.dataset.fsWidgetsAhead = "1";
    setTriggerValue("idle", true);
  }), WAIT);
  return () => {
    gone = true;
    clearTimeout(timer);
  };
}
