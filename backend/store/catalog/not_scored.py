"""Which items of a run have no scores of a kind, and why: what its manifest says was left out of it.

Every verb and page that shows numbers of a run says it in the same sentence (`sentence`).
"""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from backend import written
from backend.engine.storage import shards
from backend.errors import FlipsideError
from backend.store.build.store import Store


def left_out(store: Store, run_id: str, kind: str) -> dict[str, int]:
    """Reason -> how many items have no scores of a kind; {} where nothing was left out, or where the manifest is not
    here to be read."""
    return store.cached(("left out", run_id, kind), lambda: _left_out(store, run_id, kind))


def _left_out(store: Store, run_id: str, kind: str) -> dict[str, int]:
    run = store.run(run_id)
    rows = run.cursor.execute("SELECT root FROM run_parts WHERE run_id = ? AND part = ?", [run_id, kind]).fetchall()
    found: dict[str, int] = {}
    for (root,) in rows:
        try:
            part = shards.read_manifest(Path(root) / "runs" / run_id)["parts"].get(kind, {})
        except FlipsideError:
            continue
        found |= {str(reason): int(n) for reason, n in dict(part.get("left_out") or {}).items()}
    return found


def sentence(kind: str, what: str, reason: str) -> str:
    """What is told of items without scores, everywhere.

    >>> sentence("itc", "2 of 12 items", "image cannot be read")
    'Without scores of kind itc, and so in no rate: 2 of 12 items (image cannot be read).'
    """
    return f"Without scores of kind {kind}, and so in no rate: {what} ({reason})."


def said(store: Store, run_id: str, kind: str) -> list[str]:
    """A sentence for each reason for which items of a run have no scores of a kind."""
    selected = store.run(run_id).record.get("n_selected")
    return [
        sentence(kind, f"{n:,}{_of(selected, n)}", reason) for reason, n in left_out(store, run_id, kind).items()
    ]  # fmt: skip


def of_runs(store: Store, called: Mapping[str, str], kinds: Mapping[str, Collection[str]]) -> list[str]:
    """The same of several runs, a line for each sentence, with those that it is true of before it. called: run id ->
    what it is called in the line; kinds: run id -> kinds whose numbers are shown."""
    found: dict[str, dict[str, None]] = {}
    for run_id, name in called.items():
        for kind in kinds[run_id]:
            for line in said(store, run_id, kind):
                found.setdefault(line, {})[name] = None
    return [f"{written.some(names)}: {line}" for line, names in found.items()]


def of_item(
    store: Store, runs: Iterable[tuple[str, str]], scored: Collection[tuple[str, str]]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """(sentence, models) of one item that whole runs have no scores of. runs: (run id, model); scored: (run id, kind)
    of which the item has scores or a verdict. A manifest names no items: where several reasons left some out, all are
    given."""
    found: dict[str, list[str]] = {}
    for run_id, model in runs:
        run = store.run(run_id)
        for kind in run.kinds:
            reasons = left_out(store, run_id, kind) if (run_id, kind) not in scored and run.parts.get(kind) else {}
            if reasons:
                found.setdefault(sentence(kind, "this item", " or ".join(reasons)), []).append(model)
    return tuple((line, tuple(models)) for line, models in found.items())


def _of(selected: object, n: int) -> str:
    """What a number of items is of, as the run's record says it."""
    return f" of {selected:,} items" if isinstance(selected, int) else " items" if n > 1 else " item"
