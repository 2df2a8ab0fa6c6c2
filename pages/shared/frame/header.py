"""The head of a page, the line under a chart, and what stands where there is nothing to show."""

import streamlit as st
from markupsafe import Markup

from pages.shared.frame.hidden import hide
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show


def page_header(title: str, question: str, how_to_read: str, *, headed: bool = False) -> None:
    """The question that the page answers, and one line on how to read it (some 110 characters); the house's help in the
    sidebar, and the card of the guided first visit where that is going on. headed: whether the head stands on
    the page already."""
    from pages.shared.help import help_entry  # both draw with what stands below
    from pages.tour import tour

    tour.draw(title)
    help_entry.draw()
    if not headed:
        show(head(title, question, how_to_read))


def head(title: str, question: str, how_to_read: str) -> Markup:
    """The head itself."""
    return Markup(
        '<header class="fs-header"><p class="fs-eyebrow">{}</p><h1>{}</h1><p class="fs-lede">{}</p></header>'
    ).format(title, question, how_to_read)


def copied_head(title: str, question: str, how_to_read: str) -> Markup:
    """What looks like the head, of a picture that lies over it: a page has one head alone."""
    return Markup(
        '<div class="fs-header" aria-hidden="true"><p class="fs-eyebrow">{}</p><p class="fs-h1">{}</p>'
        '<p class="fs-lede">{}</p></div>'
    ).format(title, question, how_to_read)


def seen(said: str | Markup) -> None:
    """The one line of what is seen, in plain English, beside the page's picture. Text is escaped, Markup is not."""
    show(Markup('<p class="fs-seen">{}</p>').format(said))


def section(title: str, note: str = "") -> None:
    """A heading inside a page, with an optional quiet remark beside it."""
    remark = Markup('<span class="fs-remark">{}</span>').format(note) if note else ""
    show(Markup('<h2 class="fs-section">{}{}</h2>').format(title, remark))


def chart_caption(text: str) -> None:
    """What to read from the chart above."""
    show(Markup('<p class="fs-caption">{}</p>').format(hide(text)))


def empty(title: str, next_step: str, icon: str = "○") -> None:
    """An empty state: what is missing, and what to do next."""
    show(
        Markup(
            '<div class="fs-empty" role="status"><span class="fs-empty-icon" aria-hidden="true">{}</span>'
            "<div><strong>{}</strong><p>{}</p></div></div>"
        ).format(icon, title, hide(next_step))
    )


def trouble(message: str) -> None:
    """Something the user can mend, in one sentence: text, not Markdown, for it quotes names and addresses."""
    st.error(plain(hide(message)), icon=":material/error_outline:")
