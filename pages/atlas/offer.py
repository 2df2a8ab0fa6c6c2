"""Atlas without its file: what it will show, from where, on which terms, and how to bring it."""

import streamlit as st
from markupsafe import Markup

from backend.live import real_results as offers
from pages.shared.frame import real_results
from pages.shared.frame.header import chart_caption, empty, section
from pages.shared.frame.style import show

NAME = "atlas"


def draw() -> None:
    """The offer, or what goes on while the file is on its way."""
    if real_results.watched():
        return
    empty(
        "The published rates are not here yet",
        "They are fetched from their authors' repository, not shipped with Flipside. Press the button below, or run "
        "the command: flipside fetch results --only atlas --yes.",
        icon="◌",
    )
    section("What you will see")
    show(
        Markup(
            '<ul class="atl-list">'
            "<li>202 models in one picture: any two of 136 columns or of 16 means against each other, families in "
            "colour, what nothing beats, your own runs as stars where benchmark, split and metric are the same.</li>"
            "<li>Which benchmarks measure the same thing: rank correlations over models, with intervals.</li>"
            "<li>What NegCLIP, CE-CLIP, DAC and TSVLC gained and lost against the model they were taught from.</li>"
            "<li>Of each model: what is known, the command that scores it here, and once it is scored, the difference "
            "to print.</li>"
            "<li>Where other sources print another number, both.</li></ul>"
        )
    )
    offer = next(each for each in offers.offers([]) if each.name == NAME)
    with st.container(border=True, key="atlas-offer"):
        real_results.describe(offer)
        real_results.agree([NAME], "Agree and fetch", NAME)
    st.code(real_results.command([NAME]), language=None, wrap_lines=True)
    chart_caption("Without a network: the same command with --from DIR takes the file out of a folder, by its sha256.")


def credit(n: int) -> str:
    """Whose numbers these are, and on which terms they are here."""
    offer = next(each for each in offers.offers([]) if each.name == NAME)
    return (
        f"Rates of {n} models: Oh et al. 2024, Exploring the Spectrum of Visio-Linguistic Compositionality and "
        f"Recognition (arXiv 2406.09388), from {offer.sources[0]}. Licence: {offer.licence}. {' '.join(offer.terms)}"
    )
