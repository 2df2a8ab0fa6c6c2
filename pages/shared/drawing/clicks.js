// A click on a point of a Plotly plane. Where dragging draws a lasso, Streamlit tells of lassos and boxes alone.
export default function (component) {
  const { data, setTriggerValue } = component;
  const heard = new Map();
  const hear = () => {
    for (const plot of document.querySelectorAll(".js-plotly-plot")) {
      if (heard.has(plot) || !plot.on) continue;
      const chart = Object.keys(data.charts).find((name) => plot.closest(`.${CSS.escape(name)}`));
      if (chart === undefined) continue;
      const listener = (event) => {
        const id = event.points?.[0]?.customdata?.[0];
        if (typeof id === "string") setTriggerValue("opened", `${data.charts[chart]}\t${id}`);
      };
      plot.on("plotly_click", listener);
      heard.set(plot, listener);
    }
  };
  hear();
  const watch = new MutationObserver(hear); // a plane is drawn later than this runs, and anew with other points
  watch.observe(document.body, { childList: true, subtree: true });
  return () => {
    watch.disconnect();
    for (const [plot, listener] of heard) plot.removeListener?.("plotly_click", listener);
  };
}
