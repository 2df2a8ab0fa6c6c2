"""SugarCrepe's GPT-4V result files: `gpt4v-<split>.json`, key -> record with the full text of the chosen caption.

Two folders hold the two orders of asking. The chosen caption is the empty string where the reply chose neither.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from backend.benchmarks.custom import tables
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.records import text
from backend.errors import FlipsideError
from backend.predictions.claim import About, Claim, Place, Unmatched, Verdict

ANSWER, CHOSEN = "answer", "multiple_choice_answer"
ORDERS = ("positive-first", "negative-first")
_PREFIX = "gpt4v-"


def recognises(path: Path) -> bool:
    """Whether a file is of this format: one of its first records has such an answer."""
    if path.suffix != ".json":
        return False
    try:
        first = [record for _, record in islice(tables.records(path), 3)]
    except FlipsideError:
        return False
    return any(isinstance(record, Mapping) and CHOSEN in (_answer(record) or ()) for record in first)


def claims(path: Path) -> Iterator[Claim | Unmatched]:
    """A verdict for each record; what is no record (one file has its accuracy among them) is listed."""
    order = path.parent.name if path.parent.name in ORDERS else ""
    subset = path.stem.removeprefix(_PREFIX)
    file = f"{path.parent.name}/{path.name}" if order else path.name
    for key, record in tables.records(path):
        place = Place(file, key)
        if not isinstance(record, Mapping):
            yield Unmatched(place, "is a value, no record of an answer")
            continue
        try:
            answer, right = _answer(record), record.get("correct")
            chosen = None if answer is None else answer.get(CHOSEN)
            if not isinstance(chosen, str):
                raise Malformed(f"has no '{ANSWER}' with a '{CHOSEN}'")  # noqa: TRY301
            if right is not None and not isinstance(right, bool):
                raise Malformed("'correct' is neither true nor false")  # noqa: TRY301
            caption, negative = text(record, "caption"), text(record, "negative_caption")
            image = text(record, "filename")
        except Malformed as reason:
            yield Unmatched(place, str(reason))
            continue
        ids = (f"{subset}/{key}", f"{path.stem}/{key}")
        yield Verdict(About(ids, image, caption, (negative,)), place, right, chosen, order)


def _answer(record: Mapping[str, Any]) -> Mapping[str, Any] | None:
    answer = record.get(ANSWER)
    return answer if isinstance(answer, Mapping) else None
