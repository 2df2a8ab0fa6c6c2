// Puts the panels of pages/compare/steps.py on the page, which escapes all names. `st.html` takes SVG away.
export default function (component) {
  const { data, parentElement } = component;
  parentElement.querySelector(".cmp-steps").innerHTML = data.html;
}
