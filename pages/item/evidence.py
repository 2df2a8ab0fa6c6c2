"""What is known of an item beside its scores, in plain words: its tags."""

from collections.abc import Mapping, Sequence
from typing import Final

from markupsafe import Markup

from backend import perturb
from backend.errors import FlipsideError
from backend.taxonomy import title
from pages.shared.drawing.verdicts import chips, label

#: Tags by what they say; others are the benchmark's own and keep their name. `change` is drawn by itself (item_edits).
TAGS: Final = {
    "concept": "concept", "perturbation": "change", "edit": "edit", "origin": "made from", "original": "in the source",
}  # fmt: skip


def tags_html(tags: Mapping[str, Sequence[str]]) -> Markup:
    """An item's tags as quiet labels; what was not changed says nothing."""
    shown = {name: values for name, values in tags.items() if list(values) != ["none"] and name != "change"}
    return chips([label(tag(name, values)) for name, values in shown.items()])


def tag(name: str, values: Sequence[str]) -> str:
    """One tag in words.

    >>> tag("perturbation", ["swap_horizontal"]), tag("split", ["dev"]), tag("relation_name", ["to the left of"])
    ('change: left and right swapped', 'dev split', 'relation name: to the left of')
    >>> tag("edit", ["character_swap"]), tag("origin", ["choice/440"])
    ('edit: character swap', 'made from: choice/440')
    """
    if name == "split":
        return f"{', '.join(values)} split"
    said = {"concept": title, "perturbation": title, "edit": _edit}.get(name, str)
    return f"{TAGS.get(name, title(name))}: {', '.join(map(said, values))}"


def _edit(name: str) -> str:
    try:
        said = perturb.get(name).title
    except FlipsideError:
        return title(name)
    return said[:1].lower() + said[1:]
