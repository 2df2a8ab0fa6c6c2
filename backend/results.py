"""The researcher's door: everything that has been computed, as pandas frames.

    import backend.results

    results = backend.results.open()
    results.runs()                                          # what has been run
    results.scores("bundled:captioner", "world", "gen")     # facts: one row a score
    results.outcomes({"kind": "gen", "alpha": 0.5}, model="bundled:captioner", benchmark="world")   # verdicts

Scores are facts and never change; outcomes follow from them under a setting, at any alpha, prior and normalisation.
Frames may be changed freely. `docs/recipes/` shows three analyses from end to end.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from backend.errors import FlipsideError
from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.build.store import Store
from backend.store.catalog.catalog import names
from backend.store.catalog.default_run import choose_run, choose_setting
from backend.store.exchange import joined
from backend.store.quads.close_pairs import close_pairs
from backend.store.scores.setting import Setting, as_norm


class Results:
    """All stored results at one moment. `refresh()` takes in what has been computed since."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def refresh(self) -> None:
        """Import what is new and read the newest results from here on."""
        self.store.close()
        self.store = open_store(follow=False, wait=True)

    def runs(self) -> pd.DataFrame:
        """One row a run, the latest last: run_id, model, benchmark, kinds, priors, complete, selection, times.

        whole: nothing of the benchmark was left out, by subset, split, limit, sample or a picked set. edition_of: the
        hash of the benchmark that this one is a perturbed edition of, "" for others. priors: the default first.
        """
        return queries.runs(self.store).copy()

    def benchmarks(self) -> pd.DataFrame:
        """One row a benchmark: hash, name, n_items, subsets {name: n}, protocols {subset: protocol}."""
        return queries.benchmarks(self.store).copy()

    def items(self, model: str, benchmark: str, subset: str | None = None, run: str | None = None) -> pd.DataFrame:
        """The items of a run's benchmark: item_id, subset, protocol, texts, image_keys, truth, tags, source."""
        chosen = choose_run(self.store, model, benchmark, None, subset, run)
        return (
            self.store.cursor()
            .execute(
                """SELECT item_id, subset, protocol, texts, image_keys, image_uris, concepts, perturbations,
                truth, tags, source FROM items
            WHERE benchmark = ? AND (?::VARCHAR IS NULL OR list_contains(string_split(?, ','), subset))
            ORDER BY item_no""",
                [chosen.benchmark_hash, subset, subset],
            )
            .df()
        )

    def scores(
        self, model: str, benchmark: str, kind: str | None = None, *, subset: str | None = None, run: str | None = None
    ) -> pd.DataFrame:
        """Stored scores, one row each: item_id, subset, part, image_index, text_index, text_index_b, sample, value,
        n_tokens.

        kind: `itc`, `gen`, ..., `prior` for every source; None for everything. `value`: itc and t2t the cosine; gen and
        prior the sum of natural-log token probabilities over n_tokens; itm and vqa log-odds; verdict the share of the
        two orders in which text_index was chosen over text_index_b. `part` is the kind, or
        `prior@<source>`. Retrieval cosines of two vectors are not in here; they follow from embeddings: see
        `flipside export`.
        """
        chosen = choose_run(self.store, model, benchmark, kind, subset, run)
        return (
            self.store.cursor()
            .execute(
                """SELECT i.item_id, i.subset, s.part, image_index, text_index, text_index_b, s.sample, value, n_tokens
            FROM scores s JOIN items i ON i.item_no = s.item_no AND i.benchmark = $benchmark
            WHERE s.run_id = $run AND ($kind::VARCHAR IS NULL OR part = $kind OR starts_with(part, $kind || '@'))
                AND ($subset::VARCHAR IS NULL OR list_contains(string_split($subset, ','), i.subset))
            ORDER BY s.item_no, part, image_index, text_index, text_index_b, s.sample""",
                {"benchmark": chosen.benchmark_hash, "run": chosen.run_id, "kind": kind, "subset": subset},
            )
            .df()
        )

    def outcomes(
        self,
        setting: Setting | Mapping[str, Any] | None = None,
        *,
        model: str | None = None,
        benchmark: str | None = None,
        subset: str | None = None,
        run: str | None = None,
    ) -> pd.DataFrame:
        """Verdicts under a setting: model, run_id, item_id, subset, concept, perturbation, metric, correct, margin,
        ties, kind, alpha.

        setting: {"kind", "alpha", "prior", "norm"}, any of them; None or {} takes each run's own default kind.
        Without `model` (or `benchmark`) the latest complete run of every model (on every benchmark) that has the kind
        and covers what is asked: a run of a subset counts for that subset, a limited or sampled one only by `run`.
        """
        given = setting.as_dict() if isinstance(setting, Setting) else dict(setting or {})
        unknown = set(given) - {"kind", "alpha", "prior", "norm"}
        if unknown:
            raise TypeError(f"a setting has kind, alpha, prior and norm, not {', '.join(sorted(unknown))}")
        frames = []
        for name, of, run_id in self._runs_for(model, benchmark, given.get("kind"), subset, run):
            chosen = choose_run(self.store, name, of, given.get("kind"), subset, run_id)
            alpha = given.get("alpha")
            exact, _ = choose_setting(
                self.store, chosen, given.get("kind"), alpha or None, _prior(given), as_norm(_norm(given))
            )
            frame = queries.outcomes(self.store, chosen.run_id, exact, subset)
            frames.append(frame.assign(model=chosen.model, run_id=chosen.run_id))
        if not frames:
            return pd.DataFrame(columns=["model", "run_id", *queries.OUTCOME_COLUMNS])
        return pd.concat(frames, ignore_index=True)[["model", "run_id", *queries.OUTCOME_COLUMNS]]

    def rates(
        self, model: str, benchmark: str, *, by: str | None = None, subset: str | None = None, run: str | None = None,
        **setting: Any,
    ) -> pd.DataFrame:  # fmt: skip
        """Rates with 95 % intervals: metric, group, value, n, ties, lo, hi, chance; lower_bound: whether the value is
        one; of: how many items the benchmark has in the group, where fewer were judged, else NaN.

        setting: kind, alpha, prior, norm, as keywords.
        """
        chosen = choose_run(self.store, model, benchmark, setting.get("kind"), subset, run)
        exact, _ = choose_setting(
            self.store, chosen, setting.get("kind"), setting.get("alpha"), setting.get("prior"),
            as_norm(setting.get("norm")),
        )  # fmt: skip
        return queries.rates(self.store, chosen.run_id, exact, by, subset).copy()

    def deviations(
        self, model: str, benchmark: str, kind: str = "itc", *, subset: str | None = None, normalise: str = "raw",
        run: str | None = None, alpha: float | None = None, prior: str | None = None,
    ) -> pd.DataFrame:  # fmt: skip
        """EqSim deviations, one row a quad: scores s11 … s22, v1, v2_text, v2_image, their scale-free forms, margins.

        normalise: raw, softmax-cells or softmax-pool; it stands in the column `normalisation`. alpha, prior: for gen,
        how much of log P(t) is taken away on the text side and in v1 (None: all of it); in the column `alpha`. cluster:
        what quads share, for intervals.
        """
        chosen = choose_run(self.store, model, benchmark, kind, subset, run)
        found = queries.deviations(self.store, chosen.run_id, kind, subset, normalise, alpha, prior)
        at = found.pop("alpha") if "alpha" in found else 0.0
        clusters = found.pop("cluster")
        return found.assign(kind=kind, normalisation=normalise, alpha=at, cluster=clusters)

    def close_pairs(
        self, model: str, benchmark: str, kind: str = "itc", *, k: int = 8, normalise: str = "raw",
        subset: str | None = None, run: str | None = None,
    ) -> pd.DataFrame:  # fmt: skip
        """Pairs mined from retrieval pools as EqSim mines them (the k closest of each), with their deviations."""
        chosen = choose_run(self.store, model, benchmark, kind, subset, run)
        return close_pairs(self.store, chosen.run_id, kind, subset, k, normalise).copy()

    def sql(self, query: str) -> pd.DataFrame:
        """Any question on the tables and the view `verdicts` (`flipside sql --schema` lists them), as a frame."""
        cursor = self.store.cursor()
        joined.create(cursor)
        return cursor.execute(query).df()

    def _runs_for(
        self, model: str | None, benchmark: str | None, kind: str | None, subset: str | None, run: str | None
    ) -> Sequence[tuple[str, str, str | None]]:
        if model is not None and benchmark is not None:
            return [(model, benchmark, run)]
        table = queries.runs(self.store)
        found = []
        for known in queries.benchmarks(self.store).to_dict("records"):
            asked = benchmark in (None, known["name"], known["hash"]) and names(subset) <= set(known["subsets"])
            scored = set(table.loc[table["benchmark"] == known["hash"], "model"]) if asked else set()
            for name in sorted(scored if model is None else scored & {model}):
                chosen = self._covering(name, str(known["hash"]), kind, subset)
                found += [(name, str(known["hash"]), chosen)] if chosen else []
        return found

    def _covering(self, model: str, benchmark: str, kind: str | None, subset: str | None) -> str | None:
        """The run that answers for a benchmark (hash) or its subset; None where the model has none that does."""
        try:
            return choose_run(self.store, model, benchmark, kind, subset).run_id
        except FlipsideError:
            return None


def _prior(given: Mapping[str, Any]) -> str | None:
    """A prior counts only where it is used."""
    return given.get("prior") if given.get("kind") in ("gen", "prior", None) else None


def _norm(given: Mapping[str, Any]) -> str | None:
    return given.get("norm") if given.get("kind") in ("gen", "prior") else None


def open() -> Results:  # noqa: A001 - `backend.results.open()` reads as what it does
    """Everything computed so far, newly imported where needed."""
    return Results(open_store(follow=False))
