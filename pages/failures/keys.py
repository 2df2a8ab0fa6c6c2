"""Failures by keyboard: what each key does, and the small help that says so."""

from pathlib import Path

from markupsafe import Markup

from pages.shared.drawing import component
from pages.shared.frame.style import checked

#: What stands in the help. On a card the gallery hears its keys, arrows in an open item its buttons; the rest is here.
KEYS = (
    ("G", "into the gallery"),
    ("J K", "the next card, the one before; ← → ↑ ↓ as well"),
    ("Enter", "open the card"),
    ("J K", "in an open item: the next, the one before; → ← as well"),
    ("1 2 3", "your verdict: model wrong, label wrong, ambiguous; again takes it away"),
    ("T", "tag the item"),
    ("N", "write a note on it"),
    ("E", "export what is filtered"),
    ("M", "to the margins: ← → bar by bar, Shift takes in more, Enter lists them"),
    ("/", "search captions"),
    ("Tab", "from control to control; Shift Tab back"),
    ("Esc", "close"),
    ("?", "this help"),
)

_component = component.load(
    "flipside_failures_keys",
    Path(__file__).with_suffix(".js"),
    html=(
        '<button type="button" class="fs-key-hint"></button><dialog class="fs-key-sheet"></dialog>'
        '<div class="fs-key-said" popover="manual" role="status"></div>'
    ),
    isolate_styles=False,
)


def html() -> Markup:
    """The keys and what they do.

    >>> "<kbd>T</kbd>" in html()
    True
    """
    rows = Markup().join(
        Markup("<dt>{}</dt><dd>{}</dd>").format(
            Markup(" ").join(Markup("<kbd>{}</kbd>").format(each) for each in key.split()), what
        )
        for key, what in KEYS
    )
    return Markup('<dl class="fs-keys">{}</dl>').format(rows)


def draw() -> None:
    """The listener, and a quiet line that opens the sheet of keys: "?" opens it, too."""
    _component(data={"sheet": checked(html()), "hint": "J K walk · Enter opens · 1 2 3 judge · ? all keys"},
               key="failures-keys")  # fmt: skip
