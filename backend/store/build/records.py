"""What a run's record says, as a row of the table `runs`; the whole record stays beside it as JSON."""

from collections.abc import Mapping
from typing import Any


def benchmark_of(record: Mapping[str, Any]) -> str:
    """The first 16 hex digits of the hash of the benchmark that a run's record names."""
    return str(_mapping(record.get("benchmark"), "name").get("hash") or record.get("benchmark_hash") or "")[:16]


def run_row(run_id: str, record: Mapping[str, Any], text: str, shown_on: str) -> tuple[Any, ...]:
    """The columns of `runs`, in order. shown_on: the benchmark on whose items the run is shown (completions.py)."""
    selection: Mapping[str, Any] = record.get("selection") or {}
    model, benchmark = _mapping(record.get("model"), "spec"), _mapping(record.get("benchmark"), "name")
    whole = is_whole(record)
    return (
        run_id,
        str(model.get("spec") or ""),
        shown_on,
        str(benchmark.get("name") or ""),
        selection.get("split") or benchmark.get("split"),
        selection.get("subset"),
        None if whole else selection.get("limit"),
        None if whole else selection.get("sample"),
        selection.get("seed"),
        whole,
        record.get("created"),
        record.get("updated"),
        text,
    )


def is_whole(record: Mapping[str, Any]) -> bool:
    """Whether a run was to score every item of its benchmark: nothing was selected, or what was leaves nothing out (a
    limit beyond the last item). Where a benchmark comes in splits, the one that was read is the benchmark."""
    selection: Mapping[str, Any] = record.get("selection") or {}
    benchmark = _mapping(record.get("benchmark"), "name")
    some = any(selection.get(name) is not None for name in ("limit", "sample", "items", "subset"))
    if not some and selection.get("split") in (None, "all"):
        return True
    return benchmark.get("n_items") is not None and benchmark.get("n_items") == record.get("n_selected")


def _mapping(value: Any, name: str) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {name: value}
