"""Failures: a line above items whose captions and pictures their licence keeps elsewhere, and the way to bring them."""

import streamlit as st

from pages.shared.data import stored
from pages.shared.frame.header import chart_caption


def draw(benchmark: stored.StoredBenchmark) -> None:
    """Where the benchmark is Winoground's stub of item numbers, or has it among its parts: what is missing, and what
    brings it."""
    if not any(part.is_stub for part in (benchmark, *benchmark.parts)):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="failures-gated"):
        chart_caption(
            "Winoground’s captions and pictures are gated and not here: its items are numbers and scores until your "
            "own copy is imported."
        )
        st.page_link(
            "pages/runs/page.py", label="Import your copy", icon=":material/folder_open:",
            query_params={"tab": "import"},
        )  # fmt: skip
