"""The filters that list their options: beside each stands how many it would leave, under all other filters."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from backend.metrics.reasons.names import CELLS, MEANINGS, NAMES, meaning_of_group, of_group
from backend.store.failures import own_verdicts
from backend.store.failures.failures import NARROWER
from backend.taxonomy import title
from pages.shared.frame import address
from pages.shared.frame.plain import plain

#: Facet, which is an address key, too -> its label, in the order of the sidebar.
FACETS = {
    "subset": "Subset", "reason": "Certified reason", "concept": "Concept", "perturbation": "Change",
    "cell": "Cell, by the scores alone", "human": "Your verdict", "tag": "Your tags",
}  # fmt: skip
#: The facets whose values are words of docs/reasons.md -> what they say, one line.
SAID = {
    "cell": "What the numbers of the item say, by comparison alone; every item that is measured has one.",
    "reason": "What the evidence certifies beyond luck; else “uncertain”.",
}
#: The same facets -> what stands before an option: both have words in common, and other counts.
_WHICH = {"cell": "scores alone: ", "reason": "certified: "}
NOTED = {"any": None, "with": True, "without": False}


def options(everything: Mapping[str, Mapping[str, int]]) -> dict[str, list[str]]:
    """Facet -> the values that there are under no filter, in the order in which they are offered. Nobody's verdict is
    an option only where somebody gave one."""
    found = {name: _ordered(name, everything[name]) for name in FACETS}
    if found["human"] == [own_verdicts.NONE]:
        found["human"] = []
    return found


def draw(options: Mapping[str, list[str]], counts: Mapping[str, Mapping[str, int]], note: bool) -> None:
    """A list for each facet that has something to choose. counts: facet -> value -> how many it would leave; what would
    leave none is not offered unless it is chosen. note: whether notes can be chosen by."""
    for name, label in FACETS.items():
        chosen = st.session_state[name]
        offered = [value for value in options[name] if counts[name].get(value) or value in chosen]
        if options[name]:
            st.multiselect(
                label, offered, key=address.anew(name), default=address.value(name),
                placeholder="any" if offered else "none is left by the other filters",
                help=help_of(name), format_func=partial(counted, name, dict(counts[name])),
            )  # fmt: skip
    if note:
        offered = [value for value in NOTED if value in ("any", st.session_state["note"]) or counts["note"].get(value)]
        st.selectbox(
            "Your note", offered, key=address.anew("note"), index=offered.index(st.session_state["note"]),
            format_func=partial(_noted, dict(counts["note"])),
        )  # fmt: skip


def counted(facet: str, counts: Mapping[str, int], value: str) -> str:
    """An option with how many it would leave.

    >>> counted("human", {"label_wrong": 3}, "label_wrong"), counted("concept", {"attribute/*": 1200}, "attribute/*")
    ('label wrong · 3', 'any attribute · 1,200')
    >>> [counted(facet, {"outvoted": 9}, "outvoted") for facet in ("cell", "reason")]
    ['scores alone: outvoted · 9', 'certified: outvoted · 9']
    """
    which = "" if value == "uncertain" else _WHICH.get(facet, "")  # of which nothing is certified
    return f"{which}{name_of(facet, value)} · {counts.get(value, 0):,}"


def name_of(facet: str, value: str) -> str:
    """What a facet's value is called."""
    if facet == "human":
        return "not judged" if value == own_verdicts.NONE else own_verdicts.title(value)
    if facet in SAID:
        return of_group(value) if facet == "reason" else NAMES.get(value, value)
    return ("any " if value.endswith(NARROWER) else "") + title(value.removesuffix(NARROWER))


def help_of(name: str) -> str | None:
    """What a facet's values mean, where that is more than a word."""
    if name in SAID:
        listed = (*dict.fromkeys(cell for cells in CELLS.values() for cell in cells), *(["reversed", "uncertain"] if
                  name == "reason" else []))  # fmt: skip
        means = meaning_of_group if name == "reason" else MEANINGS.__getitem__
        return "\n\n".join([SAID[name], *(f"**{plain(name_of(name, key))}**: {plain(means(key))}" for key in listed)])
    if name == "human":
        said = "\n\n".join(f"**{plain(name)}**: {plain(what)}" for name, what in own_verdicts.VERDICTS.values())
        return f"What you said of the item itself, no model's verdict.\n\n{said}"
    return {
        "concept": "What an item tests, in the terms of the taxonomy that all benchmarks share.",
        "perturbation": "How the foil was made from the true caption.",
    }.get(name)


def _ordered(facet: str, counts: Mapping[str, int]) -> list[str]:
    """A facet's values, the most frequent first; words of docs/reasons.md in the order of the bars."""
    if facet == "human":
        return [word for word in (*own_verdicts.VERDICTS, own_verdicts.NONE) if word in counts]
    rank = {word: place for place, word in enumerate(NAMES)}
    return sorted(counts, key=lambda word: rank.get(word, len(rank))) if facet in SAID else list(counts)


def _noted(counts: Mapping[str, int], value: str) -> str:
    return "any" if value == "any" else f"{value} a note · {counts.get(value, 0):,}"
