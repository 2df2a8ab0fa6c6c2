"""Robustness: how sensitive each model is to what a caption means rather than to how it is written; near misses."""

import streamlit as st
from markupsafe import Markup

from backend import written
from backend.items import Kind
from backend.metrics.statistics import Rate
from backend.store.labels.sensitive import Flips, Sensitive
from pages.robustness import data
from pages.shared.data import commands, stored
from pages.shared.drawing import colours, signs
from pages.shared.drawing.numbers import DASH, fixed, pieces
from pages.shared.frame import model_link, to_failures
from pages.shared.frame.header import chart_caption, empty, section
from pages.shared.frame.style import show
from pages.shared.frame.tips import column_head, kind_name

#: What the editions edit -> how it is said.
TEXTS = {"truth": "the true captions alone are edited", "all": "true and false captions are edited"}


def draw(benchmark: stored.StoredBenchmark) -> None:
    """A row a model and kind; a button opens its near misses in Failures."""
    section("Does the model react to the meaning, or to the wording?", "flips beyond the model's own, and d′")
    show(
        Markup(
            '<p class="fs-caption"><b>Sensitive</b>: edits that change the meaning flip more verdicts than edits that '
            "keep it, which change nothing that the caption says: what those flip is the model's own restlessness. "
            "<b>d′</b>: how much more margin is lost where the meaning changes, in standard deviations of the change; "
            "0 where both do the same. <b>Near miss ≈</b>: a wrong verdict whose margin is smaller than what "
            "meaning-preserving edits push it towards zero by.</p>"
        )
    )
    found = data.counts(benchmark.hash)
    if not found:
        empty(
            "No model has been scored on an edition of this benchmark",
            f"Make some: {commands.edited(benchmark, commands.EDITS, '--seeds 8')}, then "
            f"{commands.scored_edits(benchmark)}. Near misses need eight edits of an item that differ for the model."
            f"{commands.lacking(benchmark)}",
        )
        return
    show(table(found, benchmark.name))
    chart_caption(caption(found))
    _open(benchmark, found)


def caption(found: list[Sensitive]) -> str:
    """What to read from the table, with what the numbers rest on."""
    texts = " and ".join(dict.fromkeys(f"{TEXTS[c.texts]}" for c in found))
    said = (
        f"Flips: per cent of the items with edits, each item's mean over its editions ({texts}), so that the number of "
        "editions does not matter; “beyond” is their difference in points, by item, with its 95 % interval over "
        f"images. {signs.OPEN}: not to be told from none. d′ above 0: margin is lost where the meaning changes; below "
        "0: it falls more where the meaning is kept. A near miss needs eight edits that differ "
        "for the model (captions that it scores alike count once) and is a share of the wrong items that have them."
    )
    if any(c.texts == "all" and c.changed for c in found):
        said += (
            " Where false captions are edited, too, a wrong item gains margin as its captions grow alike; perturb "
            "--texts truth makes editions without that."
        )
    return said


def table(found: list[Sensitive], benchmark: str = "") -> Markup:
    """HTML: flips of both ways, d′ and near misses. benchmark: on which the models' pages show them."""
    names = colours.labels(c.model for c in found)
    ways = Markup(
        '<th colspan="3" scope="colgroup">right → wrong</th><th colspan="3" scope="colgroup">wrong → right</th>'
    )
    heads = Markup().join(map(column_head, 2 * ("meaning kept", "meaning changed", "beyond")))
    rest = Markup('<th rowspan="2" scope="col" title="{}">{}</th>')
    top = Markup("<tr>{}{}{}{}</tr><tr>{}</tr>").format(
        Markup('<th rowspan="2" scope="col">model</th>'),
        rest.format(
            "(mean change of the margin under edits that keep the meaning − under edits that change it) / "
            "√(mean of their two variances)",
            "d′",
        ),
        ways,
        rest.format(
            "Wrong items whose |margin| is below the 90th percentile of its change towards zero under eight or "
            "more meaning-preserving edits that differ for the model",
            "near misses",
        ),
        heads,
    )
    body = Markup().join(
        Markup(
            '<tr><th scope="row">{dot}{model} <small>{kind}</small></th><td>{d}</td>{lost}{won}<td>{near}</td></tr>'
        ).format(
            dot=colours.dot(c.model), model=model_link.named(c.model, benchmark, names[c.model]),
            kind=kind_name(c.kind), lost=_flips(c.lost, c), won=_flips(c.won, c), d=_d_prime(c),
            near=_share(c.near_miss),
        )
        for c in found
    )  # fmt: skip
    return Markup(
        '<div class="fs-scroll" tabindex="0" role="region" aria-label="flips, d′ and near misses of each model">'
        '<table class="fs-table"><thead>{}</thead><tbody>{}</tbody></table></div>'
    ).format(top, body)


def _flips(flips: Flips, of: Sensitive) -> Markup:
    """Three cells: under edits that keep the meaning, that change it, and the difference."""
    cell = Markup('<td title="{}">{}</td>')
    none = "no such edition was scored"
    kept = cell.format(", ".join(of.kept) or none, written.percent(flips.kept))
    changed = cell.format(", ".join(of.changed) or none, written.percent(flips.changed))
    beyond = flips.beyond
    if beyond.difference is None:
        return kept + changed + Markup("<td>{}</td>").format(DASH)
    low, high = beyond.ci95 or (-1.0, 1.0)
    mark = signs.OPEN if low <= 0 <= high else ""
    return kept + changed + Markup("<td><b>{}</b> {}<small>{}</small></td>").format(
        fixed(100 * beyond.difference, 1, signed=True), mark,
        pieces(f"{written.ends(beyond.ci95, signed=True)} (n = {beyond.n:,})"),
    )  # fmt: skip


def _d_prime(of: Sensitive) -> Markup:
    d = of.d_prime
    if d.d_prime is None:
        enough = d.n_changing > 1 and d.n_preserving > 1
        lacks = "no edit that changes the meaning" if not of.changed else "no edit that keeps the meaning"
        few = "verdicts without margins" if of.kind == Kind.VERDICT and enough else "too few edits"
        return Markup("{}<small>{}</small>").format(DASH, lacks if not (of.changed and of.kept) else few)
    low, high = d.ci95 or (d.d_prime, d.d_prime)
    rests = f"{d.n_preserving:,} edits that keep, {d.n_changing:,} that change the meaning"
    return Markup('<span title="{}"><b>{}</b> {}<small>{}</small></span>').format(
        rests, fixed(d.d_prime, 2, signed=True), signs.OPEN if low <= 0 <= high else "",
        written.ends(d.ci95, 1, 2, signed=True),
    )  # fmt: skip


def _share(rate: Rate) -> Markup:
    if rate.value is None:
        return Markup("{}<small>no wrong item with eight edits</small>").format(DASH)
    number, ends = written.cell(rate.value, rate.n, rate.ci95)
    few = " of" in number
    within = "" if few else Markup("<small>{}</small>").format(pieces(f"{ends} (n = {rate.n:,})"))
    return Markup("<b>{}</b>{}").format(number if few else f"{number} %", within)


def _open(benchmark: stored.StoredBenchmark, found: list[Sensitive]) -> None:
    names = colours.labels(c.model for c in found)
    with st.container(horizontal=True, gap="small"):
        for c in found:
            if not c.near:
                continue
            who = f"{names[c.model]}, {kind_name(c.kind)}"
            if st.button(f"{len(c.near):,} near misses: {who}", icon=":material/arrow_forward:",
                         key=f"near-{c.model}-{c.kind}"):  # fmt: skip
                to_failures.go(benchmark, c.near, f"near misses of {who}", model=c.model, kind=c.kind)
