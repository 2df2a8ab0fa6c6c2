"""Runs: take over a run that another machine has computed."""

import streamlit as st

from backend.live import jobs
from pages.parts import runs_jobs
from pages.parts.header import chart_caption

#: In MB; what is larger is imported at the command line.
LARGEST = 500


def draw() -> None:
    """Upload a bundle and import it."""
    file = st.file_uploader(
        "A results bundle", type=["zip"], key="bundle-file", max_upload_size=LARGEST,
        help="Made on the other machine by: python -m backend export --model SPEC --benchmark NAME --what bundle --out "
        "FILE. Every shard in it is checked against its checksum; a damaged bundle is refused whole.",
    )  # fmt: skip
    chart_caption(
        "Score a large model where the GPU is, export the run as a bundle there, and import it here: its items, scores "
        "and record come along, so every page shows it like a run of this machine. Importing it twice changes nothing."
    )
    if file is None:
        return
    name = jobs.plain_name(file.name)
    if st.button("Import", type="primary", icon=":material/download_for_offline:", key="bundle-start"):
        runs_jobs.begin(
            "import-results", [f"{jobs.INPUT}{name}", "--json"], f"Import the bundle {name}", {name: file.getvalue()}
        )
