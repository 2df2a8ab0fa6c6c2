"""Whether a bundle's run is of the system that it says: its id is made of weights, not of a name, so that a name alone
could be another's. Of predictions all is at hand, for their rows stand in the place of weights."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np

from backend.engine.storage import identity, schema, shards
from backend.items import Kind
from backend.kinds import ORDER, PREDICTIONS

#: The family of other systems' predictions, added here or fetched.
FAMILY = "predictions"
_KEY = schema.SCORES.names[:5]


def check_claim(record: Mapping[str, Any], parts: Mapping[str, Any]) -> None:
    """Spec, family, orders of asking and parts are those of one system. ValueError, in one sentence, where they are of
    two. record: run.json; parts: of manifest.json."""
    model = record["model"]
    spec, family = str(model["spec"]), model.get("family")
    ours = spec.startswith(PREDICTIONS)
    if ours != (family == FAMILY) and (not ours or family is not None):
        raise ValueError(f"its record says that it is of {spec[:60]}, and of the family {str(family)[:40]}")
    named = {part.removeprefix(ORDER) for part in parts if part.startswith(ORDER)}
    if not ours:
        # Every model has a dtype, which is part of the id; predictions have none.
        if model["dtype"] is None:
            raise ValueError(f"it says that it is of {spec[:60]}, and its id is that of predictions: no dtype is in it")
        if named:
            raise ValueError(
                f"it says that it is of {spec[:60]}, and has verdicts by orders of asking, as predictions have"
            )
        return
    said = {order for order in model.get("orders") or () if order}
    if named - {""} != said and not (not named and len(said) == 1 and Kind.VERDICT in parts):
        raise ValueError(
            f"its record says that it was asked in {_orders(said)}, and its parts are those of {_orders(named - {''})}"
        )


def check_rows(run_dir: Path, record: Mapping[str, Any], manifest: Mapping[str, Any]) -> None:
    """The rows of predictions are those that the run's id is made of, under the name that it is made of. ValueError."""
    spec = str(record["model"]["spec"])
    if not spec.startswith(PREDICTIONS):
        return
    rows: dict[str, identity.Rows] = {}
    for part in manifest["parts"]:
        table = shards.read_part(run_dir, part, cast("shards.Manifest", manifest))
        keys = np.stack([table.column(name).to_numpy() for name in _KEY], axis=1)
        rows[part] = (keys, table.column("value").to_numpy(), table.column("n_tokens").to_numpy())
    if identity.rows_sha256(spec, rows) != record["model"]["weights_sha256"]:
        raise ValueError(f"its id is not made of these scores of {spec[:60]}: its name or its rows are another's")


def _orders(names: set[str]) -> str:
    return f"the orders {', '.join(sorted(names))[:80]}" if names else "no order"
