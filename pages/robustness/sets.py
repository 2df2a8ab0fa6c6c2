"""Robustness: how fine-grained a set of captions is, and another one beside it."""

from typing import get_args

import streamlit as st
from markupsafe import Markup

from backend.benchmarks.granular import Texts
from backend.perturb.estimates import Estimate
from backend.perturb.granularity import Granularity, Row, compare
from backend.taxonomy import title
from pages.robustness import data
from pages.shared.data import stored
from pages.shared.drawing.numbers import count, score
from pages.shared.drawing.signs import OPEN
from pages.shared.frame import address, namesakes
from pages.shared.frame.header import chart_caption, section
from pages.shared.frame.style import show
from pages.shared.frame.tips import column_head

TEXTS = {"truth": "true captions", "foils": "false captions", "all": "all captions"}
NONE, ALL = "no other set", "all"


def draw(benchmark: stored.StoredBenchmark) -> None:
    """Two sets, feature by feature."""
    section("How fine-grained are the captions?", "features of the brittleness paper, section 3.1")
    known = data.sets()
    names = [benchmark.name, *(name for name in known if name != benchmark.name)]
    names = [name for name in names if name in known]
    for key in ("set_a", "set_b"):
        namesakes.follow_name(key, {name: of for name, (of, _) in known.items()})
    one, two, three = st.columns(3, gap="medium")
    with one:
        a = (
            st.selectbox("Set", names, key=address.option("set_a", names, names[0]), index=address.index("set_a"))
            or names[0]
        )
        part_a = _part("part_a", known[a][1])
    others = [NONE, *names]
    with two:
        b = (
            st.selectbox(
                "Compared with", others, key=address.option("set_b", others, NONE), index=address.index("set_b")
            )
            or NONE
        )
        part_b = _part("part_b", known[b][1]) if b != NONE else None
    with three:
        said = st.selectbox(
            "Captions", list(TEXTS), key=address.option("texts", list(TEXTS), "truth"), index=address.index("texts"),
            format_func=TEXTS.__getitem__,
        )  # fmt: skip
    texts: Texts = next((each for each in get_args(Texts) if each == said), "truth")
    first, n = data.granularity(known[a][0], texts, part_a)
    other, m = data.granularity(known[b][0], texts, part_b) if b != NONE else (None, 0)
    label_a = a if part_a is None else f"{a}, {part_a}"
    label_b = b if part_b is None else f"{b}, {part_b}"
    if not first.captions or (other is not None and not other.captions):
        lacking = label_a if not first.captions else label_b
        chart_caption(f"{lacking} has no {TEXTS[texts]}. Choose other captions or another set.")
        return
    show(table(label_a, first, label_b, other))
    sampled = [f"{name}: a random sample of {g.captions:,} of {total:,}" for name, g, total in
               ((label_a, first, n), (label_b, other, m)) if g is not None and g.captions < total]  # fmt: skip
    chart_caption(
        f"Means over distinct captions ({TEXTS[texts]}) with the ends of their 95 % interval; differences take the two "
        f"sets as independent. {OPEN}: the interval of the difference holds zero. The bar: the second mean over the "
        "first; the line in its middle is a ratio of 1. " + ("; ".join(sampled) + ". " if sampled else "")
        + "Depth and diversity count only words that the lexicon knows; how many it knows stands below."
    )  # fmt: skip
    show(known_words([(label_a, first), *([(label_b, other)] if other is not None else [])]))


def _part(key: str, subsets: dict[str, int]) -> str | None:
    if len(subsets) < 2:
        return None
    options = [ALL, *subsets]
    chosen = st.selectbox(
        "Subset", options, key=address.option(key, options, ALL), index=address.index(key), format_func=title
    )
    return None if chosen in (None, ALL) else chosen


def table(a: str, first: Granularity, b: str, other: Granularity | None) -> Markup:
    """HTML: a row a feature."""
    rows = compare(first, other if other is not None else first)
    heads = [a] if other is None else [a, b, "difference", "ratio"]
    top = Markup().join(map(column_head, heads))
    body = Markup()
    for row in rows:
        where = f"section {row.feature.where}" if row.feature.where else "not in the paper"
        tip = f"{where}; {row.feature.ours}" if row.feature.ours else where
        cells = Markup("<td>{}</td>").format(_mean(row.a)) + (
            Markup("<td>{}</td>{}").format(_mean(row.b), _difference(row)) if other is not None else ""
        )
        body += Markup('<tr><th scope="row">{}<small>{}</small></th>{}</tr>').format(row.feature.title, tip, cells)
    return Markup(
        '<div class="fs-scroll" tabindex="0" role="region" aria-label="features of the captions">'
        '<table class="fs-table fs-sets"><thead><tr><th scope="col">feature</th>{}</tr>'
        "</thead><tbody>{}</tbody></table></div>"
    ).format(top, body)


def _mean(found: Estimate) -> Markup:
    within = "" if found.ci95 is None else Markup("<small>{}</small>").format(_ends(found.ci95))
    return Markup("<b>{}</b>{}").format(score(found.mean), within)


def _ends(ci95: tuple[float, float], signed: bool = False) -> str:
    return f"[{score(ci95[0], signed)}, {score(ci95[1], signed)}]"


def _difference(row: Row) -> Markup:
    mark = f" {OPEN}" if row.clear is False else ""
    within = "" if row.ci95 is None else Markup("<small>{}</small>").format(_ends(row.ci95, signed=True))
    return Markup("<td><b>{}{}</b>{}</td><td>{}</td>").format(
        score(row.difference, signed=True), mark, within, ratio(row)
    )


def ratio(row: Row) -> Markup:
    """The second mean over the first as a bar around 1, on a logarithmic scale from a quarter to four times."""
    from math import log2

    if not row.a.mean or not row.b.mean:
        return Markup("–")
    times = row.b.mean / row.a.mean
    at = 50 + 25 * max(-2.0, min(2.0, log2(times)))
    left, width = min(at, 50.0), abs(at - 50.0)
    return Markup(
        '<div class="fs-ratio" role="img" aria-label="{:.2f} times">'
        '<i style="left:{:.1f}%;width:{:.1f}%"></i>'
        "<b></b></div><small>× {:.2f}</small>"
    ).format(times, left, width, times)


def known_words(sets: list[tuple[str, Granularity]]) -> Markup:
    """HTML: what the lexicon knows of each set."""
    lines = []
    for name, found in sets:
        c = found.coverage
        lines.append(
            Markup(
                "<p class='fs-caption'><b>{name}</b>: {count}, vocabulary of "
                "{vocabulary:,} words; known to the lexicon: {nouns_known:,} of {nouns:,} nouns, "
                "{adjectives_known:,} of {adjectives:,} adjectives.</p>"
            ).format(
                name=name,
                count=count(found.captions, "caption"),
                vocabulary=found.vocabulary,
                nouns_known=c.nouns_known,
                nouns=c.nouns,
                adjectives_known=c.adjectives_known,
                adjectives=c.adjectives,
            )
        )
    return Markup().join(lines)
