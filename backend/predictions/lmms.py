"""lmms-eval's sample logs (`*_samples_<task>.jsonl`): one answer a line, counted by `doc_id` in the data set's order.

Which item a line is about is told by the captions in its `doc`, within the subset that the task's name holds; where
there are none, two things are guessed, and said: that `doc_id` counts that part's items from 0, and, where no metric of
the line is 0 or 1, that an answer is right where it begins as the target does.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

from backend.benchmarks.custom import tables
from backend.benchmarks.reading.malformed import Malformed
from backend.errors import FlipsideError
from backend.predictions.claim import About, Claim, Place, Unmatched, Verdict

GUESS: Final = (
    "read as lmms-eval's sample log: an item is known by the captions in doc, else doc_id counts the items of the "
    "task's subset from 0 in their order, and an answer is right where the line's own metric is 1, else where it "
    "begins with the target"
)
ANSWERS: Final = ("filtered_resps", "resps")
#: A line's own verdict, the first that is 0, 1, true or false.
METRICS: Final = ("acc", "accuracy", "exact_match", "correct", "score")
#: What stands before the task in a file's name, and after it.
_TASK: Final = re.compile(r"^.*?samples_|_\d{4}-?\d{2}-?\d{2}T?[\d.:-]*$")
#: The names of texts that are captions of the item.
_CAPTION: Final = re.compile(r"caption|sentence|statement", re.IGNORECASE)
_WORD: Final = re.compile(r"[\w.+-]+", re.UNICODE)


def recognises(path: Path) -> bool:
    """Whether one of a file's first records is such a line."""
    if path.suffix not in (".jsonl", ".json"):
        return False
    try:
        first = [record for _, record in islice(tables.records(path), 3)]
    except FlipsideError:
        return False
    return any(isinstance(each, Mapping) and "doc_id" in each and _answer(each) is not None for each in first)


def claims(path: Path) -> Iterator[Claim | Unmatched]:
    """A verdict for each line."""
    task = _TASK.sub("", path.stem)
    of = 1 + max((number for _, record in tables.records(path) if (number := _number(record)) is not None), default=-1)
    for key, record in tables.records(path):
        place = Place(path.name, key)
        try:
            if isinstance(record, Malformed) or not isinstance(record, Mapping):
                raise Malformed("is no record of an answer")  # noqa: TRY301
            if (number := _number(record)) is None:
                said = str(record.get("doc_id"))[:40]
                raise Malformed(f"doc_id is {said!r}, expected a number from 0")  # noqa: TRY301
            texts = tuple(_texts(record.get("doc")))
            captions = tuple(text for name, text in texts if _CAPTION.search(name) and len(text.split()) > 1)
            about = About(position=number, of=of, task=task, texts=tuple(text for _, text in texts), captions=captions)
            yield Verdict(about, place, _right(record))
        except Malformed as reason:
            yield Unmatched(place, str(reason))


def _number(record: Any) -> int | None:
    """The line's `doc_id`; None where it is no number from 0."""
    number = record.get("doc_id") if isinstance(record, Mapping) else None
    return None if isinstance(number, bool) or not isinstance(number, int) or number < 0 else number


def _texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """The texts of a document, each with the name that it stands under."""
    if isinstance(value, str) and value.strip():
        yield name, value.strip()
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts(inner, str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, name)


def _right(record: Mapping[str, Any]) -> bool:
    for name in METRICS:
        value = record.get(name)
        value = value.get("score") if isinstance(value, Mapping) else value
        if isinstance(value, int | float) and value in (0, 1):
            return bool(value)
    target, answer = record.get("target"), _answer(record)
    if answer is None or target is None or not str(target).strip():
        raise Malformed("has neither a metric that is 0 or 1 nor an answer with a target")
    wanted = _WORD.findall(str(target).lower())
    return bool(wanted) and [word.strip(".") for word in _WORD.findall(answer.lower())[: len(wanted)]] == wanted


def _answer(record: Mapping[str, Any]) -> str | None:
    """The reply, out of the lists that may be around it."""
    value = next((record[name] for name in ANSWERS if name in record), None)
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, str) else None
