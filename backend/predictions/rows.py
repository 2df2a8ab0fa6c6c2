"""Tables of predictions: scores as `export --what scores` writes them, simpler ones, and verdicts."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from backend.benchmarks.custom import tables
from backend.benchmarks.custom.cells import Record, one, several, word
from backend.benchmarks.custom.columns import columns, described
from backend.benchmarks.custom.roles import ROLES, plain
from backend.benchmarks.reading.delimited import decimal_comma
from backend.benchmarks.reading.malformed import Malformed
from backend.errors import UsageError
from backend.items import Kind
from backend.predictions import labels
from backend.predictions.claim import About, Claim, GivenScale, Place, Said, Score, Unmatched, Verdict

#: What a column is -> the names by which it is known, as `plain` writes them.
NAMES: dict[str, tuple[str, ...]] = {
    "label": ("label",),
    "id": ("item_id", "id", "item", "key", "uid", "example_id"),
    "subset": ("subset", "part", "task", "split"),
    "image_index": ("image_index", "image_idx"),
    "text_index": ("text_index", "text_idx", "caption_index", "caption_idx"),
    "text_index_b": ("text_index_b",),
    "sample": ("sample",),
    "n_tokens": ("n_tokens", "num_tokens", "tokens"),
    "kind": ("kind",),
    "value": ("value", "score", "similarity", "sim", "logit", "cosine", "prob", "probability"),
    "right": ("correct", "is_correct", "right", "hit"),
    "chosen": ("chosen", "chosen_text", "choice", "answer", "prediction", "pred", "selected", "multiple_choice_answer"),
    "text_score": ("text_score", "text_correct"),
    "order": ("order", "order_of_asking"),
    "image": ROLES["image"].names,
    "caption": ROLES["caption"].names,
}
#: One column a caption (`score_0`), and one a cell of a quad (`c1_i0`: caption 1 with image 0), as Winoground has it.
_BY_TEXT = re.compile(r"(?:score|value|sim|logit|prob)_?(\d+)")
_BY_CELL = re.compile(r"c(\d)_?i(\d)")
#: Names of columns that say on which scale their numbers are.
_SCALES = {"prob": GivenScale.PROBABILITY, "probability": GivenScale.PROBABILITY, "logit": GivenScale.LOG_ODDS}
#: The columns of `export --what scores`, whose numbers of itm and vqa are log-odds. A table that has all eight was
#: written by it: nobody who makes a table of their own writes down the three that stay empty.
_EXPORTED = {"item_id", "kind", "image_index", "text_index", "text_index_b", "sample", "value", "n_tokens"}
_TRUE, _FALSE = ("true", "1", "yes", "right", "correct"), ("false", "0", "no", "wrong", "incorrect")
_HOW = (
    "Expected item_id with text_index (and image_index) and value, as export --what scores writes them; or image, "
    "caption and score; or item_id and correct, or chosen; or label (7_c0_i1) and score."
)


@dataclass
class Header:
    """What the columns of a table are: role -> column."""

    roles: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    by_text: dict[int, str] = field(default_factory=dict)
    by_cell: dict[tuple[int, int], str] = field(default_factory=dict)
    negatives: list[str] = field(default_factory=list)
    exported: bool = False

    @classmethod
    def of(cls, names: Sequence[str]) -> "Header":
        """The roles that the names tell; each role takes its likeliest column."""
        found = cls(exported=set(names) >= _EXPORTED)
        for name in names:
            known = plain(name)
            if known in set(Kind) - {Kind.VERDICT, Kind.SCORE}:  # a column `score` says of no score what it is
                found.kinds[known] = name
            elif match := _BY_CELL.fullmatch(known):
                found.by_cell[int(match[1]), int(match[2])] = name
            elif match := _BY_TEXT.fullmatch(known):
                found.by_text[int(match[1])] = name
            elif ROLES["negative"].fits(known):
                found.negatives.append(name)
        for role, spellings in NAMES.items():
            there = {plain(name): name for name in names}
            if name := next((there[each] for each in spellings if each in there), ""):
                found.roles[role] = name
        return found

    @property
    def is_scores(self) -> bool:
        """Whether there is a column of numbers."""
        return bool("value" in self.roles or self.kinds or self.by_text or self.by_cell)

    def said(self, name: str) -> Said | None:
        """The scale of a column's numbers, where its name or the whole table tells it."""
        if self.exported and name == "value":
            return Said(GivenScale.LOG_ODDS, "the columns of `export --what scores`")
        scale = _SCALES.get(re.sub(r"_?\d+$", "", plain(name)))
        return None if scale is None else Said(scale, f"the column '{name}'")

    @property
    def is_verdicts(self) -> bool:
        """Whether there is a column of verdicts."""
        return bool({"right", "chosen", "text_score"} & set(self.roles))


def claims(path: Path) -> Iterator[Claim | Unmatched]:
    """Every row's statements. UsageError where the columns say neither scores nor verdicts, or of what."""
    known = columns(path)
    _refuse_alike(path, [column.name for column in known])
    header = Header.of([column.name for column in known])
    if not (header.is_scores or header.is_verdicts) or not ({"id", "caption", "label"} & set(header.roles)):
        raise UsageError(f"{path}: no predictions are recognised. {described(known)} {_HOW}")
    return _claims(path, header)


def _refuse_alike(path: Path, names: Sequence[str]) -> None:
    """UsageError where two columns that would be read have one name but for capitals, blanks and joints."""
    spelled = {each for spellings in NAMES.values() for each in spellings} | set(Kind)
    seen: dict[object, str] = {}
    for name in names:
        known = plain(name)
        numbered = _BY_CELL.fullmatch(known) or _BY_TEXT.fullmatch(known)
        if not (numbered or known in spelled):
            continue
        first = seen.setdefault((numbered.re, numbered.groups()) if numbered else known, name)
        if first != name:
            raise UsageError(
                f"{path}: the columns '{first}' and '{name}' are one name, and which of them counts is not known. "
                "Rename one of them."
            )


def _claims(path: Path, header: Header) -> Iterator[Claim | Unmatched]:
    for key, record in tables.records(path):
        place = Place(path.name, key)
        try:
            cells = _checked(record)
            about = _about(header, cells, path.stem, key)
            if header.is_scores:
                yield from _scores(header, cells, about, place, _label(header, cells))
            else:
                yield _verdict(header, cells, about, place)
        except Malformed as reason:
            yield Unmatched(place, str(reason))


def _checked(record: Any) -> Record:
    if isinstance(record, Malformed):
        raise record
    if not isinstance(record, dict):
        raise Malformed("is no object with columns")
    return record


def _about(header: Header, record: Record, stem: str, key: int | str) -> About:
    """The item that a row is about. An id may be whole, or what stands behind the subset."""
    label = _label(header, record)
    said = label.item if label else word(record, header.roles.get("id", ""))
    if not said and "id" not in header.roles and isinstance(key, str) and not key.isdecimal():
        said = key
    subset = word(record, header.roles.get("subset", ""))
    ids = tuple(dict.fromkeys([said, *([f"{subset}/{said}"] if subset else []), f"{stem}/{said}"])) if said else ()
    image, caption = (header.roles.get(role, "") for role in ("image", "caption"))
    negatives = several(record, header.negatives) if header.negatives and not said else []
    about = About(ids, word(record, image), _text(record, caption), tuple(negatives))
    if not about.ids and not about.caption:
        raise Malformed(f"names no item: {_nameless(header, record)}")
    return about


def _nameless(header: Header, record: Record) -> str:
    """Why a row names no item."""
    if said := word(record, header.roles.get("label", "")):
        return f"the label is '{said[:40]}', expected an item, a caption and an image of it, 0 or 1 each, as 7_c0_i1"
    named = [name for name in ("label", "id", "caption") if name in header.roles]
    return f"its {header.roles[named[0]]} is blank" if named else "no caption"


def _label(header: Header, record: Record) -> labels.Label | None:
    """What a column `label` names, where it is spelt as Winoground spells it; a class, say, names no cell."""
    return labels.parse(word(record, header.roles.get("label", "")))


def _text(record: Record, name: str) -> str:
    value = record.get(name) if name else None
    return "" if value is None or value == "" else one(value, name)


def _scores(
    header: Header, record: Record, about: About, place: Place, label: labels.Label | None = None
) -> Iterator[Score]:
    image, text, text_b, sample, n_tokens = (
        _whole(record, header.roles.get(role, ""))
        for role in ("image_index", "text_index", "text_index_b", "sample", "n_tokens")
    )
    if label is not None:
        image, text = label.image, label.caption
    kind, order = word(record, header.roles.get("kind", "")), _order(header, record, place)
    named = [(header.roles["value"], kind)] if "value" in header.roles else []
    found = 0
    for name, its_kind in [*named, *((name, kind) for kind, name in header.kinds.items())]:
        if record.get(name) not in (None, ""):
            found += 1
            number, said = _number(record, name), header.said(name)
            yield Score(about, place, number, its_kind, image, text, text_b, sample, n_tokens, said, order)
    for (caption, picture), name in header.by_cell.items():
        found += 1
        yield Score(about, place, _number(record, name), kind, picture, caption, order=order)
    for caption, name in header.by_text.items():
        if record.get(name) not in (None, ""):
            found += 1
            number, said = _number(record, name), header.said(name)
            yield Score(about, place, number, kind, max(image, 0), caption, said=said, order=order)
    if not found:
        raise Malformed("has no score")


def _verdict(header: Header, record: Record, about: About, place: Place) -> Verdict:
    order = _order(header, record, place)
    image = _whole(record, header.roles.get("image_index", ""))
    if "text_score" in header.roles:
        return Verdict(about, place, _truth(record, header.roles["text_score"]), None, order, image, "text_score")
    right = _truth(record, header.roles["right"]) if "right" in header.roles else None
    chosen: str | int | None = None
    if name := header.roles.get("chosen"):
        chosen = _choice(record.get(name), name)
    return Verdict(about, place, right, chosen, order, image)


def _order(header: Header, record: Record, place: Place) -> str:
    """The order of asking that a row names, "" for none. UsageError for what is no name at all: without the rows of one
    order the others' would be all that a system was asked."""
    try:
        return word(record, header.roles.get("order", ""))
    except Malformed as reason:
        raise UsageError(f"{place}: {reason}, the name of an order of asking. Nothing was added.") from None


def unread_order(path: Path) -> str:
    """What is said of a table without an order of asking that has a column which may be one; "" of every other."""
    names = [column.name for column in columns(path)]
    if "order" in Header.of(names).roles:
        return ""
    maybe = [name for name in names if {"order", "orders", "ordering"} & set(re.split(r"[^a-z]+", plain(name)))]
    if not maybe:
        return ""
    return (
        f"{path.name}: the column '{maybe[0][:60]}' is not read. If it says in which order the captions were shown, "
        "call it order: without it a second answer to the same item only repeats the first, or contradicts it."
    )


def _choice(value: Any, name: str) -> str | int:
    """What was chosen: words, or a number, which pandas writes as 0.0 where other cells are blank; "" for neither."""
    if isinstance(value, bool):
        raise Malformed(f"'{name}' is true or false, expected the caption's words or its number")
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) else "" if value is None else str(value)


def _truth(record: Record, name: str) -> bool:
    value = record.get(name)
    said = str(value).strip().lower() if value is not None else ""
    said = said.removesuffix(".0")
    if said in _TRUE or said in _FALSE:
        return said in _TRUE
    raise Malformed(f"'{name}' is {said[:40]!r}, expected true or false" if said else f"'{name}' is blank")


def _number(record: Record, name: str) -> float:
    value = record.get(name)
    try:
        said = value.replace("_", "x") if isinstance(value, str) else value  # Python reads 1_000
        found = float(said) if not isinstance(said, bool) else math.nan  # type: ignore[arg-type]
    except (TypeError, ValueError):
        if isinstance(value, str) and decimal_comma(value):
            raise Malformed(
                f"'{name}' is {value.strip()[:40]!r}, with a decimal comma; expected a decimal point, as in 0.53"
            ) from None
        raise Malformed(f"'{name}' is {str(value)[:40]!r}, expected a number") from None
    if not math.isfinite(found):
        raise Malformed(f"'{name}' is {str(value)[:40]}, no finite number")
    return found


def _whole(record: Record, name: str) -> int:
    said = word(record, name)
    if not said:
        return -1
    if not said.isdecimal():
        raise Malformed(f"'{name}' is {said[:40]!r}, expected a number from 0")
    return int(said)
