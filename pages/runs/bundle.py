"""Runs: take over a run that another machine has computed."""

import streamlit as st

from backend.live.jobs import jobs
from backend.live.uploads.uploads import LARGEST_MB
from pages.runs import jobs as runs_jobs
from pages.shared.frame.header import chart_caption
from pages.shared.frame.hidden import hide
from pages.shared.frame.plain import plain


def draw() -> None:
    """Upload a bundle and import it."""
    file = st.file_uploader(
        "A results bundle", type=["zip"], key="bundle-file", max_upload_size=LARGEST_MB,
        help=plain(
            hide(
                "Made on the other machine by: flipside export --model SPEC --benchmark NAME --what bundle --out FILE. "
                "Every shard in it is checked against its checksum; a damaged bundle is refused whole."
            )
        ),
    )  # fmt: skip
    chart_caption(
        "Its items, scores and record come along, and every page names it as imported. It replaces nothing, "
        "and importing it twice changes nothing."
    )
    if file is None:
        return
    name = jobs.plain_name(file.name)
    if st.button("Import", type="primary", icon=":material/download_for_offline:", key="bundle-start"):
        runs_jobs.begin(
            "import-results", [f"{jobs.INPUT}{name}", "--json"], f"Import the bundle {name}", {name: file.getvalue()}
        )
