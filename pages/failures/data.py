"""What Failures asks the store, cached for one generation of the data."""

from dataclasses import replace
from functools import lru_cache
from hashlib import sha256

import streamlit as st

from backend.store import queries
from backend.store.failures import notes
from backend.store.queries import FailureFilter, FailurePage, ItemDetail
from pages.shared.data.stored import store


@lru_cache(maxsize=32)
def _digest(ids: tuple[str, ...]) -> str:
    return sha256("\0".join(ids).encode()).hexdigest()


def digest(wanted: FailureFilter) -> str:
    """A name of a filter. Streamlit's own would walk through every id of a picked set, which may hold 200,000."""
    ids = None if wanted.only is None else _digest(wanted.only)
    return sha256(repr((replace(wanted, only=None), ids)).encode()).hexdigest()


def failures(wanted: FailureFilter) -> FailurePage:
    """One page of what a filter leaves."""
    return _failures(store().generation, notes.version(), wanted)


@st.cache_data(show_spinner=False, max_entries=200, hash_funcs={FailureFilter: digest})
def _failures(generation: str, written: str, wanted: FailureFilter) -> FailurePage:
    del generation, written
    return queries.failures(store(), wanted)


def ids(wanted: FailureFilter) -> list[str]:
    """The ids of all that a filter leaves, in its order."""
    return _ids(store().generation, notes.version(), replace(wanted, offset=0, limit=1))


@st.cache_data(show_spinner=False, max_entries=50, hash_funcs={FailureFilter: digest})
def _ids(generation: str, written: str, wanted: FailureFilter) -> list[str]:
    del generation, written
    return queries.failure_ids(store(), wanted)


def card_items(benchmark: str, item_ids: tuple[str, ...]) -> dict[str, ItemDetail]:
    """The items of some cards of a benchmark (hash), without scores and tokens (see `cards.card_items`)."""
    return _card_items(store().generation, benchmark, item_ids)


@st.cache_data(show_spinner=False, max_entries=60)
def _card_items(generation: str, benchmark: str, item_ids: tuple[str, ...]) -> dict[str, ItemDetail]:
    del generation
    return queries.card_items(store(), benchmark, item_ids)
