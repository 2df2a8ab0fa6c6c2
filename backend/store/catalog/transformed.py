"""What a run's record says of another system's numbers that are not stored as its files have them."""

from collections.abc import Mapping
from typing import Any

from backend.items import Kind

#: Longest word of a record that is shown: it may have come in a bundle.
_LONGEST = 120


def notes(record: Mapping[str, Any]) -> list[str]:
    """A sentence for each kind whose probabilities were turned into log-odds (`model.transformations`).

    >>> each = {"kind": "vqa", "read_as": "probability", "stored_as": "log-odds", "by": "the column 'prob'"}
    >>> notes({"model": {"transformations": [each]}})[0][:70]
    "vqa: the files' numbers were read as probabilities (the column 'prob')"
    """
    model = record.get("model")
    said = model.get("transformations") if isinstance(model, Mapping) else None
    return [
        f"{each['kind']}: the files' numbers were read as probabilities ({str(each.get('by'))[:_LONGEST]}) and are "
        "stored as their log-odds; verdicts follow the files' own order."
        for each in (said if isinstance(said, list) else [])[: len(Kind)]
        if isinstance(each, Mapping) and str(each.get("kind")) in set(Kind)
    ]
