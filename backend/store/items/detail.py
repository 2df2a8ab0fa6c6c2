"""One item in full: what it is, what every model says about it, and the numbers that tell why."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from backend.benchmarks.winoground_stub import is_placeholder, tags_that_say
from backend.errors import UsageError
from backend.kinds import Kind
from backend.store.build import attached
from backend.store.build.store import Store
from backend.store.catalog import catalog, not_scored
from backend.store.rates import asking_orders
from backend.store.rates.same_orders import only_order
from backend.store.reasons.evidence import NUMBERS
from backend.store.scores import drawn


@dataclass(frozen=True)
class ItemDetail:
    """An item, and frames with one row for each thing that is known about it.

    truth: pairs (image index, text index). scores: model, run_id, part, image_index, text_index, text_index_b, sample,
    value, n_tokens, as stored. tokens: model, run_id, part, image_index, text_index, sample, tokens, logprobs.
    outcomes: model, run_id, kind, metric, query, correct, margin, ties, each kind at its default setting; margin: NaN
    where a run has verdicts alone (`asking_orders.has_margins`).
    evidence: model, run_id, kind and `evidence.NUMBERS`, what the item's cells and reasons rest on.
    hidden: how many texts `shortlist` has left out; numbers: which of the item's texts those here are (empty: all, in
    order). own: (run_id, part, sample) of prior samples under the item's own images or cluster, which its P(t) leaves
    out. left_out: (sentence, models) of kinds that whole runs have no scores of it for (`not_scored.of_item`). order:
    run id -> the only order of asking that its verdicts are of (`same_orders.only_order`), of runs that have one.
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
    evidence: pd.DataFrame
    hidden: int = 0
    numbers: tuple[int, ...] = ()
    own: frozenset[tuple[str, str, int]] = frozenset()
    left_out: tuple[tuple[str, tuple[str, ...]], ...] = ()
    order: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_number_alone(self) -> bool:
        """Whether only the item's number is here: no picture, and texts that say that they are not here."""
        return bool(self.texts) and not any(self.image_uris) and all(map(is_placeholder, self.texts))

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
        raise UsageError(f"there is no item '{item_id}' in {catalog.benchmark_name(store, benchmark)}.")
    models = catalog.models(store, benchmark)
    runs = models["run_id"].to_list()

    def about(table: str, columns: str, order: str) -> pd.DataFrame:
        in_files = table in attached.FORMS
        rows = f"({store.rows_of(table, runs)})" if in_files else table
        these, asked = ("", [row[0]]) if in_files else ("AND x.run_id IN (SELECT unnest(?))", [row[0], runs])
        return cursor.execute(
            f"""SELECT r.model, x.run_id, {columns} FROM {rows} x
            JOIN (SELECT run_id, model FROM runs) r USING (run_id)
            WHERE x.item_no = ? {these} ORDER BY r.model, {order}""",
            asked,
        ).df()

    places = "image_index, text_index"
    scores = about(
        "scores", f"part, {places}, text_index_b, sample, value, n_tokens", f"part, {places}, text_index_b, sample"
    )
    judged = about("outcomes", "kind, metric, query, correct, margin, ties", "kind, metric, query")
    judged = asking_orders.with_margins(store, judged)
    known = {*zip(scores["run_id"], scores["part"], strict=True), *zip(judged["run_id"], judged["kind"], strict=True)}
    whole = models[models["whole"].astype(bool)]
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
        tags=tags_that_say(list(row[4]), _json(row[8], {})),
        source=row[9] or "",
        scores=scores,
        tokens=about("tokens", f"part, {places}, sample, tokens, logprobs", f"part, {places}, sample"),
        outcomes=judged,
        evidence=about("evidence", ", ".join(["kind", *NUMBERS]), "kind"),
        own=_own(store, benchmark, int(row[0]), scores),
        left_out=not_scored.of_item(store, zip(whole["run_id"], whole["model"], strict=True), known),
        order=_orders(store, scores),
    )


def _orders(store: Store, scores: pd.DataFrame) -> dict[str, str]:
    """Run id -> the name of the only order that an item's stored verdicts are of."""
    runs = scores.loc[scores["part"] == Kind.VERDICT, "run_id"].unique()
    return {str(run): name for run in runs if (name := only_order(store.run(str(run))))}


def _own(store: Store, benchmark: str, item_no: int, scores: pd.DataFrame) -> frozenset[tuple[str, str, int]]:
    """Which of an item's stored prior samples are under its own images or their cluster."""
    sampled = scores[scores["part"].str.startswith(drawn.IMAGES)]
    if sampled.empty:
        return frozenset()
    item = (
        store.cursor()
        .execute("SELECT item_no, cluster FROM items WHERE benchmark = ? AND item_no = ?", [benchmark, item_no])
        .df()
    )
    found: set[tuple[str, str, int]] = set()
    for (run_id, part), lines in sampled.groupby(["run_id", "part"], sort=False):
        mask = drawn.own(store.run(str(run_id)), str(part), item, int(lines["sample"].max()) + 1)[:, 0]
        found |= {(str(run_id), str(part), int(k)) for k in np.flatnonzero(mask)}
    return frozenset(found)


def _json(text: str | None, otherwise: Any) -> Any:
    return json.loads(text) if text else otherwise
