"""Runs, Add: the files that were uploaded for experiments, and how they are deleted."""

from pathlib import Path

import streamlit as st

from backend import paths
from backend.benchmarks.fetching.unpack import unpacked_name
from backend.live.uploads import trash
from backend.live.uploads.own_uploads import ARCHIVE
from pages.runs import trash as runs_trash
from pages.shared.drawing.numbers import count


def draw() -> None:
    """Uploaded files with a button to delete them; nothing where there are none."""
    uploads = _uploads()
    if not uploads:
        return
    kept = [path for path in uploads if path.is_file()]
    size = sum(path.stat().st_size for path in kept) / 2**20
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        n_files = count(len(as_uploaded(kept)), "file")
        takes = f"{size:.1f} MB" if size >= 0.05 else "less than 0.1 MB"
        st.markdown(f"**Uploaded files** · {n_files}, {takes}; no saved benchmark needs what is here.")
        st.button(
            "Delete", key="uploads-delete", icon=":material/delete:", on_click=runs_trash.delete, type="tertiary",
            args=(trash.discard, "uploads", "uploaded files", [paths.cache_dir() / "uploads"]),
            help="Can be undone. Saved benchmarks have copies of their own and stay as they are. Links to experiments "
            "with these pictures stop working until then.",
        )  # fmt: skip


def as_uploaded(kept: list[Path]) -> list[Path]:
    """Of some files those that somebody uploaded: without what was unpacked beside its archive."""
    unpacked = {unpacked_name(path) for path in kept if path.suffix == ARCHIVE}
    return [path for path in kept if not unpacked.intersection(path.parents)]


def _uploads() -> list[Path]:
    folder = paths.cache_dir() / "uploads"
    return [path for path in folder.rglob("*") if not path.name.startswith(".")] if folder.is_dir() else []
