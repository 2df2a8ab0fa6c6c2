"""Texts of strangers inside our HTML: whatever they are, the tags stay ours and the text reads as it was given."""

import pickle
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest
from markupsafe import Markup

from pages.compare import steps
from pages.debias import ranges
from pages.equivariance import violins
from pages.failures.taken import report
from pages.overview import facts
from pages.shared.drawing import cards, gallery, matrix, thumbnails, tokens, verdicts
from pages.shared.frame import style, tips

ATTACKS = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style></title><b>",
    "{} {0} {name} {0.__class__} {{}}",
    "%s %(name)s %",
    "**bold** [link](javascript:alert(1)) `code` :red[x]",
    "&lt;b&gt; &amp; &#39;",
    "<!-- ",
    "\u2028</p>\u202e",
]


class Shape(HTMLParser):
    """The tags with the names of their attributes, and all that reads as text, in attributes, too."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[Any] = []
        self.said: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))
        self.said += [value or "" for _, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(tag)

    def handle_comment(self, data: str) -> None:
        self.tags.append("a comment")

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def point(tip: str) -> steps.Point:
    return steps.Point(1.0, 0.5, 0.4, 0.6, "#000000", tip)


def whole(text: str) -> str:
    row = {"item_id": text, "texts": [text, text], "metric": "accuracy", "correct": True, "margin": 0.1}
    summary = pd.DataFrame([{"concept": text, "n": 50, "wrong": 3, "rate": 0.06, "low": 0.0, "high": 0.2}])
    card = cards.item_card(["data:,"], [text, text], [text, text], heading=text)
    made = report.Report(text, [(text, text)], summary, pd.DataFrame([row, row]), [card], "", {text: text})
    return report.html(made)


PARTS: dict[str, Callable[[str], str]] = {
    "a card": lambda t: cards.item_card(["data:,"], [t, t], [t, t], [verdicts.chip(t, False, 0.5, unit=t)],
                                        [verdicts.label(t, t)], heading=t),
    "a chip": lambda t: verdicts.chip(t, True, 1.0, unit=t, title=t),
    "a matrix": lambda t: matrix.score_matrix([[0.1, 0.2]], [t], [t, t], title=t, unit=t, hints=[t, t]),
    "tokens": lambda t: tokens.token_strip([t, t], [-0.5, -0.7], [-1.0, -0.2], name=t),
    "a picture": lambda t: thumbnails.picture("data:,", t),
    "a range": lambda t: ranges.row(t, t, [(0.1, 0.5)], (0.0, 1.0), 0.2, 0.0),
    "facts": lambda t: facts.facts_html([(t, t)]),
    "a column": tips.column_head,
    "steps": lambda t: steps.grid([steps.Panel(t, [point(t), point(t)], 0.5)], 0.0, 1.0, percent=True, unit=t),
    "violins": lambda t: violins.grid(
        [[(t, violins.panel([violins.Violin(t, "#000000", np.array([0.1, 0.2]))], violins.Axis(0, 1, t), t))]],
        [violins.Violin(t, "#000000", np.array([0.1]))], {t: t}),
    "a report": whole,
}  # fmt: skip


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS.keys())
@pytest.mark.parametrize("attack", ATTACKS)
def test_the_tags_stay_ours_and_the_text_reads_as_given(part: Callable[[str], str], attack: str) -> None:
    html = part(attack)
    assert isinstance(html, Markup)
    found, plain = Shape(html), Shape(part("harmless"))
    # Where two captions differ their words are marked; these are the same, so nothing is.
    assert found.tags == plain.tags
    assert any(attack.strip() in said for said in found.said) or "".join(attack.split()) in "".join(
        "".join(found.said).split()
    )


@pytest.mark.parametrize("html", ["<b>", "", None, b"<b>", 3], ids=repr)
def test_the_door_refuses_what_nobody_escaped(html: Any) -> None:
    with pytest.raises(TypeError, match=r"HTML has to be markupsafe\.Markup"):
        style.show(html)
    with pytest.raises(TypeError):
        gallery.view([gallery.Card("a/1", html, "a/1")])
    with pytest.raises(TypeError):
        steps.draw(html, "key")
    with pytest.raises(TypeError):
        violins.draw(html, "key")


def test_kept_html_is_still_markup_when_it_comes_back() -> None:
    kept = pickle.loads(pickle.dumps(Markup("<b>{}</b>").format("<i>")))  # noqa: S301 - as st.cache_data keeps it
    assert isinstance(kept, Markup)
    assert style.checked(kept) == "<b>&lt;i&gt;</b>"
