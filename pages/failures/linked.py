"""The address of an open item: opening a card writes it, a link with it opens the same item over the same list."""

from collections.abc import Callable, Sequence

import streamlit as st

from pages.failures import data
from pages.item import full
from pages.item import opened as opened_
from pages.item.place import Place
from pages.shared.data.stored import StoredBenchmark
from pages.shared.frame import address
from pages.shared.frame.header import trouble

#: The address key, as on other pages. Where several benchmarks are listed at once, the hash of the item's stands before
#: it, and a blank.
KEY, arrive = opened_.KEY, opened_.arrive


def check(benchmark: StoredBenchmark) -> None:
    """Say so where a link names an item that is not here, and let it go."""
    named = str(st.session_state[KEY])
    if not named:
        return
    part, item_id = _split(benchmark, named)
    if part is None or item_id not in data.card_items(part.hash, (item_id,)):
        where = "any benchmark that is listed" if benchmark.parts else benchmark.name
        trouble(
            f"The link opens the item “{named[:80]}”, which is not in {where}: it was made on another benchmark, or on "
            "another edition of it. The list below is the one that the link names."
        )
        st.session_state[KEY] = ""


def asked(benchmark: StoredBenchmark, opened: str | None) -> str:
    """The item that is open now, for the address: the one that was just opened, else the one that a link names or that
    has been open since; "" for none. opened: the benchmark's hash, a blank, the item."""
    now = str(st.session_state[KEY])
    if opened:
        now = opened if benchmark.parts else opened.removeprefix(f"{benchmark.hash} ")
    address.note(KEY, now, "")
    return now


def open_item(benchmark: StoredBenchmark, item: str, ids: Callable[[str], Sequence[str]]) -> None:
    """Show the item over the page; nothing for "". ids: of a benchmark (hash), what previous and next walk along."""
    part, item_id = _split(benchmark, item) if item else (None, "")
    if part is not None:
        before = f"{part.hash} " if benchmark.parts else ""
        full.open_dialog(part, ids(part.hash), item_id, place=Place(KEY, before))


def _split(benchmark: StoredBenchmark, named: str) -> tuple[StoredBenchmark | None, str]:
    """(the benchmark, the item's id) of what the address names."""
    if not benchmark.parts:
        return benchmark, named
    of, _, item_id = named.partition(" ")
    return next((part for part in benchmark.parts if part.hash == of), None), item_id
