"""Which benchmarks the owner's data folders hold, for the tabs that start from one."""

from pathlib import Path

import streamlit as st

from backend.live.uploads import data_folders
from backend.live.uploads.data_folders import Place
from backend.paths import INSTALLED
from pages.shared.frame.header import empty

#: Where the folder `data` is looked for.
PLACE = "in the cache folder, which `flipside doctor` names" if INSTALLED else "beside app.py"


@st.cache_data(show_spinner="Looking through the data folders …", ttl=60, max_entries=4)
def _found(roots: tuple[tuple[str, str], ...]) -> list[Place]:
    del roots  # the cache's key
    return data_folders.places()


def found() -> list[Place]:
    """Every benchmark in the data folders; looked for again after a minute, or when the button is pressed."""
    return _found(tuple((label, str(path)) for label, path in data_folders.roots().items()))


def look_again() -> None:
    """Forget what was found (a button's callback)."""
    _found.clear()


def choose(key: str, label: str, places: list[Place]) -> Place:
    """One of the places, by benchmark and folder."""
    options = list(range(len(places)))
    chosen = st.selectbox(
        label, options, key=key, format_func=lambda n: f"{places[n].name} · in {places[n].where}" if places else "",
        help="Looked for in the data folders that this dashboard's owner has named.",
    )  # fmt: skip
    return places[chosen or 0]


def nothing_there() -> None:
    """What to do where no folder holds a benchmark."""
    roots = data_folders.roots()
    if not roots:
        empty(
            "There is no data folder yet",
            f"Make a folder named data {PLACE}, or set FLIPSIDE_DATA to the folder that holds your benchmarks, "
            "and put a benchmark's files into a subfolder of it.",
        )
        return
    empty(
        "No benchmark was recognised",
        f"Looked in {', '.join(roots)} and below. Put a benchmark's original files, under their own names, into a "
        "subfolder; the list below says which files each benchmark is known by.",
    )


def folders() -> dict[str, Path]:
    """Every root and the folders directly in it, by what people call them."""
    found = {}
    for label, root in data_folders.roots().items():
        found[label] = root
        found |= {f"{label}/{sub}": root / sub for sub in data_folders.subfolders(label)}
    return found
