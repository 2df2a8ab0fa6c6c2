"""Try it, many items: a file that was dropped in becomes an unsaved set, is scored, kept or thrown away."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import streamlit as st

from backend.benchmarks.custom.columns import Column, Mapping, columns
from backend.benchmarks.custom.mapping import guess
from backend.benchmarks.custom.opening import label_of
from backend.errors import FlipsideError, UsageError
from backend.live.jobs import jobs
from backend.live.scoring import batch, batch_examples, pool
from backend.live.scoring.batch import Unsaved
from backend.live.scoring.priors import WORLD_IMAGES
from backend.live.uploads import own_uploads
from backend.live.uploads.own_uploads import Staged
from backend.live.uploads.uploads import LARGEST_MB
from pages.runs import mapping as runs_mapping
from pages.runs import places
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import count
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption, empty, trouble
from pages.shared.frame.plain import plain
from pages.try_it import scores
from pages.try_it import state as try_state
from pages.try_it.many import batch_results

NOWHERE = "nowhere: captions only, or drawn scenes"


def draw(models: Sequence[str], kinds: Sequence[str], prior: str) -> None:
    """The whole of this way of trying."""
    try_state.put({"mode": "many"})
    upload = _file()
    if upload is None:
        return
    try:
        staged = own_uploads.stage(*upload)
        known = columns(staged.tables[0])
        images = _pictures(staged)
        mapping = _mapping(staged, known)
        if mapping is None:
            _columns(staged, known, mapping, images)
            return
        found = _set(staged, mapping, images)
    except FlipsideError as error:
        trouble(runs_mapping.plain(str(error)))
        return
    _facts(found)
    begun = batch_results.jobs_of(found, st.session_state.get("try_jobs", {}).get(found.hash, []))
    works = any(not job.is_over for job in begun)
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(
            "Scoring …" if works else f"Score with {count(len(models), 'model')}", type="primary",
            icon=":material/play_arrow:", key="try-batch-score", disabled=works or not models or not kinds,
        ):  # fmt: skip
            _start(found, models, kinds, prior)
            st.rerun()
        _columns(staged, known, mapping, images)
        _keep(staged, mapping, images, found)
        st.button("Discard", icon=":material/delete:", key="try-discard", on_click=_discard, args=(found,),
                  help="Removes the set and its scores now; else they go a day after they were last used.")  # fmt: skip
    for problem in st.session_state.pop("try_batch_problems", []):
        trouble(problem)
    batch_results.draw(found, begun)
    with fold("The first items, as they are read", "try-first", ":material/visibility:") as box:
        if box.open:
            runs_mapping.preview(staged.tables[0], mapping, known, staged.images or images)


def _columns(staged: Staged, known: list[Column], mapping: Mapping | None, images: Path | None) -> None:
    if st.button("Which column is what …", icon=":material/view_column:", key="try-map"):
        runs_mapping.dialog(staged, known, mapping, images)


def _file() -> tuple[bytes, str] | None:
    """The bytes and the name of what was dropped in, or of the example."""
    state = st.session_state
    file = st.file_uploader(
        "A table, or a zip of pictures and a table", type=[s.removeprefix(".") for s in own_uploads.SUFFIXES],
        key=f"try-batch-{state.setdefault('try_batch', 0)}", max_upload_size=LARGEST_MB,
        help="CSV, TSV, JSON, JSON Lines or Parquet with one triplet, choice or quad a row. Pictures are found by "
        "their file names in the zip, or in a folder of this dashboard's owner. Nothing is saved until you keep it.",
    )  # fmt: skip
    if file is not None:
        state.try_batch_example = ""
        return file.getvalue(), file.name
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption("Or an example:", width="content")
        for name, example in batch_examples.EXAMPLES.items():
            if st.button(example.title, key=f"try-batch-{name}", help=example.asks):
                state.try_batch_example = name
        name = state.get("try_batch_example", "")
        if name in batch_examples.EXAMPLES:
            data, said = batch_examples.EXAMPLES[name].table(), f"{name}.csv"
            st.download_button(
                "Download this example", data, said, "text/csv", type="tertiary", icon=":material/download:"
            )
            return data, said
    empty(
        "Bring many items at once",
        "Drop a table of triplets, choices or quads, in whatever columns you have them: which column is what is "
        "guessed, shown, and yours to change. Or start from an example above.",
    )
    return None


def _pictures(staged: Staged) -> Path | None:
    """The folder of the owner in which a bare table's pictures are; None where there is none."""
    folders = places.folders() if staged.images is None else {}
    if not folders:
        return None
    chosen = st.selectbox("Where its pictures are", [NOWHERE, *folders], key=f"try-pictures-{staged.key}")
    return folders.get(chosen or NOWHERE)


def _mapping(staged: Staged, known: Sequence[Any]) -> Mapping | None:
    kept: Mapping | None = st.session_state.get(f"own-mapping-{staged.key}")
    try:
        return kept or guess(list(known))
    except UsageError as error:
        st.info(f"{plain(runs_mapping.plain(str(error)))} Say it under “Which column is what”.", icon=":material/help:")
        return None


def _set(staged: Staged, mapping: Mapping, images: Path | None) -> Unsaved:
    """The set of this file under this reading, made once and remembered."""
    state = st.session_state
    owner = state.setdefault("try_owner", secrets.token_hex(6))
    wanted = (staged.key, repr(mapping.document()), str(images or ""))
    asked, found = state.get("try_set", (None, None))
    if asked != wanted or not found.folder.is_dir():
        with st.spinner("Reading the items …", show_time=True):
            single = len(staged.tables) == 1
            found = batch.make(staged, mapping if single else None, owner, images)
        state.try_set = (wanted, found)
    batch.touch(found, staged)
    return cast(Unsaved, found)


def _facts(found: Unsaved) -> None:
    parts = [f"{count(n, 'item')} in {name}" for name, n in found.subsets.items()]
    said = f"{', '.join(parts)}. Not saved: {found.name}."
    said = f"{', '.join(parts)}. The same items are here already, as {found.known}." if found.known else said
    if found.missing:
        said += f" {count(found.missing, 'picture')} not found, so those items are left out of what needs them."
    chart_caption(said)
    if found.skipped:
        with st.expander(f"{count(found.skipped, 'record')} left out, and why", icon=":material/warning:"):
            st.text("\n".join(found.reasons))


def _start(found: Unsaved, models: Sequence[str], kinds: Sequence[str], prior: str) -> None:
    """One job a model, in processes of their own; the queue takes them one after the other."""
    begun, problems = [], []
    for spec in colours.order(models):
        given = scores.kinds_of(spec)
        asked = [kind for kind in kinds if kind in given]
        blind = "prior" in given and "gen" not in given
        sampled = f"images:{min(8, found.n_items)}" if prior == WORLD_IMAGES else prior  # a small set has few
        priors = ["self"] if blind else [sampled] if "gen" in asked else []
        if not asked and not blind:
            continue
        words = ["--model", spec, *found.arguments, "--kinds", ",".join([*asked, *(["prior"] if priors else [])])]
        for source in priors:
            words += ["--prior", source]
        try:
            pool.guard(spec)
            begun.append(jobs.start_once("run", [*words, "--json"], f"{colours.label(spec)} on {found.name}").job_id)
        except FlipsideError as error:
            problems.append(str(error))
    st.session_state.try_batch_problems = problems
    st.session_state.try_jobs = {**st.session_state.get("try_jobs", {}), found.hash: begun}


def _keep(staged: Staged, mapping: Mapping, images: Path | None, found: Unsaved) -> None:
    with st.popover("Keep it …", icon=":material/bookmark_add:", key="try-keep", on_change="rerun") as box:
        if not box.open:
            return
        with st.form("try-keep-form", border=False):
            label = st.text_input("Name", label_of(staged.file.name), max_chars=60,
                                  help="It becomes a benchmark of yours, custom: and this name.")  # fmt: skip
            pressed = st.form_submit_button("Keep", type="primary", icon=":material/save:")
        if not pressed:
            return
        try:
            name = batch.keep(staged, mapping if len(staged.tables) == 1 else None, label or "", images)
        except FlipsideError as error:
            trouble(str(error))
            return
        st.session_state.pop("try_set", None)  # it is read again, as what is known now
        batch_results.refresh()
        st.success(f"Kept as {plain(name)}, with {count(found.n_items, 'item')} and all its scores.")


def _discard(found: Unsaved) -> None:
    """The button's callback: jobs that work on it are stopped first."""
    state = st.session_state
    for job in state.get("try_jobs", {}).pop(found.hash, []):
        try:
            jobs.cancel(job)
        except FlipsideError:
            continue  # it is gone already
    batch.discard(found)
    state.pop("try_set", None)
    state.try_batch_example = ""
    state.try_batch += 1
