"""Verdicts, sides and a benchmark that tests of Compare share."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from backend.store.compare.compare import Side
from backend.store.queries import Setting, Shared
from pages.compare.sides import Named
from pages.shared.data.stored import StoredBenchmark as Benchmark

ODD = '<b>&"x"'


def made(n: int = 120, k: int = 2) -> Shared:
    """Verdicts of k sides on two concepts; the second side is better at one of them."""
    rng = np.random.default_rng(4)
    concept = np.where(np.arange(n) % 3 == 0, ODD, "count")
    margin = rng.normal(size=(n, k)) + np.outer(concept == "count", np.arange(k) * 1.5)
    frame = pd.DataFrame(
        {"item_no": range(n), "query": -1, "metric": "accuracy", "pool": "", "item_id": [f"a/{i}" for i in range(n)],
         "subset": "a", "concept": concept, "perturbation": "", "cluster": [f"i{i}" for i in range(n)]}
    )  # fmt: skip
    return Shared(frame, margin > 0, margin, (n,) * k, ())


def sides(k: int = 2) -> tuple[Named, ...]:
    names = ["one", ODD, "three"]
    return tuple(Named(f"itc {n}", n, Side(n, Setting("itc")), n, "#0072b2") for n in names[:k])


def benchmark() -> Benchmark:
    return Benchmark(
        "small", "f" * 16, {"count": 10}, {"count": "quad"}, {"m": "1" * 16, "n": "2" * 16},
        {"m": ["itc", "gen"], "n": ["itc"]}, {"m": ["noise:2"], "n": []},
    )  # fmt: skip


def series_of(folder: Path) -> None:
    """The two dual encoders of the made-up results become checkpoints."""
    for run, step in (("2" * 16, 100), ("1" * 16, 400)):
        path = folder / "runs" / run / "run.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"series": {"made up": step}}))
