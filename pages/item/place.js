// The open item in the browser's address, in place of the one before: no step of its own for Back.
export default function ({ data }) {
  document.documentElement.dataset.fsItem = data.value; // for the gallery behind, which has its card
  const address = new URL(location.href);
  if (!address.searchParams.has(data.key) || address.searchParams.get(data.key) === data.value) return;
  address.searchParams.set(data.key, data.value);
  history.replaceState(history.state, "", address);
}
