"""Perturbed editions: which there are, of what, and whose runs can be set beside those on their parents."""

from typing import Any

import numpy as np
import pandas as pd

from backend.items import Kind
from backend.store.build.store import Store
from backend.store.catalog import catalog
from backend.store.labels import asked_again
from backend.store.labels.asked_again import LeftOut
from backend.store.labels.edited_captions import RUNS

#: Columns of `pairs`, besides those of `editions`.
OF_PAIR = ("model", "kind", "run", "edited_run")


def editions(store: Store) -> pd.DataFrame:
    """One row an edition, by name: hash, name, parent (hash), perturbation, title, effect, family, paper, way
    ("replace" or "foils"), texts ("all", "truth", "foils"), seed, n_items, texts_edited, texts_asked."""

    def make() -> pd.DataFrame:
        def told(name: str) -> str:
            return f"json_extract_string(record, '$.about.perturbation.{name}')"

        return (
            store.cursor()
            .execute(
                f"""SELECT hash, name, left(json_extract_string(record, '$.about.parent.hash'), 16) AS parent,
                {told("name")} AS perturbation, coalesce({told("title")}, {told("name")}) AS title,
                {told("effect")} AS effect, {told("family")} AS family, coalesce({told("paper")}, '') AS paper,
                {told('"as"')} AS way, coalesce({told("texts")}, 'all') AS texts,
                coalesce(try_cast({told("seed")} AS INTEGER), 0) AS seed, n_items,
                coalesce(try_cast({told("coverage.texts_edited")} AS BIGINT), 0) AS texts_edited,
                coalesce(try_cast({told("coverage.texts")} AS BIGINT), 0) AS texts_asked
            FROM benchmarks WHERE {told("effect")} IS NOT NULL AND {told("name")} IS NOT NULL ORDER BY name, hash"""
            )
            .df()
        )

    return store.cached("editions", make)


def pairs(store: Store, parent: str) -> pd.DataFrame:
    """Which runs can be compared: one row a model's default run on the parent (hash), its run on an edition, and score
    kind that both have. The columns of `editions` and of OF_PAIR.

    The same model means the same weights, preprocessing and dtype (a model without weights: the same spec); of several
    runs on an edition the latest that has verdicts of the kind which compare: choices do where they were asked for in
    the same orders of the captions (`asked_again`), item by item (`unlike`).
    """

    def make() -> pd.DataFrame:
        known = editions(store)
        known = known[known["parent"] == parent]
        found = _candidates(store, parent)
        alike = [
            asked_again.comparable(store.run(run), kind, edited)
            for run, kind, edited in zip(found["run"], found["kind"], found["edited_run"], strict=True)
        ]
        found = found[np.array(alike, dtype=bool)].drop_duplicates(["model", "kind", "hash"], keep="last")
        return found.merge(known, on="hash").sort_values(["name", "model", "kind"], ignore_index=True)

    return store.cached(("edition pairs", parent), make)


def _candidates(store: Store, parent: str) -> pd.DataFrame:
    """Every run on an edition beside the model's default run on the parent: hash and OF_PAIR, of each edition the
    latest last."""

    def make() -> pd.DataFrame:
        known = editions(store)
        hashes = known.loc[known["parent"] == parent, "hash"].tolist()
        runs = catalog.models(store, parent)
        if not hashes or runs.empty:
            return pd.DataFrame(columns=["hash", *OF_PAIR], dtype=object)
        return (
            store.cursor()
            .execute(
                f"""WITH known AS ({RUNS})
                SELECT DISTINCT m.model, o.kind, a.run_id AS run, b.benchmark AS hash, b.updated,
                    b.run_id AS edited_run
                FROM known a JOIN runs m ON m.run_id = a.run_id
                JOIN known b ON b.identity = a.identity AND list_contains(?, b.benchmark)
                JOIN judged o ON o.run_id = b.run_id AND o.kind <> ''
                JOIN judged p ON p.run_id = a.run_id AND p.kind = o.kind
                WHERE list_contains(?, a.run_id) ORDER BY ALL""",
                [hashes, runs["run_id"].tolist()],
            )
            .df()
            .drop(columns="updated")
        )

    return store.cached(("edition candidates", parent), make)


def unlike(store: Store, pair: Any) -> frozenset[str]:
    """Ids of the edited items of a pair (a row of `pairs`) that do not compare: they were asked in other orders than
    their originals."""
    if pair.kind != Kind.VERDICT:
        return frozenset()
    table = asked_again.asked_again(store.run(str(pair.run)), str(pair.edited_run))
    return frozenset(table.loc[~table["same"].to_numpy(dtype=bool), "edited_id"])


def left_out(store: Store, parent: str) -> list[LeftOut]:
    """Models with choices on editions that are compared with none on the parent (hash), by name: how many, and why. Of
    several runs on an edition the one that is compared, else the latest."""

    def make() -> list[LeftOut]:
        found = _candidates(store, parent)
        found = found[found["kind"] == Kind.VERDICT].drop_duplicates(["model", "hash"], keep="last")
        paired = pairs(store, parent)
        paired = paired[paired["kind"] == Kind.VERDICT]
        used = dict(zip(zip(paired["model"], paired["hash"], strict=True), paired["edited_run"], strict=True))
        tables: dict[str, list[pd.DataFrame]] = {}
        for line in found.itertuples():
            edited = str(used.get((line.model, line.hash), line.edited_run))
            tables.setdefault(str(line.model), []).append(asked_again.asked_again(store.run(str(line.run)), edited))
        said = [asked_again.left_out(model, tables[model]) for model in sorted(tables)]
        return [each for each in said if each is not None]

    return store.cached(("editions left out", parent), make)
