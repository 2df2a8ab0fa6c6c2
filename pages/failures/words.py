"""A filter of Failures in words: for the report, the tables' captions, and whoever reads a file later."""

from backend.store.failures.filter import BY_MARGIN, NARROWER
from backend.store.failures.models_right import Solved
from backend.store.queries import FailureFilter
from backend.store.rates.both_paraphrases import WHY
from backend.taxonomy import title
from pages.failures import data, facets
from pages.shared.drawing.numbers import count, score
from pages.shared.frame.tips import metric_title

#: Why shares of some items have no interval.
PICKED = "the items may have been picked for being right or wrong"

#: The orders of the list, as they are offered and as files name them.
SORTS = {
    "margin": "worst margin first", "near": "closest to flipping first", "-margin": "best margin first",
    "fewest": "fewest models right first", "most": "most models right first",
    "gap": "furthest behind the other model first", "item": "in the benchmark's order",
}  # fmt: skip

#: What a search is of: letters, within words, too.
PART = "part of a caption"

#: What stands for no metric of one's own choice.
HEADLINE = "the headline metric of each protocol"

#: Which models are counted where it is said how many are right.
COUNTED = (
    "Before any filter, by the metric above. Each model counts once, at its default setting: people are no model, and "
    "a repeat of another file is the model that it repeats. The order “fewest models right first” begins with these."
)


def said(wanted: FailureFilter, benchmark: str, model: str, other: str = "", picked: str = "") -> list[tuple[str, str]]:
    """(what, its value in words) of everything that narrows the list. picked: the title of a picked set."""
    found = [("benchmark", benchmark), ("model", model), ("scores", wanted.setting.said())]
    verdict = {False: "wrong", True: "right", None: "right or wrong"}
    found.append(("listed", f"items that are {verdict[wanted.correct]}"))
    names = ", ".join(metric_title(name) for name in wanted.metrics)
    found.append(("metric", names or HEADLINE))
    for what, values in (("subset", wanted.subsets), ("concept", wanted.concepts), ("change", wanted.perturbations)):
        if values:
            found.append((what, " or ".join(_term(value) for value in values)))
    for facet, words in (("cell", wanted.cells), ("reason", wanted.reasons)):
        if words:
            found.append((facets.FACETS[facet].lower(), " or ".join(facets.name_of(facet, word) for word in words)))
    if wanted.human:
        found.append(("human verdict", " or ".join(facets.name_of("human", word) for word in wanted.human)))
    if wanted.tags:
        found.append(("tag", " or ".join(wanted.tags)))
    if wanted.noted is not None:
        found.append(("note", "with a note" if wanted.noted else "without a note"))
    if other:
        found.append(("compared with", f"{other}, which is {verdict[wanted.other_correct]} on them"))
    if wanted.margin:
        found.append(("margin", f"from {score(wanted.margin[0], True)} to {score(wanted.margin[1], True)}"))
    if wanted.text.strip():
        found.append((f"{PART}, or item", f"“{wanted.text.strip()}”"))
    if wanted.only is not None:
        found.append(("picked", count(len(wanted.only), "item") + (f", {picked}" if picked else "")))
    return [*found, *_bounds(wanted), *_rule(wanted), ("order", order_said(wanted.sort, data.by_margins(wanted)))]


def order_said(sort: str, has_margins: bool) -> str:
    """In which order the items stand. sort: one of SORTS; has_margins: False where verdicts alone are known, which have
    no order by margins.

    >>> order_said("margin", True), order_said("fewest", False)
    ('worst margin first', 'fewest models right first')
    >>> order_said("near", False)
    "in the benchmark's order: verdicts alone have no margins"
    """
    if not has_margins and sort in BY_MARGIN:
        return f"{SORTS['item']}: verdicts alone have no margins"
    return SORTS[sort]


def _bounds(wanted: FailureFilter) -> list[tuple[str, str]]:
    return [("bounds", f"wrong are at most so many, right at least: {WHY}")] if data.is_bounded(wanted) else []


def _rule(wanted: FailureFilter) -> list[tuple[str, str]]:
    """By which rule verdicts are right that were asked for in several orders."""
    rule = data.rule(wanted)
    return [("rule", rule)] if rule else []


def solved_said(found: Solved) -> str:
    """On how many items no model is right, and how many of them people are right on; "" where fewer than two judged.

    >>> solved_said(Solved(400, 109, 0, 96, 54, True))
    '**109** of 400 items: none of 54 models is right; people are right on 96 of them.'
    >>> solved_said(Solved(2080, 28, 37, None, 9, True, 7))
    '**28** of 2,080 items: none of the 7 to 9 models that have judged them is right. **37**: all of these are.'
    """
    if found.n_models < 2:
        return ""
    what = "items" if found.one_each else "verdicts"
    people = "" if found.by_people_alone is None else f"; people are right on {found.by_people_alone:,} of them"
    is_part = 0 < found.n_fewest < found.n_models
    who = f"the {found.n_fewest} to {found.n_models} models that have judged them" if is_part else (
        f"{found.n_models} models"
    )  # fmt: skip
    said = f"**{found.by_none:,}** of {found.n:,} {what}: none of {who} is right{people}."
    return said if not found.by_all else f"{said} **{found.by_all:,}**: all {'of these ' if is_part else ''}are."


def line(words: list[tuple[str, str]]) -> str:
    """The same in one line.

    >>> line([("benchmark", "world"), ("model", "clip")])
    'benchmark: world; model: clip'
    """
    return "; ".join(f"{what}: {value}" for what, value in words)


def _term(value: str) -> str:
    name = title(value.removesuffix(NARROWER))
    return f"any {name}" if value.endswith(NARROWER) else name
