"""Perturbed editions: which there are, of what, and whose runs can be set beside those on their parents."""

import pandas as pd

from backend.items import Kind
from backend.store.build.store import Store
from backend.store.catalog import catalog
from backend.store.labels.edited_captions import ALIKE, RUNS

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
    runs on an edition the latest that has verdicts of the kind. Choices compare where they were asked for in as many
    orders of the captions.
    """

    def make() -> pd.DataFrame:
        known = editions(store)
        known = known[known["parent"] == parent]
        runs = catalog.models(store, parent)
        if known.empty or runs.empty:
            return pd.DataFrame(columns=[*known.columns, *OF_PAIR])
        found = (
            store.cursor()
            .execute(
                f"""WITH known AS ({RUNS})
                SELECT m.model, o.kind, a.run_id AS run, b.benchmark AS hash,
                    arg_max(b.run_id, (b.updated, b.run_id)) AS edited_run
                FROM known a JOIN runs m ON m.run_id = a.run_id
                JOIN known b ON b.identity = a.identity AND list_contains(?, b.benchmark)
                JOIN judged o ON o.run_id = b.run_id AND o.kind <> '' AND {ALIKE}
                JOIN judged p ON p.run_id = a.run_id AND p.kind = o.kind
                WHERE list_contains(?, a.run_id) GROUP BY ALL ORDER BY ALL""",
                [known["hash"].tolist(), runs["run_id"].tolist()],
            )
            .df()
        )
        return found.merge(known, on="hash").sort_values(["name", "model", "kind"], ignore_index=True)

    return store.cached(("edition pairs", parent), make)


def asked_otherwise(store: Store, parent: str) -> list[str]:
    """Models, sorted, with choices on an edition that compare with none on the parent (hash): they were asked for in
    another number of orders of the captions."""

    def make() -> list[str]:
        hashes = editions(store).loc[lambda known: known["parent"] == parent, "hash"].tolist()
        found = store.cursor().execute(
            f"""WITH known AS ({RUNS})
            SELECT m.model FROM known a JOIN runs m ON m.run_id = a.run_id
            JOIN known b ON b.identity = a.identity AND list_contains(?, b.benchmark)
            JOIN judged o ON o.run_id = b.run_id AND o.kind = '{Kind.VERDICT}'
            JOIN judged p ON p.run_id = a.run_id AND p.kind = o.kind
            WHERE list_contains(?, a.run_id) GROUP BY m.model, b.benchmark HAVING NOT bool_or({ALIKE})""",
            [hashes, catalog.models(store, parent)["run_id"].tolist()],
        )
        return sorted({model for (model,) in found.fetchall()})

    return store.cached(("asked otherwise", parent), make)
