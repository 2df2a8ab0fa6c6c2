"""The steps of the guided first visit: what each says, where it is, what its button does. Pure functions.

Five clicks: the offer's, a cell of Overview, a card of Failures, a model on the item's page, and the copying.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite

from backend import written
from backend.taxonomy import title
from pages.tour.target import Target, overview

#: Clicks of the whole visit, and its steps: the first click is the offer's.
CLICKS, LAST = 5, 4
#: Step -> the title of the page that it is on, and the page's folder.
PAGES = {1: ("Overview", "overview"), 2: ("Failures", "failures"), 3: ("Item", "item"), 4: ("Item", "item")}
#: The picture below the sentence on an item, whose bars the sentence speaks of.
BELOW = ".fs-why-bars"


@dataclass(frozen=True)
class Step:
    """One step. text: one sentence; button: what it offers to do for the visitor, "" for nothing; look: a CSS selector
    of what it speaks of, outlined and scrolled to; pick: a selector of what the visitor may click on the page instead;
    clear: a selector of what the card may not cover either; choices: what `own.choices` gives; said, about, link: the
    finding, which item it is of, and its address."""

    number: int
    text: str
    button: str = ""
    look: str = ""
    pick: str = ""
    choices: Sequence[dict[str, str]] = field(default_factory=list)
    clear: str = ""
    said: str = ""
    about: str = ""
    link: str = ""


def where(target: Target, number: int) -> dict[str, str]:
    """The address of a step that nobody has chosen anything for."""
    of = {"benchmark": target.benchmark}
    if number == 1:
        return overview(target)
    if number == 2:
        return of | {"model": target.model, "kind": target.kind, "metric": target.metric, "subset": target.group}
    return of | {"item": target.item, "model": target.model, "kind": target.kind}


def cell(target: Target) -> Step:
    """Step 1."""
    share = f"is right on only {written.percent(target.rate)}" if target.rate > 0 else "gets none right"
    beside = f", where chance is {written.percent(target.chance)}" if isfinite(target.chance) else ""
    of = f"On {target.benchmark} {target.name} {share} of “{title(target.group)}”{beside}"
    text = f"{of}: the outlined cell. Click it, or any other."
    return Step(1, text, "Open it", ".rate.marked", clear=".fs-caption")


def card() -> Step:
    """Step 2."""
    return Step(
        2, "Each card is an item behind that number. Click one that strikes you.", "Take one", ".fs-open",
        ".fs-open[data-item]",
    )  # fmt: skip


def model(choices: Sequence[dict[str, str]]) -> Step:
    """Step 3."""
    return Step(
        3, "The outlined sentence says why. Which model shall your finding be about? ✓ is right here, ✗ is wrong.",
        look=".fs-why-claim", clear=BELOW, choices=choices,
    )  # fmt: skip


def finding(said: str, about: str, link: str) -> Step:
    """Step 4."""
    return Step(
        4, "This is your finding, with a link that reopens it:", "Copy it", ".fs-why-claim", clear=BELOW, said=said,
        about=about, link=link,
    )  # fmt: skip
