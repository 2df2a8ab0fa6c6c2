"""What new results brought, in words, and what of the page that stands open is another one since.

Pure: from what a generation of the results holds, and from the page's choices, before and after.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pages.shared.drawing.colours import label
from pages.shared.drawing.numbers import count, listing

#: So many runs or benchmarks are named.
NAMED: Final = 3
#: What keys of addresses are called, where a reader would not know them by their own name.
CALLED: Final[Mapping[str, str]] = {"part": "subset", "judge": "verdicts of"}


@dataclass(frozen=True)
class Held:
    """What a generation holds. runs: id -> (model, name of its benchmark, its hash, when it was last written);
    benchmarks: hash -> (name, how many items)."""

    runs: Mapping[str, tuple[str, str, str, str]] = field(default_factory=dict)
    benchmarks: Mapping[str, tuple[str, int]] = field(default_factory=dict)


def came(before: Held, after: Held) -> str:
    """What is there now and was not before, a sentence; "" where that is nothing of which one could tell.

    >>> one = Held({"r": ("fake:ok", "world", "w", "1")}, {"w": ("world", 9)})
    >>> came(one, Held(one.runs, {**one.benchmarks, "m": ("mine", 60)}))
    'Here now: 60 items of mine, not scored yet; Failures and Runs show them, other pages once a model is scored.'
    >>> came(one, Held({**one.runs, "n": ("fake:two", "world", "w", "2")}, one.benchmarks))
    'Here now: scores of fake:two on world.'
    >>> came(one, Held({"r": ("fake:ok", "world", "w", "3")}, one.benchmarks)), came(one, one)
    ('Here now: scores of fake:ok on world.', '')
    """
    scored = {key: run for key, run in after.runs.items() if before.runs.get(key) != run}
    pairs = dict.fromkeys(f"{label(model)} on {name}" for model, name, _, _ in scored.values())
    judged = {of for _, _, of, _ in after.runs.values()}
    items = [
        f"{count(n, 'item')} of {name}"
        for key, (name, n) in after.benchmarks.items() if key not in before.benchmarks and key not in judged
    ]  # fmt: skip
    said = [f"scores of {listing([*pairs], NAMED)}"] if pairs else []
    if items:
        where = "Failures and Runs show them, other pages once a model is scored"
        said.append(f"{listing(items, NAMED)}, not scored yet; {where}")
    if gone := before.runs.keys() - after.runs.keys():
        said.append(f"{count(len(gone), 'run')} fewer")
    return f"Here now: {'; '.join(said)}." if said else ""


def moved(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Which choices of a page are others than before though nobody chose, a sentence; "" where none is.

    before, after: address key -> value, of the same page.

    >>> moved({"part": "retrieval", "map": "umap"}, {"part": "count", "map": "umap"})
    'With them this page shows another subset: count instead of retrieval.'
    >>> moved({"part": "a"}, {"part": "a", "kind": "itc"})
    ''
    """
    others = [key for key in before if key in after and _told(before[key]) and before[key] != after[key]]
    if not others:
        return ""
    said = [
        f"another {CALLED.get(key, key.replace('_', ' '))}: {_told(after[key]) or 'none'} instead of "
        f"{_told(before[key])}"
        for key in others
    ]
    return f"With them this page shows {'; '.join(said[:NAMED])}."


def _told(value: Any) -> str:
    """A choice as an address has it; "" for none, and for numbers: the ends of a range follow what is there."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return value if isinstance(value, str) else ""
