"""Links of earlier versions named a diagnosis label: such a link opens with what became of it."""

import streamlit as st

from pages.shared.data import stored
from pages.shared.frame import address

#: The address key, and its values.
KEY = "diagnosis"
_NEAREST = "No single reason stands for it, so nothing is filtered by it."
#: Label -> (what it was called, what became of it, the page that treats it now, the address there).
LABELS: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "text_encoder": (
        "text encoder", "It was said wherever comparing the texts alone failed, which shared words bring about, too; "
        "whether texts hold a concept is now a share of a subset.", "", {},
    ),
    "cross_modal": (
        "cross-modal", "It was said wherever comparing the texts alone was right; reasons now say what an image added "
        "and what outvoted it.", "", {},
    ),
    "language_prior": (
        "language prior", "Whether the prior decides is treated on Debias, beside what exchanged priors would win.",
        "debias", {},
    ),
    "brittle": (
        "brittle", "It counted edits; how sensitive a model is to edits stands on Robustness.", "robustness",
        {"tab": "brittle"},
    ),
    "near_miss": (
        "near miss", "How far edits move a verdict stands on Robustness.", "robustness", {"tab": "brittle"},
    ),
    "blind_solvable": (
        "blind-solvable", "It belongs to the benchmark, not to a model's failure: Overview says what can be solved "
        "without the image.", "overview", {},
    ),
}  # fmt: skip


def read() -> list[str]:
    """The labels that the address names; the key stays in it until it is let go."""
    found: list[str] = st.session_state[address.options(KEY, list(LABELS), _spelt)]
    return found


def _spelt(word: str) -> str:
    """A label as earlier versions wrote it on the screen, or in an address.

    >>> _spelt("Language prior"), _spelt("near-miss")
    ('language_prior', 'near_miss')
    """
    return word.strip().lower().replace(" ", "_").replace("-", "_")


def note(benchmark: stored.StoredBenchmark, labels: list[str]) -> None:
    """What became of each label, with a way there; an empty place without any."""
    with st.container(key="fs-old-links", gap="small"):
        for label in labels:
            name, became, *_ = LABELS[label]
            st.info(f"This link names the earlier label “{name}”. {_NEAREST} {became}", icon=":material/history:")
        if not labels:
            return
        with st.container(horizontal=True, vertical_alignment="center"):
            for page, there in {page: there for *_, page, there in map(LABELS.__getitem__, labels) if page}.items():
                st.page_link(
                    f"pages/{page}/page.py", label=f"Open {page.capitalize()}", icon=":material/arrow_forward:",
                    query_params={"benchmark": benchmark.name, **there},
                )  # fmt: skip
            st.button("Close", icon=":material/close:", key="old-links-off", on_click=_let_go, type="tertiary")


def _let_go() -> None:
    st.session_state[KEY] = []
