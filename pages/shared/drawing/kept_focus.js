// The focus stays with a part (`data-part`) that was pressed while the page runs again. Most times a component is drawn
// anew where it is; at other times Streamlit takes it out of the page meanwhile, and puts another one in its place.

// Milliseconds: what a pressed part asked for is waited for so long.
const LONGEST = 10000;

let last = null;

// A part was pressed.
export function pressed(id) {
  last = { id, at: performance.now(), page: location.pathname };
}

// The id of the part that has the focus in a box that is drawn anew; else of the last one that was pressed on this page,
// where the focus has gone nowhere else since.
export function focusedPart(box) {
  const here = box.getRootNode().activeElement?.dataset?.part;
  if (here !== undefined || document.activeElement !== document.body) return here;
  return last && last.page === location.pathname && performance.now() - last.at < LONGEST ? last.id : undefined;
}
