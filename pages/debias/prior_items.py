"""Debias: is it the language prior that decides? Won and lost beside a control; the certain items."""

import streamlit as st
from markupsafe import Markup

from backend import written
from backend.metrics.reasons.priors import ENOUGH_SAMPLES
from backend.prior_names import prior_name
from backend.protocols import Protocol
from backend.store.reasons.prior_items import Found, of_run
from backend.store.scores.setting import as_norm
from backend.taxonomy import title
from pages.debias.options import NORMS, Options
from pages.debias.verdict import ALPHA
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import DASH, count, pieces
from pages.shared.drawing.table import scrolled
from pages.shared.frame import to_failures
from pages.shared.frame.header import chart_caption, empty, section
from pages.shared.frame.style import show
from pages.shared.frame.tips import column_head, in_sentence, metric_title

HEADS = (
    "P(t) from", "n", "won", "lost", "McNemar p", "won, priors exchanged", "weakest text weighs like", "enough",
    "certain",
)  # fmt: skip


def draw(benchmark: stored.StoredBenchmark, options: Options) -> None:
    """A row a source of P(t) for the chosen subset, judged as the page's curve is."""
    asked = (options.norm, options.subset, options.metric, options.stratum)
    found = [each for source in options.sources for each in known(options.run, source, *asked)]
    if not found:
        empty(
            "Not asked of these items",
            "Priors are exchanged between items whose captions compete under one image: choose a subset of choices, "
            "triplets or quads in the sidebar.",
        )
        return
    section("Is it the language prior that decides?", judged(found[0], options.stratum))
    mine = next((each for each in found if each.prior == options.prior), found[0])
    show(Markup('<p class="fs-caption"><b>{}</b>: {}</p>').format(prior_name(mine.prior), sentence(mine)))
    show(table(found))
    chart_caption(
        "Won: wrong at α = 0 and right at α = 1; lost: the other way; p: McNemar, exact (items that share images "
        "change sides together). Priors exchanged: items won where each gets the prior of another item, mean and range "
        "of 20 exchanges: what taking away any prior wins. Effective samples of an item: those of its text that has "
        "fewest; “weakest text weighs like” is their median over items, “enough” counts items with at least "
        f"{ENOUGH_SAMPLES:g}. Certain, of these: wrong, the winning foil is the likelier text, right once its prior is "
        "gone by more than two Monte-Carlo errors, and more than the mirror leaves to luck; that the prior is why is "
        "said of them only where the sentence says that a prior decides."
    )
    for each in found:
        label = button(each)
        if each.items and st.button(label, icon=":material/arrow_forward:", key=f"prior-items-{each.prior}"):
            title = listed(each, options)
            to_failures.go(benchmark, each.items, title, model=options.model, kind="gen", metric=each.metric)


@stored.kept("Exchanging priors between items …")
def known(run: str, prior: str, norm: str, subset: str, metric: str, stratum: str | None) -> list[Found]:
    """Rows of a run under a source, see `prior_items.of_run`."""
    return of_run(stored.store(), run, prior, as_norm(norm) or "token", subset, metric, stratum)


def judged(found: Found, stratum: str | None) -> str:
    """What is judged and how, in words: the page's own setting.

    >>> from backend.metrics.alpha.gains import Gain
    >>> none = Gain(0, 0.0, 1.0, None, None, None, None, 0, 0, None)
    >>> judged(Found("q", Protocol.QUAD, "noise:3", "sum", "group_score", none, None, None, 0, ()), None)
    'group score, sums, α = 0 against α = 1'
    """
    how = "accuracy, both paraphrases before the negative" if found.protocol == Protocol.TRIPLET else None
    foils = f", foils: {title(stratum).lower()}" if stratum else ""
    return f"{how or in_sentence(metric_title(found.metric))}{foils}, {NORMS[found.norm][0]}, α = 0 against α = 1"


def decides(found: Found) -> bool:
    """Whether the numbers allow to say that a prior decides: more won than lost beyond chance, and more won than any
    exchange of priors wins, by enough effective samples. `sentence`, `button` and `heading` all go by this."""
    change = found.change
    if not change.n or change.p is None or found.exchanged is None:
        return False
    if found.samples is not None and not found.samples >= ENOUGH_SAMPLES:
        return False
    return change.p < ALPHA and change.won > change.lost and change.won > found.exchanged[2]


def button(found: Found) -> str:
    """What stands on the button to the certain items: that a prior is why only where one is said to decide; else what
    is seen of them alone, which an exchanged prior may bring about as well."""
    items = count(len(found.items), "item")
    where = prior_name(found.prior)
    if decides(found):
        return f"{items} where {where} shows the prior to be why"
    verb = "is" if len(found.items) == 1 else "are"
    return f"{items} that {verb} wrong with a likelier foil, and right once log P(t) from {where} is taken away (α = 1)"


def heading(found: Found) -> str:
    """The same over the items on Failures.

    >>> from backend.metrics.alpha.gains import Gain
    >>> lost = Gain(450, 0.0, 1.0, None, None, None, None, 7, 31, 0.0001)
    >>> heading(Found("q", Protocol.QUAD, "noise:3", "sum", "group_score", lost, (12.0, 9, 16), None, 0, ("q/1",)))
    'likelier foil, right once log P(t) is taken away (α = 1)'
    """
    return "a language prior is why" if decides(found) else "likelier foil, right once log P(t) is taken away (α = 1)"


def listed(found: Found, options: Options) -> str:
    """The title of the items on Failures, which judges as scored, a token: where this page does not, it says so."""
    said = f"{heading(found)}, {colours.label(options.model)}, {judged(found, options.stratum)}"
    return said if found.norm == "token" else f"{said}; the verdicts below are of scores a token"


def sentence(found: Found) -> str:
    """What the numbers allow to say: that a prior decides only where `decides` finds it, else why not."""
    change = found.change
    if not change.n or change.p is None:
        return "no item here has a verdict at both α."
    won = f"{count(change.won, 'item')} {'is' if change.won == 1 else 'are'} won"
    counted = f"{won} and {change.lost:,} lost of {change.n:,} ({written.p_value(change.p)})"
    if found.samples is not None and not found.samples >= ENOUGH_SAMPLES:
        return (
            f"{counted}, but P(t) rests on {found.samples:.1f} effective samples (median; {ENOUGH_SAMPLES:g} are "
            "asked): nothing is said of a prior."
        )
    if found.exchanged is None:
        return f"{counted}: uncertain, too few items for a judgement."
    mean, low, high = found.exchanged
    control = f"with priors exchanged between items {mean:.0f} ({low:,} to {high:,}) are won"
    if decides(found):
        return (
            f"{counted}, a gain beyond chance; {control}: more than taking away any prior wins. On these items a "
            "language prior decides some verdicts."
        )
    if change.p >= ALPHA:
        return (
            f"{counted}; {control}. Uncertain: won and lost differ by no more than chance, so this shows neither that "
            "a language prior decides nor that none does."
        )
    if change.won <= change.lost:
        return (
            f"{counted}, a loss beyond chance; {control}. This does not show that a language prior decides: without it "
            "fewer items are right."
        )
    return (
        f"{counted}, a gain beyond chance; {control}. Uncertain: taking away another item’s prior may win as many, so "
        "the gain need not be the prior’s."
    )


def table(found: list[Found]) -> Markup:
    """HTML: a row a source."""
    body = Markup()
    for each in found:
        exchanged = DASH if each.exchanged is None else "{:.0f} ({} to {})".format(*each.exchanged)
        change = each.change
        cells = (
            f"{change.n:,}", f"{change.won:,}", f"{change.lost:,}", written.p_cell(change.p),
            exchanged, DASH if each.samples is None else f"{each.samples:.1f}", f"{each.known:,}",
            f"{len(each.items):,}" if each.known else f"{DASH} (below {ENOUGH_SAMPLES:g})",
        )  # fmt: skip
        inner = Markup().join(Markup("<td>{}</td>").format(pieces(cell)) for cell in cells)
        body += Markup('<tr><th scope="row">{}</th>{}</tr>').format(prior_name(each.prior), inner)
    return scrolled("won, lost and priors exchanged", Markup().join(map(column_head, HEADS)), body)
