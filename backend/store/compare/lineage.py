"""What a run's record says of the training that made its model, and which plain training stands beside it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from backend.store.build.store import Store
from backend.store.catalog import catalog

#: The recipe of `flipside teach` that has the steps and the batches of the others, and no method.
PLAIN = "baseline"
#: Longest word of a record that is believed: it may have come in a bundle.
_LONGEST = 200


@dataclass(frozen=True)
class Lineage:
    """base: the spec of the model that was taught, "" where the record does not say; recipe: its name; step: after so
    many steps, None where unknown; trained_on: on what, as JSON with sorted keys, so that two can be compared."""

    base: str
    recipe: str
    step: float | None
    trained_on: str


def of_record(record: Mapping[str, Any]) -> Lineage | None:
    """What `run` wrote of a taught model; None for any other model, and for a record of another form.

    >>> said = {"base": "bundled:clip", "recipe": "eqsim", "step": 300, "trained_on": [{"world": 9600}]}
    >>> of_record({"model": {"taught": said}})
    Lineage(base='bundled:clip', recipe='eqsim', step=300.0, trained_on='[{"world": 9600}]')
    >>> of_record({"model": {"taught": "yes"}}), of_record({"model": None}), of_record({})
    (None, None, None)
    """
    model = record.get("model")
    said = model.get("taught") if isinstance(model, Mapping) else None
    if not isinstance(said, Mapping):
        return None
    step = said.get("step")
    known = isinstance(step, int | float) and not isinstance(step, bool) and step >= 0
    sources = said.get("trained_on")
    return Lineage(
        _word(said.get("base")), _word(said.get("recipe")), float(step) if known and step is not None else None,
        json.dumps(sources if isinstance(sources, list) else [], sort_keys=True, default=str),
    )  # fmt: skip


def plain_twin(store: Store, benchmark: str, model: str, run_id: str) -> tuple[str, str] | None:
    """(model, its default run) on a benchmark (hash) that was trained as `model` was, but by the plain recipe: the same
    base, the same number of steps, the same data. None for a model that was not taught, or by the plain recipe itself,
    and where there is no such other. Of several the first by name.

    The batches are then the same too, for a batch of `flipside teach` is a function of data, seed and step; the seed
    alone is in no record.
    """
    own = of_record(store.run(run_id).record)
    if own is None or not own.base or own.step is None or own.recipe in ("", PLAIN):
        return None
    wanted = Lineage(own.base, PLAIN, own.step, own.trained_on)
    known = catalog.models(store, benchmark)
    for other, run in zip(known["model"], known["run_id"], strict=True):
        if other != model and of_record(store.run(str(run)).record) == wanted:
            return str(other), str(run)
    return None


def _word(value: object) -> str:
    return value[:_LONGEST] if isinstance(value, str) else ""
