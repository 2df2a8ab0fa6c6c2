"""Runs, own data: what is kept here already, what it is called, and how it is deleted."""

from pathlib import Path

import streamlit as st

from backend import paths
from backend.benchmarks.items_folder.folder import own_folder, own_names
from backend.benchmarks.items_folder.kept import kept_hash
from backend.live.uploads import trash
from backend.store import queries
from pages.runs import trash as runs_trash
from pages.shared.data import stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing.numbers import count
from pages.shared.frame.header import chart_caption, section
from pages.shared.frame.plain import plain


def draw() -> None:
    """Own benchmarks and perturbed editions, and the files that were uploaded; each with a button to delete it."""
    names, uploads = own_names(), _uploads()
    if not names and not uploads:
        return
    section("Kept here", "own benchmarks, perturbed editions and uploaded files")
    known = {str(line.hash): line for line in lines_of(queries.benchmarks(stored.store()))}
    for name in names:
        left, right = st.columns([8, 2], vertical_alignment="center")
        line = known.get(kept_hash(name))
        runs = int(line.n_runs) if line else 0
        items = count(int(line.n_items), "item") if line else "not opened yet"
        scored = f", scored in {count(runs, 'run')}" if runs else ""
        left.markdown(f"**{plain(name)}** · {items}{scored}")
        right.button(
            "Delete", key=f"own-delete-{name}", icon=":material/delete:", on_click=runs_trash.delete,
            args=(_discard, name, runs), help="Can be undone. Runs on it stay, and so do their pages.",
        )  # fmt: skip
    if uploads:
        size = sum(path.stat().st_size for path in uploads if path.is_file()) / 2**20
        left, right = st.columns([8, 2], vertical_alignment="center")
        left.markdown(f"**Uploaded files** · {count(sum(p.is_file() for p in uploads), 'file')}, {size:.1f} MB")
        right.button(
            "Delete", key="uploads-delete", icon=":material/delete:", on_click=runs_trash.delete,
            args=(trash.discard, "uploads", "uploaded files", [paths.cache_dir() / "uploads"]),
            help="Can be undone. Links to experiments with these pictures stop working until then.",
        )  # fmt: skip
    chart_caption("What is deleted can be put back for 30 days, below.")


def _uploads() -> list[Path]:
    folder = paths.cache_dir() / "uploads"
    return [path for path in folder.rglob("*") if not path.name.startswith(".")] if folder.is_dir() else []


def _discard(name: str, runs: int) -> trash.Discarded:
    """An own benchmark goes with its kept items, unless runs still need these."""
    places = [own_folder(name)]
    items = paths.cache_dir() / "benchmarks" / (kept_hash(name) or "-")
    if not runs and items.is_dir():
        places.append(items)
    return trash.discard("benchmark", name, places)
