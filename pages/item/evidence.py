"""What is known of an item beside its scores, in plain words: its tags, and what each diagnosis rests on."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from markupsafe import Markup

from backend import perturb
from backend.errors import FlipsideError
from backend.store.queries import ItemDetail
from backend.taxonomy import title
from pages.debias.options import source_name
from pages.item.view import DIAGNOSES
from pages.shared.data.frames import lines_of
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import score
from pages.shared.drawing.verdicts import chips, label
from pages.shared.frame.tips import kind_name

#: Tags by what they say; others are the benchmark's own and keep their name. `change` is drawn by itself (item_edits).
TAGS: Final = {
    "concept": "concept", "perturbation": "change", "edit": "edit", "origin": "made from", "original": "in the source",
}  # fmt: skip
#: The numbers under a diagnosis by their keys in `ItemDetail.labels`; {} is where the number stands, else at the end.
NUMBERS: Final = {
    "t2t_margin": "margin between the texts alone", "i2t_margin": "margin with the image",
    "margin_alpha_0": "margin {} at α = 0", "margin_alpha_1": "margin {} at α = 1", "prior": "prior from",
    "flips": "verdicts flipped", "flipped_by": "flipped by", "change_90th_percentile": "90th percentile of its change",
    "scorers": "blind scorers", "margins": "their margins", "thresholds": "which the shuffled null puts at",
}  # fmt: skip
_SCORER = re.compile(r"(?P<model>.+) \((?P<source>[^()]+)\)")


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


def evidence_html(detail: ItemDetail) -> Markup:
    """Each diagnosis with its definition and the numbers that it rests on."""
    lines = []
    names = colours.labels(m for m in detail.labels["model"] if m)
    for line in lines_of(detail.labels):
        whose = names.get(line.model, "the item itself")
        numbers = ", ".join(_number(name, value) for name, value in line.evidence.items())
        # A definition that names the kind needs it said no second time.
        named = not line.kind or kind_name(line.kind) in str(line.definition)
        whose += "" if named else f" · {kind_name(line.kind)}"
        lines.append(
            Markup('<p class="fs-evidence">{} <b>{}</b>: {}. <span>Evidence: {}.</span></p>').format(
                label(DIAGNOSES.get(line.label, line.label)), whose, str(line.definition), numbers
            )
        )
    return Markup().join(lines)


def _number(name: str, value: Any) -> str:
    """One piece of evidence with its name.

    >>> _number("margin_alpha_1", 0.00477), _number("edits", 9)
    ('margin +0.00477 at α = 1', 'edits 9')
    """
    words = NUMBERS.get(name, title(name))
    return (words if "{}" in words else f"{words} {{}}").replace("{}", _said(name, value))


def _said(name: str, value: Any) -> str:
    """A number, a name or several of them.

    >>> _said("margin", 0.25), _said("flips", 3), _said("prior", "lm:bundled:lm"), _said("margins", [0.5, None])
    ('+0.250', '3', 'blind model lm', '(+0.500, –)')
    >>> _said("scorers", ["bundled:captioner (images:20)"]), _said("flipped_by", ["world~typos@4"])
    ('(captioner, 20 sampled images)', '(world~typos@4)')
    """
    if isinstance(value, list):
        return "(" + ("; " if name == "scorers" else ", ").join(_said(name, v) for v in value) + ")"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float) or value is None:
        return score(value, signed=True)
    if name == "prior":
        return source_name(value)
    if name == "scorers" and (found := _SCORER.fullmatch(value)):
        blind = found["source"] == "self"
        return colours.label(found["model"]) + ("" if blind else f", {source_name(found['source'])}")
    return str(value)
