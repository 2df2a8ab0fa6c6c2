"""Statements into rows of scores: each cell once, and a list of what belongs nowhere."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from backend.benchmarks.reading.malformed import Malformed
from backend.errors import UsageError
from backend.items import Kind, Protocol
from backend.kinds import ORDER, PROBABILITIES, SPOKEN, listed
from backend.names import MOST_ORDERS, composed, order_fault
from backend.predictions.claim import UNNAMED, Claim, GivenScale, Place, Score, Unmatched, Verdict
from backend.predictions.contests import answer, contests
from backend.predictions.finding import Cell, Items
from backend.predictions.ids import Ids
from backend.predictions.parts import Key, Part
from backend.predictions.scale import Numbers, Reading

#: How far above 0 rounding may carry a sum of log-probabilities.
ROUNDING = 1e-3
#: What the columns of a run hold: scores in single precision, counts in 16 bits (engine/storage/schema.py).
LARGEST, MOST = 3.4e38, 32_767
#: log P(t) of the system's own, where it gives nothing else, and where it gives log P(t|i), too.
BLIND, BESIDE_GEN = "prior@self", "prior@predicted"


class Taken(NamedTuple):
    """What became of a statement. some: whether any of its rows was new. again: what is said of those that were not."""

    some: bool
    again: str = ""


@dataclass
class Matched:
    """What came of all files. parts: kind (or order of asking) -> rows. statements: how many belong to an item;
    unnamed: scores that name no kind; only_text: those that name no text, which was the item's only one. orders: the
    names of orders of asking as they came first, by these in small letters. readings: on which scale numbers of itm and
    vqa were read. ids: those of the statements, None for rows that came without any."""

    parts: dict[str, Part] = field(default_factory=dict)
    unmatched: list[Unmatched] = field(default_factory=list)
    statements: int = 0
    unnamed: int = 0
    only_text: int = 0
    orders: dict[str, str] = field(default_factory=dict)
    readings: list[Reading] = field(default_factory=list)
    ids: Ids | None = None

    @property
    def guesses(self) -> list[str]:
        """What the statements leave open and how it was read, a sentence each."""
        found = [each.guess for each in self.readings if each.guess]
        if self.only_text:
            found.append(
                f"{self.only_text:,} scores name neither text_index nor caption and were taken for the only text of "
                "their item."
            )
        return found

    @property
    def hints(self) -> list[str]:
        """What to do about ids that no item has, a sentence each."""
        return self.ids.hints() if self.ids else []

    def order(self, name: str, place: Place) -> str:
        """The part of an order of asking. `First` and `first` are one: nobody asks in two that differ by a capital, and
        as two each would have half of the answers. UsageError for what no order is called, and for one more than a
        system has: without the rows of one order the others' would be all that a system was asked."""
        name = composed(name.strip())
        if name and (fault := order_fault(name)):
            raise UsageError(f"{place}: {fault}. Give it another name. Nothing was added.")
        if name and name.casefold() not in self.orders and len(self.orders) == MOST_ORDERS:
            raise UsageError(
                f"{place}: names one order of asking more, '{name}'; a system has at most {MOST_ORDERS}, as many as "
                "four captions have. If the column says something else, give it another name. Nothing was added."
            )
        return f"{ORDER}{self.orders.setdefault(name.casefold(), name) if name else ''}"

    def items_of(self, part: str) -> set[int]:
        """The items that have rows in a part."""
        return {key[0] for key in self.parts[part].rows}


def match(
    claims: Iterable[Claim | Unmatched], items: Items, kind: Kind | None = None, scale: GivenScale | None = None
) -> Matched:
    """Every statement in the rows that it means. kind: of scores that say none. scale: of numbers of itm and vqa, None
    to read it off the files. UsageError where numbers are not on the scale that is said, or none are of these kinds."""
    ids = Ids(items)
    found = Matched(ids=ids)
    numbers: dict[str, Numbers] = {}
    for claim in claims:
        if isinstance(claim, Unmatched):
            found.unmatched.append(claim)
            continue
        ids.note(claim)
        try:
            if isinstance(claim, Score):
                taken = _score(found, claim, items, kind, numbers)
            else:
                taken = _verdict(found, claim, items)
            if taken.again:
                found.unmatched.append(Unmatched(claim.place, taken.again))
            found.statements += taken.some
        except Malformed as reason:
            found.unmatched.append(Unmatched(claim.place, str(reason)))
    _on_one_scale(found, numbers, scale)
    if BLIND in found.parts and Kind.GEN in found.parts:
        found.parts[BESIDE_GEN] = found.parts.pop(BLIND)
    return found


def _on_one_scale(found: Matched, numbers: dict[str, Numbers], scale: GivenScale | None) -> None:
    """Probabilities of itm and vqa become log-odds."""
    if scale is not None and not numbers:
        raise UsageError(
            f"--scale {scale} is about numbers of {listed(PROBABILITIES, 'and')}, and there are none. --kind "
            "says what those are that name no kind."
        )
    for name, each in numbers.items():
        values, readings = each.stored(scale)
        found.readings += readings
        if name in found.parts:
            found.parts[name].values = array("f", values.tobytes())


def _score(found: Matched, claim: Score, items: Items, kind: Kind | None, numbers: dict[str, Numbers]) -> Taken:
    name = claim.kind or (kind or UNNAMED)
    kind_, _, order = name.partition("@")
    if kind_ not in set(Kind) or (order and kind_ != Kind.VERDICT):
        raise Malformed(f"the kind '{name}' is unknown; kinds are {', '.join(Kind)}")
    asked = found.order(_order(claim, kind_, order), claim.place)
    if abs(claim.value) > LARGEST:
        raise Malformed(f"{claim.value:g} is too large for a score")
    if max(claim.n_tokens, claim.sample) > MOST:
        raise Malformed(f"{max(claim.n_tokens, claim.sample):,} tokens or samples are more than the {MOST:,} that fit")
    if name in SPOKEN and claim.n_tokens < 1:
        raise Malformed(f"kind {name} is a sum over tokens and needs their number, n_tokens")
    if name in SPOKEN and claim.value > ROUNDING:
        raise Malformed(f"kind {name} is a sum of log-probabilities, and {claim.value:g} is above 0")
    found.unnamed += not claim.kind
    seen = numbers.setdefault(name, Numbers(name)) if name in PROBABILITIES else None
    if seen is not None:
        seen.see(claim)
    stored = {Kind.PRIOR: BLIND, Kind.VERDICT: asked}.get(Kind(kind_), kind_)
    keys = _keys(claim, Kind(kind_), items)
    part = found.parts.setdefault(stored, Part())  # not before: a part without rows is none
    taken = [part.add(key, claim.value, claim.n_tokens) for key in keys]
    if seen is not None:
        seen.keep(claim, sum(taken))
    found.only_text += any(taken) and _names_no_text(claim)
    differs = [before for key in _old(keys, taken) if (before := part.value(key)) != np.float32(claim.value)]
    said = (str(np.float32(claim.value)), str(np.float32(differs[0]))) if differs else None
    return Taken(any(taken), _again(taken, said))


def _order(claim: Score, kind: str, order: str) -> str:
    """The order of asking that a score names, in its kind (`verdict@AB`) or in a column of its own. Malformed where
    these are two, and for numbers that nobody asked for in an order: which row counts would hang on theirs."""
    if not claim.order:
        return order
    if kind != Kind.VERDICT:
        raise Malformed(
            f"names the order of asking '{claim.order[:40]}', and is a score of kind {kind}; orders are kept of "
            "verdicts alone (a column correct or chosen, or the kind verdict). If the column says something else, give "
            "it another name"
        )
    if order and order.strip().casefold() != claim.order.strip().casefold():
        raise Malformed(
            f"names two orders of asking, '{order[:40]}' in its kind and '{claim.order[:40]}' in its column"
        )
    return claim.order


def _old(keys: Sequence[Key], taken: Sequence[bool]) -> list[Key]:
    """The keys of rows that were not taken, for they were there."""
    return [key for key, new in zip(keys, taken, strict=True) if not new]


def _again(taken: Sequence[bool], differs: tuple[str, str] | None) -> str:
    """What is said of a statement of which some was said before; "" where nothing was, or the rest of it says the same.
    differs: what it says and what was said before, where these are two."""
    if differs:
        rest = "; what else it says was taken" if any(taken) else ""
        return f"says {differs[0]} where {differs[1]} was said before; the first one is kept{rest}"
    return "" if any(taken) else "was said before; the first one is kept"


def _names_no_text(claim: Score) -> bool:
    """Whether a score is known by its item alone."""
    by_item = bool(claim.about.ids) or claim.about.position >= 0
    return by_item and claim.text_index < 0 and not claim.about.caption


def _keys(claim: Score, kind: Kind, items: Items) -> list[Key]:
    """The rows of a score: one by its indices, or every cell that holds its image and caption."""
    if not claim.about.ids and claim.about.position < 0:
        if kind in (Kind.T2T, Kind.VERDICT):
            raise Malformed(f"kind {kind} compares two texts; give item_id, text_index and text_index_b")
        cells = items.cells(claim.about)
        if kind == Kind.PRIOR:
            cells = [Cell(cell.item_no, -1, cell.text) for cell in cells]
        return [(*cell, -1, claim.sample) for cell in cells]
    number = items.number(claim.about)
    item = items.item_of(number)
    is_pool = item.protocol == Protocol.RETRIEVAL and kind != Kind.PRIOR
    n_texts = items.pools[item.subset] if is_pool else len(item.texts)
    text = claim.text_index if claim.text_index >= 0 else _text_of(claim, item.texts, n_texts)
    image = claim.image_index
    if kind in (Kind.PRIOR, Kind.T2T):
        image = -1
    elif image < 0:
        if len(item.images) > 1:
            raise Malformed(f"the item has {len(item.images)} images; say which one in image_index")
        image = 0
    pair = kind in (Kind.T2T, Kind.VERDICT)
    if pair and claim.text_index_b < 0:
        raise Malformed(f"kind {kind} compares two texts; give text_index and text_index_b")
    if not 0 <= text < n_texts or image >= len(item.images) or (pair and not 0 <= claim.text_index_b < n_texts):
        places = f"image {image}, text {text}" + (f", other text {claim.text_index_b}" if pair else "")
        raise Malformed(
            f"{item.item_id} has no {places}: it has {_of(len(item.images), 'image')} and "
            f"{_of(n_texts, 'text')}, from 0"
        )
    if kind == Kind.VERDICT and not 0.0 <= claim.value <= 1.0:
        raise Malformed(f"a verdict is a share from 0 to 1, not {claim.value}")
    return [(number, image, text, claim.text_index_b if pair else -1, claim.sample)]


def _of(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _text_of(claim: Score, texts: tuple[str, ...], n_texts: int) -> int:
    """The text that a score with an item's id is of: by its words, or the only one. n_texts: how many it may be of."""
    caption = claim.about.caption
    if not caption and n_texts == 1:
        return 0
    if not caption:
        raise Malformed(
            f"says neither text_index nor caption, so it is not known which of the item's {n_texts:,} texts is meant"
        )
    if caption not in texts:
        raise Malformed(f"the item has no caption '{caption[:60]}'")
    return texts.index(caption)


def _verdict(found: Matched, claim: Verdict, items: Items) -> Taken:
    number = items.item(claim.about)
    asked = found.order(claim.order, claim.place)
    item = items.item_of(number)
    held = contests(item, claim)
    part = found.parts.setdefault(asked, Part())  # not before: a part without rows is no order
    keys = [(number, one.image, one.text, one.other, -1) for one in held]
    taken = [part.add(key, one.share) for key, one in zip(keys, held, strict=True)]
    kept = [one._replace(share=part.value(key)) for key, one in zip(keys, held, strict=True)]
    said = None if kept == held else (answer(item, held), answer(item, kept))
    return Taken(any(taken), _again(taken, said))


def check_kind(kind: str | None) -> Kind | None:
    """The kind of `--kind`; UsageError for one that does not exist or that nobody gives as a number."""
    if kind is None:
        return None
    if kind not in set(Kind):
        raise UsageError(f"--kind {kind}: expected one of {', '.join(Kind)}.")
    return Kind(kind)
