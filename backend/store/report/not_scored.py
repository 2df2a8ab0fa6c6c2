"""Which items of a run have no scores of a kind, and why: what its manifest says was left out of it."""

from pathlib import Path

from backend.engine.storage import shards
from backend.errors import FlipsideError
from backend.store.build.store import Store


def said(store: Store, run_id: str, kind: str) -> list[str]:
    """A sentence for each reason; [] where nothing was left out, or where the manifest is not here to be read."""
    run = store.run(run_id)
    rows = run.cursor.execute("SELECT root FROM run_parts WHERE run_id = ? AND part = ?", [run_id, kind]).fetchall()
    found: list[str] = []
    for (root,) in rows:
        try:
            part = shards.read_manifest(Path(root) / "runs" / run_id)["parts"].get(kind, {})
        except FlipsideError:
            continue
        for reason, n in dict(part.get("left_out") or {}).items():
            selected = run.record.get("n_selected")
            of = f" of {selected:,} items" if isinstance(selected, int) else " items" if n > 1 else " item"
            found.append(f"Without scores of kind {kind}, and so in no rate: {n:,}{of} ({reason}).")
    return found
