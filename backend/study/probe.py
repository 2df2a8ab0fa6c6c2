"""`backend.study.probe JSON` (see `paths.module_command`): one model on a few items of each benchmark, measured.

In a process of its own, so that the most memory that it had is this model's. It prints one JSON document:
`{"load_seconds", "rss_bytes", "gpu_bytes", "benchmarks": [{"items", "scores", "seconds"} or {"why"}]}`, or `{"why"}`.
"""

import json
import resource
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backend.engine.inputs.selection import Selection
from backend.engine.runner import run
from backend.errors import FlipsideError

if TYPE_CHECKING:
    from backend.models import Model

#: Items of each benchmark that are scored: a few first, for what happens once (kernels are chosen, threads begin), then
#: more, by which the time is told; these are left out where the few took longer than PATIENT seconds.
FEW, MORE = 8, 64
PATIENT = 15.0


def main(text: str) -> None:
    """Measure what a document asks: spec, device, dtype, batch, trust, benchmarks: [{name, data, split, subset, seed,
    kinds, priors, counterfactual}]."""
    asked = json.loads(text)
    try:
        print(json.dumps(measured(asked)))  # noqa: T201 - the parent reads it
    except FlipsideError as error:
        print(json.dumps({"why": str(error)}))  # noqa: T201


def measured(asked: dict[str, Any]) -> dict[str, Any]:
    """The document that `main` prints. FlipsideError where the model cannot be loaded."""
    from backend.models import load

    begun = time.monotonic()
    model = load(asked["spec"], asked["device"], asked["dtype"], trust_remote_code=asked["trust"])
    seconds, found = time.monotonic() - begun, list[dict[str, Any]]()
    for each in asked["benchmarks"]:
        try:
            few = _scored(model, each, asked["batch"], FEW)
            few = few if few["seconds"] > PATIENT or few["items"] < FEW else _scored(model, each, asked["batch"], MORE)
        except FlipsideError as error:
            few = {"why": str(error)}
        found.append(few)
    unit = 1 if sys.platform == "darwin" else 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return {"load_seconds": seconds, "rss_bytes": most, "gpu_bytes": _gpu(), "benchmarks": found}


def _scored(model: "Model", each: Mapping[str, Any], batch: int | None, items: int) -> dict[str, Any]:
    """Items, scores and seconds of so many items, drawn from all parts of a benchmark. FlipsideError where it fails."""
    with tempfile.TemporaryDirectory(prefix="flipside-probe-") as root:
        summary = run(
            model, each["name"], each["kinds"], data_dir=each["data"], priors=each["priors"],
            selection=Selection(each["split"], each["subset"], None, items, each["seed"]), batch=batch,
            root=Path(root), reuse=False, counterfactual=each["counterfactual"],
        )  # fmt: skip
    if summary.failed:
        raise FlipsideError(next(iter(summary.failed.values())))
    return {"items": summary.n_items, "scores": summary.computed, "seconds": summary.scoring}


def _gpu() -> int | None:
    """The most memory that torch had on a GPU; None without one."""
    torch: Any = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return None
    return int(torch.cuda.max_memory_allocated())


if __name__ == "__main__":
    main(sys.argv[1])
