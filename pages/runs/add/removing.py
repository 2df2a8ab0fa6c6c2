"""Runs, Add: what a row can take away again, each with the way back at the top of the page."""

import streamlit as st

from backend import paths
from backend.benchmarks.items_folder.folder import own_folder
from backend.benchmarks.items_folder.kept import is_kept, kept_hash
from backend.live.uploads import trash
from pages.runs import trash as runs_trash
from pages.runs.add.states import Row, Subject
from pages.shared.drawing.numbers import count
from pages.shared.frame.plain import plain


def draw(sort: str, row: Row) -> None:
    """The button, or a list of them where there are several things to remove."""
    if sort == "score" or (sort == "import" and row.runs):
        return  # runs are deleted in History; what they were made on stays with them
    if row.subjects:
        if len(row.subjects) > 1:
            with st.popover("Remove …", type="tertiary"):
                for subject in row.subjects:
                    _one(subject, row, f"Remove {subject.name}")
        else:
            _one(row.subjects[0], row, "Remove")
        return
    if len(row.runs) > 1:
        with st.popover("Remove …", type="tertiary"):
            for run in row.runs:
                _run(run.run_id, f"Remove the run on {run.name}, {run.run_id}", f"{row.title}, {run.name}")
    elif row.runs:
        _run(row.runs[0].run_id, "Remove", row.title)


def _one(subject: Subject, row: Row, label: str) -> None:
    runs = sum(run.benchmark == subject.hash for run in row.runs)
    stay = f" Its {count(runs, 'run')} and their pages stay." if runs else ""
    st.button(
        plain(label), key=f"own-delete-{subject.name}", icon=":material/delete:", type="tertiary",
        on_click=runs_trash.delete, args=(discard, subject.name, subject.hash, runs), help=f"Can be undone.{stay}",
    )  # fmt: skip


def _run(run_id: str, label: str, title: str) -> None:
    st.button(
        plain(label), key=f"runs-remove-{run_id}", icon=":material/delete:", type="tertiary",
        on_click=runs_trash.delete, args=(trash.discard_run, run_id, title), help="Can be undone.",
    )  # fmt: skip


def discard(name: str, of: str, runs: int) -> trash.Discarded:
    """Move a benchmark aside: own data with their kept items, unless runs still need these. of: the items' hash."""
    places = [own_folder(name)] if is_kept(name) else []
    items = paths.cache_dir() / "benchmarks" / ((kept_hash(name) if is_kept(name) else of) or "-")
    if not runs and items.is_dir():
        places.append(items)
    return trash.discard("benchmark", name, places)
