"""From a chart or a list to Failures: the items that were picked, kept under a short name in the address."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from backend.errors import FlipsideError
from backend.store.failures import selections
from pages.shared.data.stored import StoredBenchmark
from pages.shared.frame import address
from pages.shared.frame.header import trouble


def address_of(benchmark: StoredBenchmark, item_ids: Sequence[str], title: str, **filters: str) -> dict[str, Any]:
    """The address of Failures that lists these items. filters: model, kind, alpha, metric, show, … as in its address;
    right items are listed, too, unless `show` says otherwise. FlipsideError where they cannot be kept."""
    kept = selections.keep(benchmark.hash, item_ids, title)
    return {"benchmark": benchmark.name, "set": kept.key, "show": "all", **filters}


def href(wanted: Mapping[str, str]) -> str:
    """A link to an address of Failures, as a page of this dashboard follows it.

    >>> href({"benchmark": "world", "model": "hf:a/b"})
    'failures?benchmark=world&model=hf%3Aa%2Fb'
    """
    return f"failures?{urlencode(wanted)}"


def go(benchmark: StoredBenchmark, item_ids: Sequence[str], title: str, **filters: str) -> None:
    """Switch to Failures with these items (see `address_of`)."""
    try:
        wanted = address_of(benchmark, item_ids, title, **filters)
    except FlipsideError as error:
        trouble(str(error))
        return
    address.go("pages/failures/page.py", wanted)


def button(benchmark: StoredBenchmark, item_ids: Sequence[str], title: str, key: str, **filters: str) -> None:
    """A button that goes there; nothing where no item was picked. title: where the items are from, in words."""
    if not item_ids:
        return
    n = len(set(item_ids))
    items = "this item" if n == 1 else f"these {n:,} items"
    if st.button(f"Open {items} in Failures", icon=":material/arrow_forward:", key=key):
        go(benchmark, item_ids, title, **filters)
