"""Atlas without its file: what it will show, from where, on which terms, and how to bring it."""

import streamlit as st
from markupsafe import Markup

from backend.live import real_results as offers
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption, section, seen
from pages.shared.frame.style import show
from pages.shared.offers import real_results

NAME = "atlas"
#: What is there once the file is: in a word, and in a sentence.
PROMISE = (
    ("202 models in one picture", "Any two of 136 columns or of 16 means against each other, families in colour, what "
     "nothing beats; your own runs as stars where benchmark, split and metric are the same."),
    ("Which benchmarks are alike", "Rank correlations over models, with intervals."),
    ("What teaching changed", "What NegCLIP, CE-CLIP, DAC and TSVLC gained and lost against the model they were taught "
     "from."),
    ("Each model", "What is known of it, the command that scores it here, and once it is scored, the difference to "
     "print."),
    ("Where sources disagree", "Where other sources print another number: both."),
)  # fmt: skip


def draw() -> None:
    """The offer, or what goes on while the file is on its way."""
    if real_results.watched():
        _promise()
        return
    real_results.failed(())
    seen("The published rates are not here yet: they are fetched from their authors, not shipped with Flipside.")
    offer = next(each for each in offers.offers([]) if each.name == NAME)
    with st.container(border=True, key="atlas-offer"):
        left, right = st.columns([5, 2], vertical_alignment="center")
        with left:
            real_results.describe(offer)
        with right:
            real_results.agree([NAME], "Agree and fetch", NAME)
    _promise()
    with fold("The same in a terminal, and without a network", "atlas-terminal", ":material/terminal:") as box:
        if box.open:  # the script that colours code takes the first visit's time otherwise
            st.code(real_results.command([NAME]), language=None, wrap_lines=True)
            chart_caption(
                "Without a network: the same command with --from DIR takes the file out of a folder, by its sha256."
            )


def _promise() -> None:
    section("What you will see")
    show(
        Markup('<dl class="atl-promise">{}</dl>').format(
            Markup().join(Markup("<div><dt>{}</dt><dd>{}</dd></div>").format(*each) for each in PROMISE)
        )
    )


def credit(n: int) -> str:
    """Whose numbers these are, and on which terms they are here."""
    offer = next(each for each in offers.offers([]) if each.name == NAME)
    return (
        f"Rates of {n} models: Oh et al. 2024, Exploring the Spectrum of Visio-Linguistic Compositionality and "
        f"Recognition (arXiv 2406.09388), from {offer.sources[0]}. Licence: {offer.licence}. {' '.join(offer.terms)}"
    )
