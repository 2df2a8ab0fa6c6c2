"""What two checkpoints of a training fixed and broke, and what it cost, from the scores that are stored."""

from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from markupsafe import Markup

from backend.kinds import SIMILARITIES
from backend.protocols import Protocol
from backend.store.compare import flow as stored_flow
from backend.store.reasons import not_measured
from pages.compare import data as compare_data
from pages.shared.data import handing_on, stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing import finding
from pages.shared.drawing.numbers import count, listing
from pages.shared.frame import address
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption
from pages.shared.frame.next_step import next_step
from pages.shared.frame.sidebar import say_partial
from pages.shared.frame.style import sheet, show
from pages.shared.frame.tips import kind_name, kind_unit, metric_title
from pages.teach.changed import (
    by_concept,
    choice,
    curves,
    data,
    example,
    flow,
    items,
    lacking,
    ledger,
    nothing,
    said,
)
from pages.teach.changed.choice import FIRST, LAST, TWIN, Asked, Change

KEYS = (
    "series", "before", "after", "kind", "against", "protocol", "group", "parts", "which", "link",
)  # fmt: skip
CSS = Path(__file__).with_name("changed.css")
FLOW = "changed-flow"
ABOUT_RELATIONAL = (
    "bundled:clip-relational is bundled:clip after a curriculum of places first, then relations. Pictures and captions "
    "stand side by side in the batch with others that differ in a place or a relation only, and besides InfoNCE the "
    "two of such a pair are pushed apart. No loss of structured negatives was used, and no plain training of equal "
    "steps ships (docs/models.md)."
)


def draw(benchmark: stored.StoredBenchmark) -> None:
    """The flow with its sentence and the way on; folded below: its items, concepts, the ledger, the deviations."""
    sheet(CSS)
    example.taken(benchmark.name)
    known = compare_data.all_series(benchmark)
    if not known:
        nothing.no_series(benchmark)
        example.offer(benchmark.name)
        return
    change, asked = choice.choose(benchmark, known)
    if change is None:
        nothing.no_kind(benchmark)
        return
    if asked is None:
        nothing.no_verdict()
        return
    say_partial(benchmark, {entry.model for entry in change.named})
    with st.container(horizontal=True, vertical_alignment="bottom", key="changed-above"):
        choice.above(change)
        example.offer(benchmark.name)
    inside = data.inside(change.sides, asked.protocol, asked.group)
    found = data.family(change.sides, asked.protocol).only(inside)
    words = data.words(change.sides, asked.protocol)[inside].reset_index(drop=True)
    each = stored_flow.ends(found, words, (asked.left, LAST), asked.parts)
    links = stored_flow.links(each, asked.protocol)
    chosen = items.place(links)
    address.end()
    shown, wanted = change, asked

    @st.fragment
    def what_became_of_what() -> None:
        """The flow and its items: their choices rerun only this part."""
        left, right = st.columns([13, 8], gap="medium")
        with left:
            _flow(shown, wanted, words, each, links)
        with right:
            _sentence(benchmark, shown, wanted, words)
            items.next_step(benchmark, shown, wanted, found, each)
        open_item = None
        with fold("The items: of a band, or all of an outcome", items.FOLD, ":material/grid_view:", chosen) as box:
            if box.open:
                open_item = items.draw(benchmark, shown, wanted, found, each, links)
        address.end()
        if open_item:
            open_item()

    with st.container(key="fs-stack-changed"):
        what_became_of_what()
    with fold("Concept by concept", "teach-concepts", ":material/category:") as box:
        if box.open:
            _concepts(change, asked)
    with fold("What it cost, and what it brought", "teach-ledger", ":material/receipt_long:") as box:
        if box.open:
            _ledger(benchmark, change)
    if asked.protocol == Protocol.QUAD and change.kind in SIMILARITIES:
        with fold("How far from equivariant, and how much is bound", "teach-curves", ":material/show_chart:") as box:
            if box.open:
                _curves(change, asked)
    with fold("How it was taught, and where it leads", "teach-about", ":material/school:") as box:
        if box.open:
            _about(benchmark, change, asked)


def _flow(change: Change, asked: Asked, words: Any, each: Any, links: Any) -> None:
    spec = flow.view(each, links, words, change, asked, str(st.session_state["link"]))
    flow.draw(spec, FLOW, lambda: items.choose(flow.opened(FLOW)))
    chart_caption(flow.caption(spec["measured"], asked, _why_no_reasons(change, asked, words)))


def _why_no_reasons(change: Change, asked: Asked, words: Any) -> str:
    """Half a sentence: which of the two has no reasons, and why."""
    told: dict[str, list[str]] = {}
    can = False
    for k in (asked.left, LAST):
        if not stored_flow.measured(words, k):
            side = change.sides[k]
            why = not_measured.of_run(stored.store(), side.run_id, side.setting.kind).get(str(asked.protocol))
            can |= bool(why and why.command)
            told.setdefault(why.said if why else "some of its items have none", []).append(change.named[k].label)
    said_ = "; ".join(f"{listing(names)}, {why}" for why, names in told.items())
    return said_ + ("; “What it cost” below can have it done" if can else "")


def _sentence(benchmark: stored.StoredBenchmark, change: Change, asked: Asked, words: Any) -> None:
    where = (change.sides, asked.protocol, asked.group)
    row = lines_of(data.against(*where, "", asked.left, (LAST,)))[0]
    changes = data.against(*where, "", FIRST, tuple(range(1, len(change.named))))
    extra = lines_of(data.against(*where, "", TWIN, (LAST,)))[0] if change.has_twin else None
    show(said.headline(row, change, asked))
    ties = {k: int((words[f"ties_{k}"] > 0).sum()) for k in range(len(change.named))}
    show(said.table(data.rates(*where), changes, extra, change, ties))
    chart_caption(said.warning(change, changes, extra))
    if benchmark.trained and (trained := {e.label: t for e in change.named if (t := benchmark.trained.get(e.model))}):
        told = "; ".join(f"{name} ({on})" for name, on in trained.items())
        show(
            Markup('<p class="cmp-twin"><b>Trained on these items:</b> {}. What was fixed here says nothing of other '
                   "items.</p>").format(told)
        )  # fmt: skip
    chart, note = handing_on.picture(FLOW, [side.run_id for side in change.sides])
    finding.draw(
        said.finding(row, change, asked, benchmark.name), "teach", chart, f"flipside-{benchmark.name}-teach", note=note,
        link=address.named("benchmark", "series", "before", "after", "kind", "against", "protocol", "group"),
    )  # fmt: skip


def _about(benchmark: stored.StoredBenchmark, change: Change, asked: Asked) -> None:
    """Where the later checkpoint is from, and the pages that go on."""
    if about := said.made(change) or (ABOUT_RELATIONAL if change.after.model == "bundled:clip-relational" else ""):
        chart_caption(about)
    a, b = change.named[asked.left], change.named[LAST]
    next_step(
        "Compare these two in full: tests, margins, curves", "compare", ":material/balance:",
        benchmark=benchmark.name, a=a.key, b=b.key, series=change.series,
    )  # fmt: skip
    if not change.has_twin:
        next_step("Train a model, and the plain one beside it", "teach", ":material/school:", view="train")


def _concepts(change: Change, asked: Asked) -> None:
    tests = data.against(change.sides, asked.protocol, choice.ANY, "concept", asked.left, (LAST,))
    if tests.empty:
        chart_caption("These items carry no concept.")
        return
    a, b = (change.named[k].label for k in (asked.left, LAST))
    chart_caption(f"{a} → {b}, {asked.protocol.info.title}")
    by_concept.table(tests, change, asked)
    found = data.family(change.sides, asked.protocol).frame["metric"]
    metrics = listing([metric_title(str(metric)) for metric in found.unique()])
    chart_caption(
        f"{count(int(tests['n'].sum()), 'verdict')} by {metrics}. Holm: adjusted over these rows. "
        + by_concept.ups_and_downs(tests)
    )


def _ledger(benchmark: stored.StoredBenchmark, change: Change) -> None:
    chart_caption("Everything that was scored before and after, whatever is shown above.")
    models = tuple(entry.model for entry in change.named)
    rows = data.costs(models, change.kind, benchmark.hash)
    here = benchmark.name.partition("@")[0]
    if len(rows):
        chart_caption(ledger.summary(rows, change.named[LAST].label))
        ledger.table(rows, change, here)
        chart_caption(
            f"By {kind_name(change.kind)}; shares in per cent, changes in points. Losses beyond chance are what was "
            "forgotten. The last column is the change less that of the plain training: what the steps alone did "
            "to both is taken away."
            if change.has_twin
            else f"By {kind_name(change.kind)}; shares in per cent, changes in points. Losses beyond chance are what "
            "was forgotten, by the training as a whole: no plain training stands beside it."
        )
    lacking.draw(change, [str(of) for of in rows["protocol"].unique()])


def _curves(change: Change, asked: Asked) -> None:
    runs = tuple(side.run_id for side in change.sides)
    frames = data.deviations(runs, change.kind, asked.group)
    if not frames or not all(np.isfinite(frame["v1"]).any() for frame in frames):
        chart_caption("Not all of them have scores of these quads.")
        return
    chart_caption(f"{count(len(frames[0]), 'quad')}, the same of all.")
    curves.draw(curves.panels(frames, change.named, kind_unit(change.kind)), "changed-curves")
    order = [FIRST, *([TWIN] if change.has_twin else []), LAST]
    means = data.means(runs, change.kind, asked.group, asked.left)
    show(curves.table(means, change.named, order, asked.left, LAST))
    chart_caption(curves.caption(frames, change.named, order))
