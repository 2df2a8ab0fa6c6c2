"""The head of a page, the line under a chart, and what stands where there is nothing to show."""

from html import escape

import streamlit as st

from pages.shared.frame.hidden import hide
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show


def page_header(title: str, question: str, how_to_read: str) -> None:
    """The question that the page answers, and one sentence on how to read it; the house's help in the sidebar, and the
    card of the guided first visit where that is going on."""
    from pages.shared.frame import help_entry  # both draw with what stands below
    from pages.tour import tour

    tour.draw(title)
    help_entry.draw()
    show(
        f'<header class="fs-header"><p class="fs-eyebrow">{escape(title)}</p><h1>{escape(question)}</h1>'
        f'<p class="fs-lede">{escape(how_to_read)}</p></header>'
    )


def section(title: str, note: str = "") -> None:
    """A heading inside a page, with an optional quiet remark beside it."""
    remark = f'<span class="fs-remark">{escape(note)}</span>' if note else ""
    show(f'<h2 class="fs-section">{escape(title)}{remark}</h2>')


def chart_caption(text: str) -> None:
    """What to read from the chart above."""
    show(f'<p class="fs-caption">{escape(hide(text))}</p>')


def empty(title: str, next_step: str, icon: str = "○") -> None:
    """An empty state: what is missing, and what to do next."""
    show(
        f'<div class="fs-empty" role="status"><span class="fs-empty-icon" aria-hidden="true">{escape(icon)}</span>'
        f"<div><strong>{escape(title)}</strong><p>{escape(hide(next_step))}</p></div></div>"
    )


def trouble(message: str) -> None:
    """Something the user can mend, in one sentence: text, not Markdown, for it quotes names and addresses."""
    st.error(plain(hide(message)), icon=":material/error_outline:")
