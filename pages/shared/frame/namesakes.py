"""Benchmarks of one name, as two editions by the same edit of other items are: their addresses carry the hash, and one
that was written while there was one of them means the one whose results are newest; the page says so."""

from collections.abc import Mapping

import streamlit as st

from backend.benchmarks.items_folder.kept import EDITED
from backend.store.catalog import catalog
from pages.shared.data import stored
from pages.shared.drawing.numbers import listing
from pages.shared.frame import address
from pages.shared.frame.plain import plain

_SEVERAL = "_namesakes"


def meant(wanted: str, hashes: Mapping[str, str]) -> list[str]:
    """The names that one may stand for which is not among them, first the one whose results are newest: it has
    namesakes by now, or has none any more. hashes: of what can be chosen, by name."""
    several = [name for name, of in hashes.items() if name == f"{wanted}@{of[:8]}"]
    alone = [name for name, of in hashes.items() if wanted == f"{name}@{of[:8]}"]
    return sorted(several, key=lambda name: (_newest(hashes[name]), name), reverse=True) or alone


def _newest(of: str) -> str:
    """When a benchmark (its hash) was last scored; "" where it never was."""
    return max((str(when) for when in catalog.runs(stored.store(), of)["updated"].dropna()), default="")


def follow(known: Mapping[str, stored.StoredBenchmark]) -> None:
    """Before the benchmark's widget: an address, or what another page had chosen, that names one of several."""
    state = st.session_state
    linked = address.asked("benchmark")
    wanted = linked[0] if linked else str(state.get("benchmark", ""))
    if linked or wanted not in known:
        state.pop(_SEVERAL, None)
    found = meant(wanted, {name: each.hash for name, each in known.items()}) if wanted not in known else []
    if not found:
        return
    if linked:
        address.drop("benchmark")
        address.imply("benchmark", found[0])
    else:
        state["benchmark"] = found[0]
    if len(found) > 1:
        state[_SEVERAL] = (address.here(), wanted, found)


def draw(shown: str) -> None:
    """Say it, for as long as the one that was opened is shown on this page. shown: its name."""
    page, wanted, found = st.session_state.get(_SEVERAL, ("", "", [""]))
    if page == address.here() and shown == found[0]:
        with st.container(border=True, key="namesakes"):
            st.markdown(f":material/layers: {said(wanted, found)}")


def said(wanted: str, found: list[str]) -> str:
    """Which one is shown of several of a name, and which others there are; Markdown. found: the one that is shown
    first."""
    what = "editions" if EDITED in wanted else "versions"
    first, *others = (f"@{name.rpartition('@')[2]}" for name in found)
    one = "the other one is" if len(others) == 1 else "the others are"
    return (
        f"**{len(found)} {what} are called {plain(wanted)}.** This is {plain(first)}, whose results are the newest; "
        f"{one} {plain(listing(others))}, in the sidebar."
    )


def follow_name(key: str, hashes: Mapping[str, str]) -> None:
    """Before another widget that names a benchmark: the same, said in passing."""
    asked = address.asked(key)
    found = meant(asked[0], hashes) if asked and asked[0] not in hashes else []
    if found:
        address.drop(key)
        address.imply(key, found[0])
    if len(found) > 1:
        address.unused(
            f"{len(found)} benchmarks are called {asked[0][:60]}; this is {found[0]}, with the newest results."
        )
