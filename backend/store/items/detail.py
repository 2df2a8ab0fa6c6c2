"""One item in full: what it is, what every model says about it, and why it is labelled as it is."""

import json
from dataclasses import dataclass
from typing import Any

import pandas as pd

from backend.errors import UsageError
from backend.metrics.diagnosis import DEFINITIONS
from backend.store.build.store import Store
from backend.store.catalog import catalog


@dataclass(frozen=True)
class ItemDetail:
    """An item, and frames with one row for each thing that is known about it.

    truth: pairs (image index, text index). scores: model, run_id, part, image_index, text_index, text_index_b, sample,
    value, n_tokens, as stored. tokens: model, run_id, part, image_index, text_index, sample, tokens, logprobs.
    outcomes: model, run_id, kind, metric, query, correct, margin, ties, each kind at its default setting.
    labels: model, run_id, kind, label, definition, evidence (a dict); model "" where it is about the item itself.
    hidden: how many texts `shortlist` has left out; numbers: which of the item's texts those here are (empty: all, in
    order).
    """

    benchmark: str
    item_no: int
    item_id: str
    subset: str
    protocol: str
    texts: list[str]
    image_keys: list[str]
    image_uris: list[str]
    truth: list[tuple[int, int]]
    tags: dict[str, list[str]]
    source: str
    scores: pd.DataFrame
    tokens: pd.DataFrame
    outcomes: pd.DataFrame
    labels: pd.DataFrame
    hidden: int = 0
    numbers: tuple[int, ...] = ()

    def place(self, text: int) -> int | None:
        """Where a text of the item, by its own number, stands among those here; None where it was left out."""
        if not self.numbers:
            return text if 0 <= text < len(self.texts) else None
        return self.numbers.index(text) if text in self.numbers else None

    def text(self, text: int) -> str | None:
        """A text of the item by its own number; None where it was left out."""
        place = self.place(text)
        return None if place is None else self.texts[place]


def item(store: Store, benchmark: str, item_id: str) -> ItemDetail:
    """An item of a benchmark (hash), with what the default run of every model says. UsageError for an unknown one."""
    cursor = store.cursor()
    row = cursor.execute(
        """SELECT item_no, item_id, subset, protocol, texts, image_keys, image_uris, truth, tags, source FROM items
        WHERE benchmark = ? AND item_id = ?""",
        [benchmark, item_id],
    ).fetchone()
    if row is None:
        raise UsageError(f"there is no item '{item_id}' in benchmark {benchmark}.")
    runs = catalog.models(store, benchmark)["run_id"].to_list()

    def about(table: str, columns: str, order: str) -> pd.DataFrame:
        return cursor.execute(
            f"""SELECT r.model, x.run_id, {columns} FROM {table} x
            JOIN (SELECT run_id, model FROM runs) r USING (run_id)
            WHERE x.item_no = ? AND x.run_id IN (SELECT unnest(?)) ORDER BY r.model, {order}""",
            [row[0], runs],
        ).df()

    places = "image_index, text_index"
    labels = cursor.execute(
        """SELECT coalesce(r.model, '') AS model, d.run_id, kind, label, evidence FROM diagnoses d
        LEFT JOIN runs r USING (run_id)
        WHERE d.benchmark = ? AND item_no = ? AND (d.run_id = '' OR d.run_id IN (SELECT unnest(?)))
        ORDER BY 1, kind, label""",
        [benchmark, row[0], runs],
    ).df()
    labels["definition"] = labels["label"].map(DEFINITIONS)
    labels["evidence"] = labels["evidence"].map(json.loads)
    return ItemDetail(
        benchmark=benchmark,
        item_no=int(row[0]),
        item_id=str(row[1]),
        subset=str(row[2]),
        protocol=str(row[3]),
        texts=list(row[4]),
        image_keys=list(row[5]),
        image_uris=list(row[6]),
        truth=[(int(i), int(t)) for i, t in _json(row[7], [])],
        tags=_json(row[8], {}),
        source=row[9] or "",
        scores=about(
            "scores", f"part, {places}, text_index_b, sample, value, n_tokens", f"part, {places}, text_index_b, sample"
        ),
        tokens=about("tokens", f"part, {places}, sample, tokens, logprobs", f"part, {places}, sample"),
        outcomes=about("outcomes", "kind, metric, query, correct, margin, ties", "kind, metric, query"),
        labels=labels,
    )


def _json(text: str | None, otherwise: Any) -> Any:
    return json.loads(text) if text else otherwise
