"""What happened, in a sentence and a small table: with intervals, on the same items, beside what any training does."""

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd
from markupsafe import Markup

from backend import written
from backend.metrics.reasons.names import CELLS
from backend.protocols import Protocol
from backend.store.compare.lineage import PLAIN, Lineage
from backend.taxonomy import title
from pages.compare.view import LEVEL
from pages.shared.data import findings
from pages.shared.data.frames import lines_of
from pages.shared.drawing import signs
from pages.shared.drawing.numbers import count, fixed
from pages.teach.changed.choice import ANY, FIRST, LAST, TWIN, Asked, Change

#: How many sources of data are named.
_MOST = 3


def headline(row: Any, change: Change, asked: Asked) -> Markup:
    """Whether after is right more often than what it stands against, and what was fixed and broken. row: of
    `compare.against`, after − left."""
    after, left = change.named[LAST].label, change.named[asked.left].label
    wrong, right = int(row.only_b + row.neither), int(row.both + row.only_a)
    if asked.left == TWIN:
        lead = Markup("{after} is right {often} {left}, the same {equal:,.0f} steps without its method: {by}.")
        counted = Markup(
            "Of {wrong:,} that {left} has wrong it has <b>{fixed:,} right</b>; of {right:,} that {left} has right it "
            "has <b>{broke:,} wrong</b>."
        )
    else:
        lead = Markup("After {steps:,.0f} steps {after} is right {often} {left} before: {by}.")
        counted = Markup(
            "The training <b>fixed {fixed:,}</b> of {wrong:,} wrong verdicts and <b>broke {broke:,}</b> of {right:,} "
            "right ones."
        )
    words: Mapping[str, Any] = {
        "after": after, "left": left, "steps": change.steps, "equal": _equal(change),
        "by": by(row, items(asked, int(row.n))),
        "often": _often(row),
        "fixed": int(row.only_b), "wrong": wrong, "broke": int(row.only_a), "right": right,
    }  # fmt: skip
    return Markup('<p class="tc-lead">{}</p><p class="tc-counted">{}</p>').format(
        lead.format(**words), counted.format(**words)
    )


def by(row: Any, what: str) -> Markup:
    """`by 3.2 points [2.1, 4.4] on 2,250 quads (p < .001)`; a signed difference where it is within chance."""
    beyond = row.p <= LEVEL and not _none(row.gain)
    size = abs(row.gain) if beyond else row.gain
    ends = _turned(row) if beyond else (row.low, row.high)
    number = Markup('<b class="{}" title="{}">{} points</b> {}').format(
        look(row.gain, row.p), tip(row), fixed(100 * size, 1, signed=not beyond),
        written.ends(ends, signed=not beyond),
    )  # fmt: skip
    within = "" if row.p <= LEVEL else ", within chance"
    return Markup("{} {} on {}{} ({})").format(
        "by" if beyond else "a difference of", number, what, within, written.p_value(row.p)
    )


def _often(row: Any) -> str:
    """A direction only where the difference is beyond chance."""
    if _none(row.gain):
        return "as often as"
    if row.p > LEVEL:
        return "neither surely more nor surely less often than"
    return "more often than" if row.gain > 0 else "less often than"


def _none(gain: float) -> bool:
    """Whether a difference is written as none."""
    return abs(100 * gain) < 0.05


def _equal(change: Change) -> float:
    """The steps of both trainings."""
    return change.lineage.step if change.lineage and change.lineage.step is not None else change.steps


def items(asked: Asked, n: int) -> str:
    """So many items of what kind, and of which concept."""
    counted = f"{n:,} {noun(asked.protocol, n)}"
    return counted if asked.group == ANY else f"{counted} of {title(asked.group)}"


def look(gain: float, p: float) -> str:
    """The class of a change: it has a colour only where it is beyond chance.

    >>> look(0.1, 0.01), look(-0.1, 0.2)
    ('fs-gain', '')
    """
    return signs.css_class(gain) if p <= LEVEL else ""


def noun(protocol: Protocol, n: int = 2) -> str:
    """What so many verdicts of a protocol are called.

    >>> noun(Protocol.QUAD, 1), noun(Protocol.CHOICE), noun(Protocol.RETRIEVAL)
    ('quad', 'choices', 'queries')
    """
    word = protocol.info.title if protocol in CELLS else "queries" if protocol == Protocol.RETRIEVAL else "verdicts"
    one = {"queries": "query"}.get(word, word.removesuffix("s"))
    return one if n == 1 else word


def tip(row: Any) -> str:
    """What a difference rests on, for a tip."""
    groups = count(int(row.clusters), "image or group", "images or groups")
    return (
        f"{count(int(row.n), 'verdict')} on {groups} of images; right on both {row.both:,}, on one alone "
        f"{row.only_a:,} and {row.only_b:,}, on none {row.neither:,}; 95 % interval by random halves of the images; "
        f"{written.p_value(row.p)}, exact paired test"
    )


def table(rates: pd.DataFrame, changes: pd.DataFrame, extra: Any, change: Change, ties: Mapping[int, int]) -> Markup:
    """How often each is right, its change from before, and what of it is the method's. rates: of `compare.rates`;
    changes: of `compare.against` with before as baseline; extra: its row of after against the plain training, or
    None; ties: position -> verdicts with a tie."""
    heads = Markup().join(
        Markup('<th scope="col" title="{}">{}</th>').format(tip, name)
        for name, tip in (
            ("right", "share of right verdicts, per cent, with its 95 % interval"),
            ("change from before", "points, on the same items, with the 95 % interval (random halves of the images)"),
        )
    )
    order = [FIRST, *([TWIN] if change.has_twin else []), LAST]
    names = {FIRST: "before", TWIN: "plain training", LAST: "after"}
    body = Markup()
    for at in order:
        rate = next(row for row in lines_of(rates) if row.side == at)
        found = changes[(changes["side"] == at) & (at != TWIN or change.from_base)]
        moved = _moved(lines_of(found)[0]) if len(found) else Markup('<td class="tc-none">–</td>')
        entry = change.named[at]
        body += Markup(
            '<tr><th scope="row"><span class="tc-role">{}</span>{}{}</th><td title="{}">{}<small>{}</small></td>{}</tr>'
        ).format(
            names[at], entry.dot, entry.label, f"n = {rate.n:,}; {ties.get(at, 0):,} ties, which count as wrong",
            fixed(100 * rate.value), written.ends((rate.low, rate.high)), moved,
        )  # fmt: skip
    if extra is not None:
        body += Markup(
            '<tr class="tc-extra"><th scope="row" colspan="2">the method’s own: after − plain training</th>{}</tr>'
        ).format(_moved(extra))
    return Markup(
        '<table class="fs-table tc-rates"><thead><tr><th scope="col" title="what was judged">checkpoint</th>{}</tr>'
        "</thead><tbody>{}</tbody></table>"
    ).format(heads, body)


def warning(change: Change, changes: pd.DataFrame, extra: Any) -> str:
    """What a change from before is made of, and where the method's part of it is seen."""
    if extra is not None and not change.from_base:
        return (
            "The plain training did not begin with what stands before here, but where the whole training did: set "
            "against it, after holds the method’s own part of all its steps."
        )
    if extra is not None:
        plain = lines_of(changes[changes["side"] == TWIN])[0]
        return (
            "A change from before holds what any training does: these steps, batches and data. The plain training had "
            f"all of that and changed by {fixed(100 * plain.gain, signed=True)} points; before is the same for both, "
            "so the method’s own part is the difference between the two, on the same items."
        )
    if change.lineage is not None and change.lineage.recipe == PLAIN:
        return "This is a plain training itself: what changed is the doing of its steps, batches and data."
    return (
        "This holds what any training does: its steps, its batches, its data. No plain training of equal steps (the "
        "recipe baseline, from the same model, on the same data) has been scored here, so nothing of it can be called "
        "the method’s."
    )


def made(change: Change) -> str:
    """How after came about, where its record says so; "" elsewhere."""
    of = change.lineage
    if of is None or not of.base:
        return ""
    steps = f", {of.step:,.0f} steps" if of.step is not None else ""
    sources = sourced(of)
    return (
        f"{change.named[LAST].label} was taught from {of.base} by the recipe {of.recipe or 'of its own'}{steps}"
        + (f", on {sources}" if sources else "") + "."
    )  # fmt: skip


def sourced(of: Lineage) -> str:
    """What a model was trained on, in words; "" where its record says nothing that can be read.

    >>> sourced(Lineage("b", "svlc", 9.0, '[{"world": 9600}, {"benchmark": "winoground", "items": 320}, 3]'))
    '9,600 fresh pairs of the bundled world (none is an item of it) and 320 items of winoground'
    """
    found = []
    for each in json.loads(of.trained_on):
        if not isinstance(each, Mapping):
            continue
        n = each.get("items")
        if isinstance(each.get("world"), int):
            found.append(f"{each['world']:,} fresh pairs of the bundled world (none is an item of it)")
        elif each.get("benchmark"):
            found.append(f"{f'{n:,}' if isinstance(n, int) else 'some'} items of {str(each['benchmark'])[:80]}")
        elif each.get("file"):
            found.append(f"the file {str(each['file'])[:80]}")
    more = len(found) - _MOST
    found = [*found[:_MOST], *([f"{more} more"] if more > 0 else [])]
    return " and ".join(filter(None, [", ".join(found[:-1]), *found[-1:]]))


def finding(row: Any, change: Change, asked: Asked, benchmark: str) -> str:
    """The sentence to be copied. row: after against left."""
    setting = [items(asked, int(row.n)).partition(" ")[2], change.named[LAST].side.setting.said(), benchmark]
    if asked.left == TWIN:
        recipe = change.lineage.recipe if change.lineage else ""
        setting.insert(
            0, f"difference of the changes by the recipes {recipe} and {PLAIN} after {_equal(change):,.0f} equal steps"
        )
    else:
        setting.insert(0, f"before and after {change.steps:,.0f} steps, which holds what any training does")
    a, b = change.named[asked.left].label, change.named[LAST].label
    return findings.difference(a, b, row, tuple(setting))


def _moved(row: Any) -> Markup:
    """A change as a cell."""
    return Markup('<td title="{}"><b class="{}">{}</b><small>{}</small></td>').format(
        tip(row), look(row.gain, row.p), fixed(100 * row.gain, signed=True),
        written.ends((row.low, row.high), signed=True),
    )  # fmt: skip


def _turned(row: Any) -> tuple[float, float] | None:
    """The interval of the size of a gain."""
    if row.low != row.low:
        return None
    return (row.low, row.high) if row.gain >= 0 else (-row.high, -row.low)
