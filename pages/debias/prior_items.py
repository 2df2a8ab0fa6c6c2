"""Debias: is it the language prior that decides? Won and lost beside a control; the certain items."""

import streamlit as st
from markupsafe import Markup

from backend import written
from backend.prior_names import prior_name
from backend.protocols import Protocol
from backend.store.reasons.prior_items import ENOUGH, Found, of_run
from pages.debias.options import Options
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import DASH, pieces
from pages.shared.drawing.table import scrolled
from pages.shared.frame import to_failures
from pages.shared.frame.header import chart_caption, section
from pages.shared.frame.style import show
from pages.shared.frame.tips import column_head

#: What of a protocol is judged, in words.
_JUDGED = {
    Protocol.CHOICE: "choices", Protocol.TRIPLET: "triplets, both paraphrases before the negative",
    Protocol.QUAD: "quads, the text score",
}  # fmt: skip


def draw(benchmark: stored.StoredBenchmark, options: Options) -> None:
    """A row a source of P(t) for the chosen subset; nothing where its items have no captions that compete."""
    found = [each for source in options.sources for each in known(options.run, source) if each.subset == options.subset]
    if not found:
        return
    judged = _JUDGED[found[0].protocol]
    section("Is it the language prior that decides?", f"{judged}, log-probability a token, α = 0 against α = 1")
    mine = next((each for each in found if each.prior == options.prior), found[0])
    show(Markup('<p class="fs-caption"><b>{}</b>: {}</p>').format(prior_name(mine.prior), sentence(mine)))
    show(table(found))
    chart_caption(
        "Won: wrong at α = 0 and right at α = 1; lost: the other way; p: McNemar, exact. Priors exchanged: items won "
        "where each gets the prior of another item, mean and range of 20 exchanges: what taking away any prior wins. "
        "Certain: wrong, the winning foil is the likelier text, right once its prior is gone by more than two "
        "Monte-Carlo errors, and more than the mirror leaves to luck; of items with at least five effective samples."
    )
    for each in found:
        if each.items and st.button(
            f"{len(each.items):,} items where {prior_name(each.prior)} shows the prior to be why",
            icon=":material/arrow_forward:", key=f"prior-items-{each.prior}",
        ):  # fmt: skip
            title = f"a language prior is why, {colours.label(options.model)}"
            to_failures.go(benchmark, each.items, title, model=options.model, kind="gen")


@stored.kept("Exchanging priors between items …")
def known(run: str, prior: str) -> list[Found]:
    """Rows of a run under a source, see `prior_items.of_run`."""
    return of_run(stored.store(), run, prior)


def sentence(found: Found) -> str:
    """What the numbers allow to say."""
    change = found.change
    counted = f"{change.only_b:,} items are won and {change.only_a:,} lost of {found.n:,} ({written.p_value(change.p)})"
    if found.samples is not None and not found.known:
        return f"{counted}, but no item has five effective samples of its texts: nothing is said of a prior."
    if found.exchanged is None:
        return f"{counted}."
    mean, low, high = found.exchanged
    control = f"with priors exchanged between items {mean:.0f} ({low:,} to {high:,}) are won"
    if change.only_b > high and change.only_b > change.only_a:
        return f"{counted}; {control}: more than taking away any prior wins."
    return f"{counted}; {control}: this does not show that a language prior decides."


def table(found: list[Found]) -> Markup:
    """HTML: a row a source."""
    heads = ("P(t) from", "n", "won", "lost", "McNemar p", "won, priors exchanged", "weigh like", "enough", "certain")
    body = Markup()
    for each in found:
        exchanged = DASH if each.exchanged is None else "{:.0f} ({} to {})".format(*each.exchanged)
        cells = (
            f"{each.n:,}", f"{each.change.only_b:,}", f"{each.change.only_a:,}", written.p_cell(each.change.p),
            exchanged, DASH if each.samples is None else f"{each.samples:.1f}", f"{each.known:,}",
            f"{len(each.items):,}" if each.known else f"{DASH} (below {ENOUGH:g})",
        )  # fmt: skip
        inner = Markup().join(Markup("<td>{}</td>").format(pieces(cell)) for cell in cells)
        body += Markup('<tr><th scope="row">{}</th>{}</tr>').format(prior_name(each.prior), inner)
    return scrolled("won, lost and priors exchanged", Markup().join(map(column_head, heads)), body)
