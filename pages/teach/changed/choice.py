"""Which two checkpoints stand against each other, on which items: the sidebar, and the row above the answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from backend.protocols import Protocol
from backend.store.compare import flow
from backend.store.compare.lineage import Lineage
from backend.store.queries import Checkpoint, Setting, Side
from backend.taxonomy import title
from pages.compare.sides import Named
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.frame import address
from pages.shared.frame.fold import more
from pages.shared.frame.plain import plain
from pages.shared.frame.tips import kind_name, kinds_help
from pages.teach.changed import data

#: The worked examples, the first one that is there.
EXAMPLES = ("clip-eqsim", "clip-relational")
#: What may stand on the left: the plain training, where there is one, or the checkpoint before.
PLAIN, BEFORE = "plain", "before"
ANY = "any"
PARTS = {"cells": "scores alone", "reasons": "certified reasons"}
#: Positions of `Change.named`.
FIRST, LAST, TWIN = range(3)


@dataclass(frozen=True)
class Change:
    """A checkpoint before, a later one after, and the plain training of equal steps (None: there is none), by one score
    kind. named: before, after and the plain training, in this order everywhere. lineage: of after."""

    series: str
    before: Checkpoint
    after: Checkpoint
    kind: str
    named: tuple[Named, ...]
    lineage: Lineage | None

    @property
    def sides(self) -> tuple[Side, ...]:
        """The runs and settings alone."""
        return tuple(entry.side for entry in self.named)

    @property
    def has_twin(self) -> bool:
        """Whether a plain training stands beside it."""
        return len(self.named) > TWIN

    @property
    def from_base(self) -> bool:
        """Whether before is what both trainings began with, so that the plain one has a change from before, too."""
        return self.lineage is not None and self.lineage.base == self.before.model

    @property
    def steps(self) -> float:
        """Of the training between the two."""
        return self.after.step - self.before.step


@dataclass(frozen=True)
class Asked:
    """The row above the answer. left: the position of what after stands against; group: a concept, or ANY; parts: of
    PARTS."""

    left: int
    protocol: Protocol
    group: str
    parts: str


def choose(
    benchmark: stored.StoredBenchmark, known: Mapping[str, Sequence[Checkpoint]]
) -> tuple[Change | None, Asked | None]:
    """Series and, under More, the rest, in the sidebar. No change where the two checkpoints have no kind in common; a
    change with nothing asked where they share no verdict."""
    names = colours.labels(benchmark.models)
    listed = list(known)
    default = next((name for name in EXAMPLES if name in known), listed[0])
    with st.sidebar:
        series = st.selectbox(
            "Series", listed, key=address.option("series", listed, default), index=address.index("series"),
            format_func=lambda name: names.get(name, name),
            help="The checkpoints of one training. The model that a training by flipside teach began with is its step "
            "0, wherever it has been scored.",
        ) or default  # fmt: skip
        with more("before", "after", "kind", "group", "parts"):
            change = _change(benchmark, series, known[series], names)
            return change, _asked(change) if change is not None else None


def _change(
    benchmark: stored.StoredBenchmark, series: str, points: Sequence[Checkpoint], names: Mapping[str, str]
) -> Change | None:
    """Before, after and kind."""
    by_model = {point.model: point for point in points}

    def said(model: str) -> str:
        return f"{names[model]} · step {by_model[model].step:,.0f}"

    earlier = [point.model for point in points[:-1]]
    first = st.selectbox(
        "Before", earlier, key=address.option("before", earlier, earlier[0]), index=address.index("before"),
        format_func=said,
    ) or earlier[0]  # fmt: skip
    later = [point.model for point in points if point.model != first and point.step >= by_model[first].step]
    last = st.selectbox(
        "After", later, key=address.option("after", later, later[-1]), index=address.index("after"),
        format_func=said,
    ) or later[-1]  # fmt: skip
    before, after = by_model[first], by_model[last]
    kinds = [k for k in benchmark.kinds[before.model] if k in benchmark.kinds[after.model]]
    if not kinds:
        return None
    kind = st.selectbox(
        "Score kind", kinds, key=address.option("kind", kinds, kinds[0]), index=address.index("kind"),
        format_func=lambda k: f"{kind_name(k)} ({k})", help=kinds_help(kinds),
    ) or kinds[0]  # fmt: skip
    twin = data.twin(benchmark.hash, after)
    beside = twin is not None and twin[0] in benchmark.kinds and kind in benchmark.kinds[twin[0]]
    models = [before.model, after.model, *([twin[0]] if twin and beside and twin[0] != before.model else [])]
    dots = colours.of_models(benchmark.models)
    named = tuple(
        Named(f"{kind} {model}", model, Side(benchmark.runs[model], Setting(kind)), names[model], dots[model])
        for model in models
    )
    return Change(series, before, after, kind, named, data.lineage_of(after.run_id))


def _asked(change: Change) -> Asked | None:
    """Where, and drawn by what; the two choices above the picture are put in place, and drawn by `above`."""
    families = [str(of) for of in data.families(change.sides)]
    if not families:
        return None
    lefts = _lefts(change)
    against = str(st.session_state[address.option("against", lefts, lefts[0])])
    protocol = Protocol(st.session_state[address.option("protocol", families, families[0])])
    groups = data.groups(change.sides, protocol)
    names = [ANY, *groups]
    total = len(data.family(change.sides, protocol))
    address.option("group", names, ANY)
    group = st.selectbox(
        "Where", names, key=address.anew("group"), index=address.index("group"),
        format_func=lambda g: f"everywhere · {total:,}" if g == ANY else f"{title(g)} · {groups[g]:,}",
    ) or ANY  # fmt: skip
    left = TWIN if change.has_twin and against != BEFORE else FIRST
    words_of = data.words(change.sides, protocol)
    parts = st.segmented_control(
        "Drawn by", list(PARTS), key=address.option("parts", list(PARTS), "cells"), required=True,
        default=address.value("parts"), format_func=PARTS.__getitem__,
        disabled=not all(flow.measured(words_of, k) for k in (left, LAST)),
        help="What the scores say is arithmetic, and every item has it; a reason is certified only where the "
        "evidence tells the item from luck, and is “uncertain” elsewhere.",
    ) or "cells"  # fmt: skip
    return Asked(left, protocol, group, parts)


def _lefts(change: Change) -> list[str]:
    return [PLAIN, BEFORE] if change.has_twin else [BEFORE]


def above(change: Change) -> None:
    """The row of choices above the picture; what offers no choice is not drawn."""
    families = [str(of) for of in data.families(change.sides)]
    lefts = _lefts(change)
    words = {BEFORE: "before", PLAIN: "plain training"}
    if len(families) > 1:
        st.segmented_control(
            "Items", families, key="protocol", required=True, default=address.value("protocol"),
            format_func=lambda of: Protocol(of).info.title,
            help="Each kind of item has verdicts and reasons of its own, so they are never drawn in one picture.",
        )  # fmt: skip
    if len(lefts) > 1:
        st.segmented_control(
            f"Set {plain(change.named[LAST].label)} against", lefts, key="against",
            default=address.value("against"), required=True, format_func=words.__getitem__,
            help="The plain training began with the same model and had the same steps, batches and data, without "
            "the method. Against it, only what the method does is left; against what stood before, all that the "
            "training did.",
        )  # fmt: skip
