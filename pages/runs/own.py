"""Runs: own data, from an uploaded table or archive to a benchmark like any other."""

from pathlib import Path

import streamlit as st

from backend.benchmarks.custom.columns import Mapping, columns
from backend.benchmarks.custom.mapping import guess
from backend.benchmarks.custom.opening import PREFIX, label_of
from backend.benchmarks.items_folder.folder import own_names
from backend.errors import FlipsideError, UsageError
from backend.live.jobs import jobs
from backend.live.uploads import own_uploads
from backend.live.uploads.own_uploads import Staged
from backend.live.uploads.uploads import LARGEST_MB
from pages.runs import jobs as runs_jobs
from pages.runs import mapping as runs_mapping
from pages.runs import places
from pages.shared.frame.header import chart_caption, trouble
from pages.shared.frame.plain import plain

NOWHERE = "nowhere: captions only, or drawn scenes"
#: How many files this session has saved: each begins with an empty form.
_SAVED = "_runs_own_saved"


def draw() -> None:
    """Upload, map, save. Once it is saved the form is empty again, and the row below goes on."""
    saved = int(st.session_state.get(_SAVED, 0))
    file = st.file_uploader(
        "A table, or a zip of pictures and a table", type=[s.removeprefix(".") for s in own_uploads.SUFFIXES],
        key=f"own-file-{saved}", max_upload_size=LARGEST_MB,
        help="CSV, TSV, JSON, JSON Lines or Parquet; one row an item (or one row a caption, for a pool). Pictures are "
        "found by their file names in the zip, or in a folder of this dashboard's owner.",
    )  # fmt: skip
    if file is None:
        chart_caption(
            "Triplets, choices, quads or pictures with captions, in any columns: what each column holds is guessed and "
            "shown with the first items before anything is saved."
        )
        return
    try:
        staged = own_uploads.stage(file.getvalue(), file.name)
        known = columns(staged.tables[0])
    except FlipsideError as error:
        trouble(str(error))
        return
    kept: Mapping | None = st.session_state.get(f"own-mapping-{staged.key}")
    try:
        mapping = kept or guess(known)
    except UsageError as error:
        mapping = None
        st.info(f"{plain(runs_mapping.plain(str(error)))} Say it under “Which column is what”.", icon=":material/help:")
    one, two = st.columns(2, gap="small")
    with one:
        label = _name(staged)
    with two:
        images = _pictures(staged)
    with st.container(horizontal=True):
        if st.button("Which column is what …", icon=":material/view_column:", key="own-map"):
            runs_mapping.dialog(staged, known, mapping, images)
        ready = st.button("Save as a benchmark", type="primary", icon=":material/save:", key="own-save",
                          disabled=mapping is None or not label)  # fmt: skip
    if mapping is None:
        return
    if len(staged.tables) > 1:
        names = ", ".join(path.name for path in staged.tables)
        chart_caption(f"{len(staged.tables)} tables ({names}): each is a subset of its own, read in the same way.")
    runs_mapping.preview(staged.tables[0], mapping, known, staged.images or images)
    if ready:
        replace = bool(st.session_state.get("own-replace")) and f"{PREFIX}{label_of(label)}" in own_names()
        words = arguments(staged.file.name, mapping, label, str(images or ""), replace)
        inputs = {staged.file.name: file.getvalue()}
        title = f"Save {staged.file.name} as {PREFIX}{label_of(label)}"
        runs_jobs.begin("import", words, title, inputs, lambda: st.session_state.update({_SAVED: saved + 1}))


def arguments(file: str, mapping: Mapping, label: str, images: str = "", replace: bool = False) -> list[str]:
    """The words after `import`.

    >>> " ".join(arguments("a.csv", Mapping("choice", {"caption": ("good",)}), "mine"))
    'custom --data {input}/a.csv --map protocol=choice --map caption=good --as mine --json'
    """
    words = ["custom", "--data", f"{jobs.INPUT}{file}", "--map", f"protocol={mapping.protocol}"]
    for role, names in mapping.roles.items():
        for name in names:
            words += ["--map", f"{role}={name}"]
    words += ["--as", label]
    words += ["--images", images] if images else []
    return [*words, *(["--replace"] if replace else []), "--json"]


def _name(staged: Staged) -> str:
    name = st.text_input(
        "Name", label_of(staged.file.name), key=f"own-name-{staged.key}", max_chars=60,
        help="The benchmark will be called custom: and this.",
    )  # fmt: skip
    label = (name or "").strip()
    if label and f"{PREFIX}{label_of(label)}" in own_names():
        st.checkbox(
            plain(f"Replace the {PREFIX}{label_of(label)} that is here"), key="own-replace",
            help="Its earlier items and runs stay in the cache. Without this, nothing is replaced.",
        )  # fmt: skip
    return label


def _pictures(staged: Staged) -> Path | None:
    """The folder of the owner in which a bare table's pictures are; None where there is none."""
    if staged.images is not None:
        return None
    folders = places.folders()
    if not folders:
        return None
    chosen = st.selectbox(
        "Where its pictures are", [NOWHERE, *folders], key=f"own-pictures-{staged.key}",
        help="A table alone brings no pictures: they are looked for in this folder and below, by their names.",
    )  # fmt: skip
    return folders.get(chosen or NOWHERE)
