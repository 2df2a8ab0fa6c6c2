// Where the reader is: a page and its choices, all in the address, so that a link opens the same view.
export function read() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const params = new URLSearchParams(query ?? "");
  const found = Object.create(null); // names are the address's: __proto__ is one like any other
  for (const name of new Set(params.keys())) found[name] = params.getAll(name);
  return { page: path || "overview", params: found };
}

export const one = (params, name, otherwise = "") => params[name]?.[0] ?? otherwise;

export function address(page, params) {
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const each of Array.isArray(value) ? value : [value]) if (each !== "" && each !== undefined && each !== null) said.append(name, each);
  }
  const text = said.toString();
  return `#/${page}${text ? `?${text}` : ""}`;
}

// Where a reader finds a view again: its whole address on a web host. A page that was opened from disk has an address
// that is nobody else's, so the site's name and the view's choices in words.
export function place(page, params) {
  if (location.protocol !== "file:") return new URL(address(page, params), location.href).href;
  const choices = Object.entries(params).flatMap(([name, value]) => {
    const said = (Array.isArray(value) ? value : [value]).filter((each) => each !== "" && each !== undefined && each !== null);
    return said.length ? [`${name} ${said.join(" + ")}`] : [];
  });
  return `${document.title}, a site published by Flipside${choices.length ? ": " : ""}${choices.join(", ")}`;
}

export function go(page, params) {
  location.hash = address(page, params);
}

// The same page with other choices: no new step in the browser's history.
export function change(page, params) {
  location.replace(address(page, params));
}
