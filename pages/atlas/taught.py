"""What teaching changed: each base → taught, on the two axes and over all benchmarks and tasks."""

from dataclasses import dataclass

import streamlit as st
from markupsafe import Markup

from backend import written
from backend.finding import Finding
from backend.metrics.paired.directions import Directions, directions
from backend.metrics.paired.multiplicity import holm
from backend.published.atlas import columns, models
from backend.published.atlas.measures import Measure, measures
from backend.published.atlas.models import Taught
from backend.published.atlas.reading import Atlas
from pages.shared.drawing import signs
from pages.shared.drawing.table import heads, scrolled
from pages.shared.frame.style import show

#: Up to so large a p is called more than chance.
LEVEL = 0.05
#: Of the element that holds the table.
KEY = "atlas-taught"


@dataclass(frozen=True)
class Change:
    """One pair. x, y: points gained on the axes; composition: over 12 benchmarks, zero_shot: over 21 tasks, retrieval:
    over 12 recalls (no test: the twelve are of two pools)."""

    pair: Taught
    x: float
    y: float
    composition: Directions
    zero_shot: Directions
    retrieval: Directions


def changes(atlas: Atlas, x: Measure, y: Measure) -> list[Change]:
    """Of all pairs, what each changed."""
    benchmarks = [measures()[f"mean:{name}"] for name in columns.COMPOSITIONALITY]
    tasks = [measures()[each.key] for each in columns.of(columns.ZERO_SHOT)]
    recalls = [measures()[each.key] for name in columns.RETRIEVAL for each in columns.of(name)]

    def of(chosen: list[Measure], pair: Taught) -> Directions:
        rates = [each.of(atlas) for each in chosen]
        return directions([v[pair.base] for v in rates], [v[pair.taught] for v in rates])

    def gained(axis: Measure, pair: Taught) -> float:
        rates = axis.of(atlas)
        return float(rates[pair.taught] - rates[pair.base])

    return [
        Change(pair, gained(x, pair), gained(y, pair), of(benchmarks, pair), of(tasks, pair), of(recalls, pair))
        for pair in models.taught(atlas)
    ]


def adjusted(found: list[Change]) -> list[tuple[float | None, float | None]]:
    """(composition, zero-shot) p of each pair after Holm's correction over all of them."""
    raw = [p for each in found for p in (each.composition.p, each.zero_shot.p)]
    done = iter(holm([p for p in raw if p is not None]).tolist())
    whole = [None if p is None else next(done) for p in raw]
    return list(zip(whole[::2], whole[1::2], strict=True))


def n_tests(found: list[Change]) -> int:
    """How many tests the correction is over."""
    return sum(p is not None for each in found for p in (each.composition.p, each.zero_shot.p))


def to_copy(found: list[Change], atlas: Atlas) -> str:
    """The sentence with what it rests on, and the smallest p with whose it is."""
    sides = ("compositionality", "zero-shot tasks")
    tests = [
        (p, each, side)
        for each, pair in zip(found, adjusted(found), strict=True)
        for p, side in zip(pair, sides, strict=True)
        if p is not None
    ]
    smallest = min(tests, key=lambda test: test[0], default=None)
    least = ""
    if smallest is not None:
        p, each, side = smallest
        least = f"the smallest is {written.p_value(p)}, {atlas.entries[each.pair.taught].arch} on {side}"
    setting = (
        "exact two-sided sign tests over benchmarks and over tasks, no items are published",
        f"Holm over {n_tests(found)} tests", least, "published rates of Oh et al. 2024",
    )  # fmt: skip
    return Finding(sentence(found).removesuffix("."), len(found), setting, counted="models").said


def sentence(found: list[Change]) -> str:
    """What teaching did to composition and to the zero-shot tasks, in words."""
    n = len(found)
    tests = adjusted(found)
    up = sum(c.composition.rose > c.composition.fell and p is not None and p <= LEVEL
             for c, (p, _) in zip(found, tests, strict=True))  # fmt: skip
    down = sum(c.zero_shot.fell > c.zero_shot.rose and p is not None and p <= LEVEL
               for c, (_, p) in zip(found, tests, strict=True))  # fmt: skip
    more = sum(c.composition.rose > c.composition.fell for c in found)
    less = sum(c.zero_shot.fell > c.zero_shot.rose for c in found)
    return (
        f"Of {n} taught models {more} rose on more of the 12 compositionality benchmarks than they fell on ({up} "
        f"beyond chance), and {less} fell on more of the 21 zero-shot tasks than they rose on ({down} beyond chance)."
    )


def draw(found: list[Change], atlas: Atlas, x: Measure, y: Measure) -> None:
    """The sentence and a row a pair."""
    show(Markup('<p class="atl-said">{}</p>').format(sentence(found)))
    with st.container(key=KEY):
        show(html(found, atlas, x, y))


def html(found: list[Change], atlas: Atlas, x: Measure, y: Measure) -> Markup:
    """The table. What the axes gained has no test beside it, and so no colour (`signs`, rule 3)."""
    tests = adjusted(found)
    corrected = f"Holm's correction over the {n_tests(found)} tests of this table"
    tips = (
        ("base → taught", "the model it was trained from, and what it became"),
        ("across", f"points gained in {x.title}"), ("up", f"points gained in {y.title}"),
        ("composition", "of 12 benchmarks, so many rose and fell; the median change in points"),
        ("p, Holm", f"exact sign test over the 12 benchmarks, {corrected}"),
        ("zero-shot", "of 21 tasks, so many rose and fell; the median change in points"),
        ("p, Holm", f"exact sign test over the 21 tasks, {corrected}"),
        ("recalls", "of 12 recalls on COCO and Flickr30k, so many rose and fell; the median change in points"),
    )  # fmt: skip
    rows = Markup().join(
        Markup(
            '<tr><th scope="row" title="{}; {}">{} → {}</th><td>{}</td><td>{}</td><td>{}</td>'
            "<td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>"
        ).format(
            each.pair.how, each.pair.source, atlas.entries[each.pair.base].name, atlas.entries[each.pair.taught].arch,
            written.number(each.x, 1, signed=True), written.number(each.y, 1, signed=True), _moved(each.composition),
            written.p_cell(p[0]), _moved(each.zero_shot), written.p_cell(p[1]), _moved(each.retrieval),
        )
        for each, p in zip(found, tests, strict=True)
    )  # fmt: skip
    return scrolled("What teaching changed", heads(tips), rows)


def _moved(found: Directions) -> Markup:
    return Markup("{} {} {} {} <small>{}</small>").format(
        signs.UP, found.rose, signs.DOWN, found.fell, written.number(found.median, 1, signed=True)
    )
