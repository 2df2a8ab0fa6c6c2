"""Overview: how much of a benchmark can be solved without looking at its images."""

import streamlit as st
from markupsafe import Markup
from scipy.special import ndtri

from backend import written
from backend.prior_names import prior_name
from backend.protocols import Protocol
from backend.store.reasons.blind_audit import PROTOCOLS, Audit, audits
from backend.taxonomy import title
from pages.shared.data import commands, stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import DASH, count, pieces
from pages.shared.drawing.table import scrolled
from pages.shared.frame import to_failures
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption, empty
from pages.shared.frame.style import show
from pages.shared.frame.tips import column_head

#: So many blind scorers decide.
ENOUGH = 2
#: What stands under a scorer's name.
TIP = "Items whose truth it finds from the texts alone; in brackets the same with truth and foils exchanged."


def draw(benchmark: stored.StoredBenchmark) -> None:
    """A row a subset; nothing for a benchmark without choices and triplets."""
    if benchmark.parts or not any(benchmark.with_protocol(protocol) for protocol in PROTOCOLS):
        return
    with fold("What can be solved without the image?", "overview-blind", ":material/visibility_off:") as box:
        if box.open:
            _content(benchmark)


def _content(benchmark: stored.StoredBenchmark) -> None:
    found = known(benchmark.hash)
    if not found:
        empty(
            "No blind scorer has read these captions",
            f"Two are needed, for example: python -m backend run --model bundled:lm --benchmark "
            f"{commands.words(benchmark)} --kinds prior, and any other language model or captioner with --kinds prior."
            f"{commands.lacking(benchmark)}",
        )
        return
    told = sum(audit.share is not None for audit in found)
    for audit in found:
        if audit.share is not None:
            show(Markup('<p class="fs-caption"><b>{}</b>: {}</p>').format(title(audit.subset), sentence(audit, told)))
    show(table(found))
    chart_caption(
        "Solved: two blind scorers find the truth from the texts alone, less the share in which they would find a foil "
        "were it called the truth (truth and foils exchanged within the item); 95 % interval over images. Item by "
        "item: solved by more than luck, at most 5 % of them by luck. The share has every item taken off whose foil "
        "they find, by luck or as its texts mislead, so more can be solved item by item; where few items can be "
        "told, the share still holds. Each scorer: items whose truth it finds, in brackets the same after the exchange."
    )
    _open(benchmark, found)


@stored.kept("Asking what can be solved blind …")
def known(benchmark: str) -> list[Audit]:
    """The audits, see `blind_audit.audits`."""
    return audits(stored.store(), benchmark)


def sentence(audit: Audit, of: int = 1) -> str:
    """What holds of a subset, by its interval: "at least" is said of the interval's lower end alone. of: subsets of
    which something is said at once: nothing is claimed that an interval for so many (Bonferroni) does not leave out."""
    low, high = audit.ci95 or (audit.share or 0.0, audit.share or 0.0)
    share = written.rate(audit.share, audit.n, audit.ci95)
    many = count(len(audit.scorers), "blind scorer")
    wide = float(ndtri(0.025 / of) / ndtri(0.025))
    value = audit.share or 0.0
    if (
        audit.ci95 is not None
        and (low > 0 or high < 0)
        and (value - wide * (value - low) <= 0 <= value + wide * (high - value))
    ):
        return (
            f"uncertain, {share} ({many}): the 95 % interval leaves out 0, one {wide:.1f} times as wide, "
            f"as {of} subsets at once need, does not."
        )
    if low > 0 and audit.ci95 is not None:
        least = f"{written.number(100 * low)} %"
        return (
            f"at least {least} of the items can be solved without the image: less those whose foil is found, {share} "
            f"({many})."
        )
    if low > 0:
        of_items = "items" if written.counted(audit.share, audit.n) else "of the items"
        return f"{share} {of_items} are solved without the image beyond luck, without an interval ({many})."
    if high < 0:
        return f"the texts mislead: {many} find a foil more often than the truth ({share})."
    return f"no more items than by luck are solved without the image: {share} ({many})."


def table(found: list[Audit]) -> Markup:
    """HTML: a row a subset, a column a scorer."""
    models = list(dict.fromkeys((s.name, s.source) for audit in found for s in audit.scorers))
    names = colours.labels(name for name, _ in models)
    heads = Markup().join(
        Markup('<th scope="col" title="{}">{}<br><small>{}</small></th>').format(
            TIP, names[name], "a blind language model" if source == "self" else f"P(t) from {prior_name(source)}"
        )
        for name, source in models
    )
    body = Markup()
    for audit in found:
        by_model = {(s.name, s.source): s for s in audit.scorers}
        cells = Markup()
        for model in models:
            scorer = by_model.get(model)
            cells += Markup("<td>{}</td>").format(
                DASH
                if scorer is None
                else pieces(f"{written.percent(scorer.accuracy.value)} ({written.percent(scorer.exchanged)})")
            )
        enough = len(audit.scorers) >= ENOUGH
        body += Markup('<tr><th scope="row">{} <small>{}</small></th><td>{}</td><td>{}</td>{}</tr>').format(
            title(audit.subset), Protocol(audit.protocol).info.title,
            pieces(written.rate(audit.share, audit.n, audit.ci95)) if enough else "two blind scorers are needed",
            f"{len(audit.solvable):,}" if enough else DASH, cells,
        )  # fmt: skip
    top = Markup('<th scope="col">items</th>{}{}').format(
        Markup().join(map(column_head, ("solved without the image", "item by item"))), heads
    )
    return scrolled("solved without the image", top, body)


def _open(benchmark: stored.StoredBenchmark, found: list[Audit]) -> None:
    with st.container(horizontal=True, gap="small"):
        for audit in found:
            if audit.solvable and st.button(
                f"{count(len(audit.solvable), 'item')} of {title(audit.subset)} solved blind",
                icon=":material/arrow_forward:",
                key=f"blind-{audit.protocol}-{audit.subset}",
            ):  # fmt: skip
                to_failures.go(benchmark, audit.solvable, f"solved without the image, {audit.subset}")
