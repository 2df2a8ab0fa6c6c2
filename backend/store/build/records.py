"""What a run's record says, as a row of the table `runs`; the whole record stays beside it as JSON."""

from collections.abc import Mapping
from typing import Any


def run_row(run_id: str, record: Mapping[str, Any], text: str) -> tuple[Any, ...]:
    """The columns of `runs`, in order."""
    selection: Mapping[str, Any] = record.get("selection") or {}
    limit, sample = selection.get("limit"), selection.get("sample")
    model, benchmark = _mapping(record.get("model"), "spec"), _mapping(record.get("benchmark"), "name")
    return (
        run_id,
        str(model.get("spec") or ""),
        str(benchmark.get("hash") or record.get("benchmark_hash") or "")[:16],
        str(benchmark.get("name") or ""),
        selection.get("split") or benchmark.get("split"),
        selection.get("subset"),
        limit,
        sample,
        selection.get("seed"),
        is_whole(record),
        record.get("created"),
        record.get("updated"),
        text,
    )


def is_whole(record: Mapping[str, Any]) -> bool:
    """Whether a run was to score every item of its benchmark: no limit, sample or picked items, and every subset and
    split. Where a benchmark comes in splits, the one that was read is the benchmark."""
    selection: Mapping[str, Any] = record.get("selection") or {}
    if any(selection.get(name) is not None for name in ("limit", "sample", "items")):
        return False
    benchmark = _mapping(record.get("benchmark"), "name")
    if selection.get("subset") is None and selection.get("split") in (None, "all"):
        return True
    return benchmark.get("n_items") is not None and benchmark.get("n_items") == record.get("n_selected")


def _mapping(value: Any, name: str) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {name: value}
