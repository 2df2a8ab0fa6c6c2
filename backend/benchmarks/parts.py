"""Official scores over a benchmark's parts: means of the accuracies of its files, undefined where a file is missing."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from backend.benchmarks.base import Judged, Official
from backend.metrics.official import Mean, by_group, mean_of


def accuracies(judged: Judged) -> dict[str, Mean]:
    """The share of right items of each subset."""
    return by_group(judged.correct, judged.subset)


def mean_over(name: str, parts: Mapping[str, Mean], wanted: Collection[str], how: str) -> Official:
    """The unweighted mean of the parts `wanted`. how: the rule in one sentence, with a full stop."""
    return replace(score(name, mean_of(parts, wanted), how), of=tuple(wanted))


def score(name: str, mean: Mean, how: str) -> Official:
    """A mean as an official score; where parts are missing, `how` names them."""
    if mean.value is not None:
        return Official(name, mean.value, mean.n, how)
    named = ", ".join(mean.missing[:6]) + (f" and {len(mean.missing) - 6} more" if len(mean.missing) > 6 else "")
    return Official(name, None, 0, f"{how} Undefined: no judged items of {named}." if named else how)
