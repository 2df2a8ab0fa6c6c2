"""What an axis of the Atlas can be: one of the 136 columns, or a mean of several, as the authors take it.

Every mean is a weighted sum of columns, so ours are taken the same way. The weights are those by which the authors' own
`results.csv` (same repository) follows from the columns; a test compares.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.published.atlas.columns import COMPOSITIONALITY, NAMES, RETRIEVAL, ZERO_SHOT, Column, columns, of
from backend.published.atlas.reading import Atlas

Weights = Mapping[str, float]
#: The two that a first look compares.
COMPOSITION: Final = "mean:compositionality"
TASKS: Final = "mean:zero-shot"
EACH_ONCE: Final = "each column once"
GROUP_SCORE: Final = "group score"
#: Decimals of a rate in per cent: far finer than one item of any benchmark, far coarser than the sums of a computer.
DIGITS: Final = 9


@dataclass(frozen=True, slots=True)
class Measure:
    """key: in addresses; a column's own key, or `mean:…`. weights: column -> its share; they sum to one. how: of a
    mean, in words."""

    key: str
    title: str
    group: str
    weights: Weights
    how: str = ""

    @property
    def items(self) -> int | None:
        """Behind a single column; None for means and where it cannot be told."""
        if len(self.weights) != 1:
            return None
        return _known()[next(iter(self.weights))].items

    @property
    def name(self) -> str:
        """Its title where its neighbours are benchmarks, too.

        >>> measures()["mean:winoground"].title, measures()["mean:winoground"].name, measures()["mean:aro"].name
        ('Winoground, group score', 'Winoground', 'ARO')
        """
        return self.title.removesuffix(", mean").removesuffix(f", {GROUP_SCORE}")

    def of(self, atlas: Atlas) -> NDArray[np.float64]:
        """(models,), per cent. Rounded, or models that are equally good would differ by how a computer adds."""
        places = [atlas.column[key] for key in self.weights]
        found = atlas.rates[:, places] @ np.array(list(self.weights.values()))
        return np.asarray(np.round(found, DIGITS), dtype=np.float64)

    def of_rates(self, rates: Mapping[str, float]) -> float | None:
        """The same of somebody's own rates, column -> per cent; None where one is missing."""
        if any(key not in rates for key in self.weights):
            return None
        return round(sum(share * rates[key] for key, share in self.weights.items()), DIGITS)


@cache
def measures() -> dict[str, Measure]:
    """All of them by key: means first, then columns in the file's order.

    >>> len(measures()), measures()["mean:winoground"].weights
    (152, {'winoground::group': 1.0})
    """
    found = [
        Measure(COMPOSITION, "mean of 12 compositionality benchmarks", "mean",
                _mean(_of_benchmark(name) for name in COMPOSITIONALITY), "each benchmark once"),
        Measure(TASKS, "mean of 21 zero-shot tasks", "mean", _flat(of(ZERO_SHOT)), "each task once"),
        *(Measure(f"mean:{side}", f"mean of {words} R@1", "mean",
                  _mean({f"{name}::{side}/R@1": 1.0} for name in RETRIEVAL), "COCO and Flickr30k")
          for side, words in (("i2t", "image-to-text"), ("t2i", "text-to-image"))),
        *(Measure(f"mean:{name}", f"{NAMES[name]}, {_HOW[name] if name in ONE else 'mean'}", "mean",
                  _of_benchmark(name), _HOW.get(name, EACH_ONCE))
          for name in COMPOSITIONALITY),
        *(Measure(each.key, each.title, each.group, {each.key: 1.0}) for each in columns()),
    ]  # fmt: skip
    return {each.key: each for each in found}


@cache
def benchmarks() -> tuple[Measure, ...]:
    """What is compared benchmark by benchmark: 12 of compositionality, then zero-shot, and retrieval both ways."""
    return tuple(
        measures()[key] for key in (*(f"mean:{name}" for name in COMPOSITIONALITY), TASKS, "mean:i2t", "mean:t2i")
    )


@cache
def _known() -> dict[str, Column]:
    return {each.key: each for each in columns()}


def _flat(chosen: Iterable[Column]) -> Weights:
    keys = [each.key for each in chosen]
    return dict.fromkeys(keys, 1 / len(keys))


def _by_items(chosen: Iterable[Column]) -> Weights:
    """Each column counts as often as it has items."""
    listed = [(each.key, each.items or 0) for each in chosen]
    total = sum(n for _, n in listed)
    return {key: n / total for key, n in listed}


def _mean(parts: Iterable[Weights]) -> Weights:
    listed, found = list(parts), dict[str, float]()
    for part in listed:
        for key, share in part.items():
            found[key] = found.get(key, 0.0) + share / len(listed)
    return found


def _beginning(benchmark: str, *starts: str, end: str = "") -> tuple[Column, ...]:
    return tuple(each for each in of(benchmark) if each.part.startswith(starts) and each.part.endswith(end))


def _grouped(benchmark: str, *groups: str, end: str = "") -> Weights:
    """The mean over groups of columns, each named by what its columns begin with."""
    return _mean(_flat(_beginning(benchmark, group, end=end)) for group in groups)


#: How a benchmark's one number comes of its columns, where it is more than their mean.
_HOW: Final = {
    "colorswap": GROUP_SCORE,
    "eqben": "group scores of five sub-datasets, Kubric's three first averaged",
    "imagecode": "by the number of items",
    "mmvp_vlm": "group scores of nine categories",
    "sugarcrepe": "replace, swap and add once each; inside them by the number of items",
    "valse": "seven phenomena once each",
    "vl_checklist": "object, attribute and relation once each; in object, location and size",
    "winoground": GROUP_SCORE,
}
#: Benchmarks whose one number is that of a single column.
ONE: Final = ("colorswap", "winoground")


def _of_benchmark(name: str) -> Weights:
    """A benchmark's one number."""
    if name in ("colorswap", "mmvp_vlm", "winoground"):
        return _flat(_beginning(name, "", end="group"))
    if name == "eqben":
        return _grouped(name, *(f"eqben{part}" for part in ("youcook2", "gebc", "ag", "kubric", "sd")), end="group")
    if name == "imagecode":
        return _by_items(of(name))
    if name == "sugarcrepe":
        return _mean(_by_items(_beginning(name, part)) for part in ("replace", "swap", "add"))
    if name == "valse":
        return _grouped(name, "existence", "plurals", "counting", "relations", "act", "coreference", "foil")
    if name == "vl_checklist":
        sides = (("Object_Location", "Object_Size"), ("Attribute",), ("Relation",))
        return _mean(_grouped(name, *groups) for groups in sides)
    return _flat(of(name))
