"""A number between two bounds, as it is typed: what is outside of them is said at once, and is not taken."""

import streamlit as st

from backend import written
from pages.shared.frame import address
from pages.shared.frame.header import trouble

#: How far a field itself lets one type, so that it is the sentence that is read.
FAR = 10**12


def whole(
    label: str, low: int, high: int, value: int, *, key: str, step: int = 1, tip: str = "", placed: bool = False,
    width: int | None = None,
) -> int | None:  # fmt: skip
    """A whole number; None, after saying so, where it is outside. tip: its help; placed: whether the key stands in
    the address."""
    if placed:
        address.number(key, -FAR, FAR, value)
    found = st.number_input(
        label, -FAR, FAR, value, step=step, key=key, help=tip, width=width or "stretch", persist_state="session"
    )  # fmt: skip
    if not low <= found <= high:
        trouble(f"{label}: {low:,} to {high:,}.")
        return None
    return int(found)


def real(
    label: str, low: float, high: float, value: float, *, key: str, step: float, tip: str = "", placed: bool = False
) -> float | None:  # fmt: skip
    """A number; None, after saying so, where it is outside."""
    if placed:
        address.number(key, -float(FAR), float(FAR), value)
    found = st.number_input(
        label, -float(FAR), float(FAR), value, step=step, format="%g", key=key, help=tip, persist_state="session"
    )
    if not low <= found <= high:
        trouble(f"{label}: {written.number(low, 7).rstrip('0')} to {high:g}.")
        return None
    return float(found)
