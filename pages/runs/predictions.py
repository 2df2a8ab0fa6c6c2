"""Runs: another system's scores or verdicts on a benchmark."""

from pathlib import Path

import pandas as pd
import streamlit as st

from backend.errors import FlipsideError
from backend.items import Kind
from backend.kinds import PAIR_KINDS
from backend.live.jobs import jobs
from backend.live.uploads import own_uploads, predicted
from backend.live.uploads.predicted import Glance
from backend.live.uploads.uploads import LARGEST_MB
from pages.runs import jobs as runs_jobs
from pages.runs import subjects
from pages.runs.subjects import Subject
from pages.shared.drawing.numbers import count
from pages.shared.frame.fold import more
from pages.shared.frame.header import chart_caption, trouble
from pages.shared.frame.hidden import hide
from pages.shared.frame.plain import plain
from pages.shared.frame.tips import kind_name

TYPES = ["csv", "tsv", "json", "jsonl", "ndjson", "parquet", "npy"]
#: Statements that belong to no item and are shown.
SHOWN = 200
RANKING = list(PAIR_KINDS)
ONE = "one order, or not known"
SCALE = "Numbers of itm and vqa are"


def draw() -> None:
    """Upload, look at what matches, add."""
    left, right = st.columns(2, gap="large")
    with left:
        files = st.file_uploader(
            "Files of predictions", type=TYPES, accept_multiple_files=True, key="predictions-files",
            max_upload_size=LARGEST_MB,
            help="Scores or verdicts as CSV, TSV, JSON, JSON Lines or Parquet; EqBen's CodaLab .npy; SugarCrepe's "
            "GPT-4V result files; t2v_metrics' tables; lmms-eval's sample logs. Matched by item id, by image and "
            "caption, or by the item's place.",
        )  # fmt: skip
    with right:
        subject = subjects.choose("predictions-benchmark", by_number=True)
        name = (
            st.text_input("Name of the system", key="predictions-name", placeholder="gpt-4v", max_chars=80) or ""
        ).strip()
    if not files:
        chart_caption(
            "Compare with any other system: upload what it said about a benchmark's items. It is then a model like any "
            "other on every page, called predictions: and its name."
        )
        return
    try:
        order = _order([own_uploads.lay_aside(file.getvalue(), file.name) for file in files])
        inputs = {f"{order}{jobs.plain_name(file.name)}": file.getvalue() for file in files}
        laid = [own_uploads.lay_aside(data, Path(path).name, order.rstrip("/")) for path, data in inputs.items()]
        with more(key="more-runs-predictions"):
            one, two = st.columns(2)
            with one:
                kind = _kind()
            with two:
                scale = _scale()
        with st.spinner("Matching …", show_time=True):
            found = predicted.glance(laid, subject.name, Path(subject.data) if subject.data else None, kind, scale)
    except FlipsideError as error:
        trouble(str(error))
        return
    _said(found, subject)
    words = arguments(list(inputs), name, subject, str(kind or ""), scale or "")
    ready = bool(name and found.matched and not found.misplaced)
    if st.button(
        "Add", type="primary", icon=":material/playlist_add:", key="predictions-add", disabled=not ready,
        help=None if name else "Give the system a name first.",
    ):  # fmt: skip
        runs_jobs.begin("add-predictions", words, f"Add predictions:{name} on {subject.label}", inputs)


def arguments(inputs: list[str], name: str, subject: Subject, kind: str = "", scale: str = "") -> list[str]:
    """The words after `add-predictions`.

    >>> " ".join(arguments(["a.csv"], "gpt-4v", Subject("world", "world (bundled)")))
    '{input}/a.csv --as gpt-4v --benchmark world --json'
    """
    words = [*(f"{jobs.INPUT}{path}" for path in inputs), "--as", name, "--benchmark", *subject.words]
    return [*words, *(["--kind", kind] if kind else []), *(["--scale", scale] if scale else []), "--json"]


def _order(laid: list[Path]) -> str:
    """The folder, with a slash, that says in which order the captions stood when the system was asked."""
    if not any(predicted.has_orders(path) for path in laid):
        return ""
    chosen = st.selectbox(
        "Which caption stood first when it was asked", [ONE, *predicted.ORDERS], key="predictions-order",
        help="Add the files of both orders one after the other: a caption has won where it was chosen in both.",
    )  # fmt: skip
    return "" if chosen in (None, ONE) else f"{chosen}/"


def _kind() -> Kind | None:
    chosen = st.selectbox(
        "Scores that name no kind are", ["", *RANKING], key="predictions-kind",
        format_func=lambda k: f"{kind_name(k)} ({k}): {Kind(k).info.formula}" if k else "numbers that only rank",
        help="Verdicts need no kind.",
    )  # fmt: skip
    return Kind(chosen) if chosen else None


def _scale() -> str | None:
    return st.selectbox(
        SCALE, predicted.SCALES, index=None, key="predictions-scale",
        placeholder="told by the file, else guessed",
        help="A yes is a probability above .5, or log-odds above 0. Where the file does not tell, numbers that all lie "
        "from 0 to 1 are taken for probabilities. What is read is said below.",
    )  # fmt: skip


def _said(found: Glance, subject: Subject) -> None:
    head = (
        ""
        if found.whole
        else f"Of the first {count(found.statements, 'statement')} and {count(found.n_items, 'item')}: "
    )
    kinds = ", ".join(f"{kind_name(kind)} ({kind}) for {count(n, 'item')}" for kind, n in found.kinds.items())
    left = len(found.unmatched)
    line = f"{head}**{found.matched:,} of {found.statements:,}** statements belong to an item of {plain(subject.label)}"
    st.markdown(line + (f": {kinds}." if kinds else "."))
    if found.whole and (without := found.n_items - max(found.kinds.values(), default=0)) > 0:
        of = f"{without:,} of {count(found.n_items, 'item')}"
        st.caption(f"{of} have no prediction in these files: rates will be of the others, and marked as such.")
    for guess in found.guesses:
        st.info(plain(guess.replace("--scale ", f"“{SCALE}”: ")), icon=":material/help_outline:")
    if found.hints:
        st.warning(plain(hide(" ".join(found.hints))), icon=":material/warning:")
    if not left:
        return
    rows = [{"where": str(each.place), "reason": hide(each.reason)} for each in found.unmatched[:SHOWN]]
    st.caption(f"{count(left, 'statement')} {'belongs' if left == 1 else 'belong'} to none, or cannot be stored:")
    st.dataframe(pd.DataFrame(rows), hide_index=True, height=min(38 + 35 * len(rows), 260), alt="What does not match")
    if left > SHOWN:
        chart_caption(f"The first {SHOWN}; the job's details list all of them once they are added.")
