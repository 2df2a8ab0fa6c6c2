"""Which packages of public results to fetch: a line each with size, source and licence, details folded, one button."""

from collections.abc import Sequence

import streamlit as st
from markupsafe import Markup
from rich.filesize import decimal

from backend.live.real_results import Offer
from pages.shared.drawing.numbers import count
from pages.shared.frame.header import chart_caption
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show

#: Before a package's name: the key of its tick.
_TICK = "real-results-tick-"

#: The button stays in sight below however long a list: where its wrapper is the child of what scrolls, it sticks. A
#: popover is as narrow as its widest word otherwise, and a line would be three.
_STYLE = Markup(
    "<style>[data-testid=stPopoverBody]:has(.st-key-real-results-choice) { width: min(48rem, 94vw); max-width: 94vw; }"
    ".st-key-real-results-choice { gap: .3rem; }"
    ".st-key-real-results-choice [data-testid=stCaptionContainer] { margin: -.55rem 0 -.35rem 1.75rem; }"
    "[data-testid=stLayoutWrapper]:has(> .st-key-real-results-act) { position: sticky; bottom: -1.5rem; z-index: 2; }"
    ".st-key-real-results-act { padding: .6rem 0 1.2rem; background: var(--fs-page);"
    " border-top: 1px solid var(--fs-faint); }</style>"
)


def draw(offers: Sequence[Offer]) -> list[str]:
    """A tick for each; the names of those that are ticked."""
    show(_STYLE)
    with st.container(key="real-results-choice"):
        for offer in offers:
            st.checkbox(
                f"**{plain(offer.title)}** · {decimal(offer.size)}", value=True, key=_TICK + offer.name,
                help="Unticked, it is not fetched; it can be later, here or on Runs.",
            )  # fmt: skip
            st.caption(plain(line(offer)))
        with st.expander("What you will see, and all terms", icon=":material/gavel:", key="real-results-details"):
            for offer in offers:
                st.markdown(f"**{plain(offer.title)}**")
                details(offer)
    return [offer.name for offer in offers if st.session_state[_TICK + offer.name]]


def line(offer: Offer) -> str:
    """Where it comes from, and its licence.

    >>> line(Offer("a", "A", "", 1, 9, ("https://github.com/x/y",), "MIT", (), "", here=False))
    'github.com/x/y · licence: MIT'
    """
    return f"{', '.join(source.removeprefix('https://') for source in offer.sources)} · licence: {offer.licence}"


def details(offer: Offer) -> None:
    """What one will see, how many files come, and the terms."""
    st.markdown(f"You will see: {plain(offer.see)}")
    chart_caption(f"{count(offer.n_files, 'file')}. {' '.join(offer.terms)}")


def label(offers: Sequence[Offer], names: Sequence[str]) -> str:
    """What the button says.

    >>> label([Offer("a", "A", "", 1, 9000, (), "MIT", (), "", here=False)], ["a"])
    'Agree and fetch (9.0 kB)'
    """
    if not names:
        return "Tick what to fetch"
    whole = "all " if len(names) == len(offers) > 1 else f"{len(names)} " if len(offers) > 1 else ""
    return f"Agree and fetch {whole}".strip() + f" ({decimal(sum(each.size for each in offers if each.name in names))})"
