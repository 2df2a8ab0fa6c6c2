"""Runs, Add: the files that were uploaded for experiments, and how they are deleted."""

from pathlib import Path

import streamlit as st

from backend import paths
from backend.live.uploads import trash
from pages.runs import trash as runs_trash
from pages.shared.drawing.numbers import count


def draw() -> None:
    """Uploaded files with a button to delete them; nothing where there are none."""
    uploads = _uploads()
    if not uploads:
        return
    size = sum(path.stat().st_size for path in uploads if path.is_file()) / 2**20
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**Uploaded files** · {count(sum(p.is_file() for p in uploads), 'file')}, {size:.1f} MB")
        st.button(
            "Delete", key="uploads-delete", icon=":material/delete:", on_click=runs_trash.delete, type="tertiary",
            args=(trash.discard, "uploads", "uploaded files", [paths.cache_dir() / "uploads"]),
            help="Can be undone. Links to experiments with these pictures stop working until then.",
        )  # fmt: skip


def _uploads() -> list[Path]:
    folder = paths.cache_dir() / "uploads"
    return [path for path in folder.rglob("*") if not path.name.startswith(".")] if folder.is_dir() else []
