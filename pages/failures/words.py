"""A filter of Failures in words: for the report, the tables' captions, and whoever reads a file later."""

from backend.store.failures.filter import NARROWER
from backend.store.queries import FailureFilter
from backend.taxonomy import title
from pages.item.view import DIAGNOSES
from pages.shared.drawing.numbers import score
from pages.shared.frame.tips import metric_title

_ORDER = {
    "margin": "worst margin first", "near": "closest to flipping first", "-margin": "best margin first",
    "gap": "furthest behind the other model first", "item": "in the benchmark's order",
}  # fmt: skip


def said(wanted: FailureFilter, benchmark: str, model: str, other: str = "", picked: str = "") -> list[tuple[str, str]]:
    """(what, its value in words) of everything that narrows the list. picked: the title of a picked set."""
    found = [("benchmark", benchmark), ("model", model), ("scores", wanted.setting.describe())]
    verdict = {False: "wrong", True: "right", None: "right or wrong"}
    found.append(("listed", f"items that are {verdict[wanted.correct]}"))
    names = ", ".join(metric_title(name) for name in wanted.metrics)
    found.append(("metric", names or "the headline metric of each protocol"))
    for what, values in (("subset", wanted.subsets), ("concept", wanted.concepts), ("change", wanted.perturbations)):
        if values:
            found.append((what, " or ".join(_term(value) for value in values)))
    if wanted.diagnoses:
        found.append(("diagnosis", " or ".join(DIAGNOSES.get(name, name) for name in wanted.diagnoses)))
    if wanted.tags:
        found.append(("tag", " or ".join(wanted.tags)))
    if wanted.noted is not None:
        found.append(("note", "with a note" if wanted.noted else "without a note"))
    if other:
        found.append(("compared with", f"{other}, which is {verdict[wanted.other_correct]} on them"))
    if wanted.margin:
        found.append(("margin", f"from {score(wanted.margin[0], True)} to {score(wanted.margin[1], True)}"))
    if wanted.text.strip():
        found.append(("words in a caption", f"“{wanted.text.strip()}”"))
    if wanted.only is not None:
        found.append(("picked", f"{len(wanted.only):,} items, {picked}" if picked else f"{len(wanted.only):,} items"))
    return [*found, ("order", _ORDER[wanted.sort])]


def line(words: list[tuple[str, str]]) -> str:
    """The same in one line.

    >>> line([("benchmark", "world"), ("model", "clip")])
    'benchmark: world; model: clip'
    """
    return "; ".join(f"{what}: {value}" for what, value in words)


def _term(value: str) -> str:
    name = title(value.removesuffix(NARROWER))
    return f"any {name}" if value.endswith(NARROWER) else name
