// What listens to the whole document: begun once, by the first run that draws a page.
import { keepOneStep } from "./one_step.js";
import { followScheme } from "./scheme.js";
import { markLongRuns } from "./stale.js";

export default function ({ data, setTriggerValue }) {
  const app = document.querySelector("[data-testid=stApp]");
  if (!app) return;
  if (!window.flipsideListens) {
    keepOneStep();
    markLongRuns(app);
    window.flipsideListens = { drawnIn: followScheme(app) };
  }
  window.flipsideListens.drawnIn(data.scheme, (scheme) => setTriggerValue("scheme", scheme));
}
