"""Beside the map: what the picked items have more of than the rest, and the way to them; else what the clumps hold."""

from collections.abc import Sequence

import streamlit as st
from markupsafe import Markup

from backend.metrics.enrichment import Contrast
from backend.store.enrichment.clumps import Clump, Clumps
from backend.store.enrichment.traits import Told, Trait
from backend.store.items.embeddings import Points
from pages.embeddings import labels, picked
from pages.embeddings.choices import Choices, metric_name
from pages.embeddings.selection import Selection
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.facts import facts
from pages.shared.drawing.numbers import count
from pages.shared.frame import to_failures
from pages.shared.frame.fold import fold
from pages.shared.frame.style import show
from pages.shared.frame.tips import metric_title

#: Lines of a list.
MOST, CLUMPS = 8, 20
#: Colourings that show who is wrong.
TELLING = ("outcome", "reason")


def selected(
    benchmark: stored.StoredBenchmark, of: Points, chosen: Selection, told: Told, choice: Choices
) -> None:  # fmt: skip
    """What is picked: its errors, what it has more of, its failures."""
    show(
        Markup('<section class="fs-over"><h3>{}</h3>{}{}{}</section>').format(
            chosen.said(of), _errors(told, choice.whose, choice.metric), _found(told), _caveat(chosen, told, choice)
        )
    )
    wrong = _open(benchmark, of, chosen, choice)
    listed, what = (wrong, "failure") if wrong else (chosen.items, "item")  # what the buttons above open
    with fold(f"The first of these {what}s", "embeddings-first") as box:
        if box.open:
            picked.first_of(benchmark, of, listed, choice, what)


def _errors(told: Told, whose: str = "", metric: str = "") -> Markup:
    """whose: by whose verdicts, where these are another's than the model's whose map it is. metric: by what they are
    judged; said where Failures judges the same items one direction at a time, and so counts others."""
    one = told.errors
    by = f" by {metric_name(metric)}" if metric.startswith(("recall_at_", "headline")) else ""
    by += f"{', ' if by else ' '}by the verdicts of {whose}" if whose else ""
    if one is None:
        return Markup("")
    here = facts(labels.share(one.k_in, one.n_in), **labels.facts_of(one, told.tested))
    elsewhere = labels.share(one.k_out, one.n_out)
    if not one.holds:
        return Markup('<p class="fs-over-wrong">{} wrong{}, {} elsewhere: not told from chance</p>').format(
            here, by, elsewhere
        )
    if one.ratio > 1:
        return Markup('<p class="fs-over-wrong fs-worse"><b>✗ {} wrong</b>{}, {} elsewhere</p>').format(
            here, by, elsewhere
        )
    # No sign and no colour of being right: what is counted is wrong here, too.
    return Markup('<p class="fs-over-wrong"><b>{} wrong</b>{}, fewer than elsewhere ({})</p>').format(
        here, by, elsewhere
    )


def _found(told: Told) -> Markup:
    if not told.n_out:
        return Markup('<p class="fs-over-none">All items are inside: there is no rest to compare with.</p>')
    if not told.found:
        holds = told.errors is not None and told.errors.holds
        what = "No word, concept or reason beyond chance" if holds else "Nothing beyond chance"
        return Markup('<p class="fs-over-none">{} ({} tested).</p>').format(what, f"{told.tested:,}")
    lines = Markup().join(_line(trait, one, told.tested) for trait, one in told.found[:MOST])
    rest = len(told.found) - MOST
    more = Markup('<p class="fs-over-more">… and {} more</p>').format(f"{rest:,}") if rest > 0 else Markup("")
    return Markup(
        '<h4>More frequent here than elsewhere</h4><ul class="fs-over-list">{}</ul>{}'
    ).format(lines, more)  # fmt: skip


def _line(trait: Trait, one: Contrast, tested: int) -> Markup:
    here, elsewhere = one.k_in / one.n_in, one.k_out / max(one.n_out, 1)
    return Markup(
        '<li><span class="fs-over-name">{}<small>{}</small></span>'
        '<span class="fs-over-bars" aria-hidden="true"><i style="width:{:.1f}%"></i>'
        '<i style="width:{:.1f}%"></i></span>'
        '<span class="fs-over-ratio">{}</span></li>'
    ).format(
        labels.trait_name(trait), trait.sort, 100 * here, 100 * elsewhere,
        facts(labels.ratio(one), **labels.facts_of(one, tested)),
    )  # fmt: skip


def _caveat(chosen: Selection, told: Told, choice: Choices) -> Markup:
    said = f"Items are counted, not dots; {count(told.tested, 'test')}, corrected together."
    if chosen.clump is not None:
        said += " Clumps are found by place alone, without verdicts."
    elif choice.colour in TELLING:
        said += " Where they were drawn around by eye, along the colours, errors and reasons look surer than they are."
    else:
        said += " Where they were drawn around by eye, along the colours, what these show looks surer than it is."
    return Markup('<p class="fs-over-note">{}</p>').format(said)


def _open(benchmark: stored.StoredBenchmark, of: Points, chosen: Selection, choice: Choices) -> list[str]:
    """The next step: the failures among what is picked, as Failures judges them, a button for each direction in which
    some are; returns them all."""
    ways = picked.filters(benchmark, of, chosen.items, choice)
    place = "clump" if chosen.clump is not None else "lasso"
    title = f"{place} on Embeddings, {colours.label(choice.model)}"
    for n, (where, wrong) in enumerate(ways):
        label = f"Open these {count(len(chosen.items), 'item')}".replace("these 1 ", "this ")
        if wrong:  # a map judges a pool's images and captions each by its own direction, Failures by one
            by = f" by {metric_title(where['metric'])}" if "metric" in where else ""
            by += f", verdicts of {choice.whose}" if choice.whose else ""
            label = f"Open the {len(wrong):,} that {'is' if len(wrong) == 1 else 'are'} wrong{by}"
            if "metric" in where:  # a pool's item has a verdict for each of its captions or images
                label = f"Open the {count(len(wrong), 'item')} with failures{by}"
        key = f"embeddings-to-failures-{n}" if n else "embeddings-to-failures"
        if st.button(label, icon=":material/arrow_forward:", key=key, type="secondary" if n else "primary"):
            to_failures.go(benchmark, chosen.items, title, **where)
    return list(dict.fromkeys(item for _, wrong in ways for item in wrong))


def overview(found: Clumps, order: Sequence[int], n_images: int, whose: str = "") -> None:
    """Where nothing is picked: what the clumps hold, the surest first. n_images: dots that are images; whose: by whose
    verdicts items are wrong, where these are another's."""
    if not order:
        none = f"No clump has more of anything than chance gives ({found.tested:,} tested)." if found.tested else ""
        show(
            Markup('<section class="fs-over"><h3>Draw around some dots</h3><p class="fs-over-none">{} What they have '
                   "more of than the rest appears here. Point at a dot for its neighbours, click to keep them.</p>"
                   "</section>").format(none)
        )  # fmt: skip
        return
    called = labels.names(found, n_images)
    lines = Markup().join(_clump(found.each[k], called[k], found.tested) for k in order[:CLUMPS])
    more = len(order) - CLUMPS
    rest = Markup('<p class="fs-over-more">… and {} more</p>').format(more) if more > 0 else Markup("")
    show(
        Markup(
            '<section class="fs-over"><h3>What each clump shares</h3>'
            '<p class="fs-over-head">the first named, × as frequent as elsewhere{}</p>'
            '<ul class="fs-over-list">{}</ul>{}'
            '<p class="fs-over-note">Click a label on the map, or draw around dots. Named is only what is beyond '
            "chance ({} tests, corrected together).</p></section>"
        ).format(f"; wrong by the verdicts of {whose}" if whose else "", lines, rest, f"{found.tested:,}")
    )


def _clump(clump: Clump, name: str, tested: int) -> Markup:
    """A clump's line: its name and items, how much more frequent the first trait of its name is, its errors where those
    are beyond chance."""
    first, errors = labels.naming(clump)[:1], clump.errors
    ratio = facts(labels.ratio(first[0][1]), **labels.facts_of(first[0][1], tested)) if first else Markup("")
    wrong = Markup("")
    if errors:
        said = facts(f"{labels.share(errors.k_in, errors.n_in)} wrong", **labels.facts_of(errors, tested))
        wrong = Markup('<small class="{}">{}</small>').format("fs-worse" if errors.ratio > 1 else "", said)
    return Markup(
        '<li><span class="fs-over-name">{}<small>{}</small>{}</span><span class="fs-over-ratio">{}</span></li>'
    ).format(name, count(clump.n_items, "item"), wrong, ratio)
