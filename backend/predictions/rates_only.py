"""Rates of whole benchmarks without any item's answer, as CLIP_benchmark writes them: refused, with what they say."""

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from backend.benchmarks.custom import tables
from backend.errors import FlipsideError, UsageError

#: What every result of CLIP_benchmark has.
KEYS = ("dataset", "model", "metrics")
#: How the table of vl_compo begins, and the most letters of a header that are read.
OF_TABLE, LONGEST = ("arch", "pretrained"), 20_000


def refuse(path: Path) -> None:
    """UsageError for a result file of CLIP_benchmark: its rates are named, since no item can be given them; and for the
    table of many models' rates that the Atlas draws."""
    if path.suffix == ".csv":
        _refuse_table(path)
        return
    if path.suffix not in (".json", ".jsonl"):
        return
    records: list[Any]
    try:
        if path.suffix == ".jsonl":
            records = [record for _, record in islice(tables.records(path), 1)]
        elif path.stat().st_size > 1 << 16:  # such a file has some hundred bytes
            return
        else:
            records = [{str(key): value for key, value in tables.records(path)}]
    except (FlipsideError, OSError, ValueError, TypeError):
        return
    if records and isinstance(records[0], Mapping) and isinstance(records[0].get("metrics"), Mapping):
        _refuse(path, records[0])


def _refuse_table(path: Path) -> None:
    try:
        with path.open(encoding="utf-8-sig") as lines:
            names = lines.readline(LONGEST).strip().split(",")
    except (OSError, ValueError):
        return
    if names[: len(OF_TABLE)] == [*OF_TABLE] and any("::" in name for name in names):
        raise UsageError(
            f"{path}: rates of whole benchmarks, a row a model, as vl_compo publishes them; no item's score is in the "
            "file, so nothing can be matched. The Atlas draws them: flipside fetch results --only atlas"
        )


def _refuse(path: Path, record: Mapping[str, Any]) -> None:
    if any(key not in record for key in KEYS):
        return
    numbers = [(str(key)[:40], value) for key, value in record["metrics"].items() if isinstance(value, int | float)]
    said = ", ".join(f"{key} {value:.4f}" for key, value in numbers[:6]) or "no numbers"
    raise UsageError(
        f"{path}: read as a result of CLIP_benchmark: {str(record['model'])[:80]} on {str(record['dataset'])[:80]}: "
        f"{said}. These are rates of the whole benchmark; no item's score is in the file, so nothing can be matched. "
        "Score the same model here, item by item: flipside run --model openclip:NAME --benchmark NAME"
    )
