// Puts the violins on the page. Their HTML comes from violins.py, which escapes all names.
export default function (component) {
  const { data, parentElement } = component;
  parentElement.querySelector(".fs-drawing").innerHTML = data.html;
}
