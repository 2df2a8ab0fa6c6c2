"""A run as one generation of the database has it: what every question about a run's scores is asked of."""

import json
import re
from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any

import duckdb

from backend.engine.storage.identity import label_of
from backend.errors import UsageError
from backend.items import Kind

#: Where log P(t) may come from, the source that is used when none is named first (reasons.md: a blind language model,
#: else sampled images, noise last). self: a blind model by itself; predicted: what another system said of its own.
PRIORS = ("self", "lm", "images", "predicted", "noise")


class StoredRun:
    """A run, by its id, on a connection to the generation that it is read from.

    `Store.run` makes one for a question; the importer makes its own on the generation that it builds. It belongs to
    one thread, as its connection does. What it says of the run is read when it is first asked for, and stays: make
    another one after the tables have changed. Lists and dictionaries that it gives are not to be changed.
    """

    def __init__(
        self,
        cursor: duckdb.DuckDBPyConnection,
        run_id: str,
        shared: dict[tuple[object, ...], Any] | None = None,
        cached: Callable[[Hashable, Callable[[], Any]], Any] | None = None,
    ) -> None:
        """shared: what an import has read of the benchmark already, kept from run to run; cached: `Store.cached`, which
        does the same for questions. Without either nothing is kept."""
        self.cursor = cursor
        self.run_id = run_id
        self.shared = shared
        self.cached = cached

    def __repr__(self) -> str:
        return f"StoredRun({self.run_id!r})"

    @cached_property
    def benchmark(self) -> str:
        """The hash of the run's benchmark; "" for a run that is not there."""
        rows = self.cursor.execute("SELECT benchmark FROM runs WHERE run_id = ?", [self.run_id]).fetchall()
        return str(rows[0][0]) if rows else ""

    @cached_property
    def origin(self) -> str:
        """computed (here), shipped or imported; "" for a run that is not there."""
        rows = self.cursor.execute("SELECT origin FROM runs WHERE run_id = ?", [self.run_id]).fetchall()
        return str(rows[0][0]) if rows else ""

    @cached_property
    def record(self) -> dict[str, Any]:
        """The run's whole record, as the engine wrote it. UsageError for an unknown run."""
        # fetchall: after fetchone a result counts as unfinished, and the connection takes no table until it is.
        rows = self.cursor.execute("SELECT record FROM runs WHERE run_id = ?", [self.run_id]).fetchall()
        if not rows:
            raise UsageError(
                f"there is no run '{self.run_id}' here. `flipside sql \"SELECT run_id, model FROM runs\"` lists them."
            )
        found: dict[str, Any] = json.loads(rows[0][0])
        return found

    @cached_property
    def parts(self) -> dict[str, bool]:
        """The parts of the run and whether each is complete."""
        rows = self.cursor.execute(
            "SELECT part, complete FROM run_parts WHERE run_id = ? ORDER BY part", [self.run_id]
        ).fetchall()
        return dict(rows)

    @cached_property
    def kinds(self) -> list[str]:
        """The kinds that the run can be judged by, in the order of preference; `prior` only for a blind model
        (`prior@self`)."""
        found = [kind for kind in Kind if kind in self.parts]
        if "embeddings:image" in self.parts and Kind.ITC not in found:
            found.insert(0, Kind.ITC)
        return [str(kind) for kind in found] + (["prior"] if "prior@self" in self.parts else [])

    @cached_property
    def priors(self) -> list[str]:
        """The prior sources that the run can be debiased with, its own and blind language models run on the same
        benchmark; the one that is used when none is named stands first, and the order is that of `rank`, unfinished
        ones last."""
        own = {part.removeprefix("prior@"): done for part, done in self.parts.items() if part.startswith("prior@")}
        blind = [f"lm:{model}" for model, _ in self._blind_runs]
        here = [*own, *(name for name in blind if name not in own)]
        return sorted(here, key=lambda name: (not own.get(name, True), rank(name, own=name in own)))

    @property
    def default_prior(self) -> str | None:
        """The prior source that is used where none is named: the one rule of every command, page and frame.

        A blind language model where one is named (`--prior lm:SPEC`) or has scored this benchmark, bundled ones
        included; else sampled images; noise last (docs/methods.md). None where the run has no prior at all.
        """
        return next(iter(self.priors), None)

    def prior(self, name: str | None = None) -> "tuple[StoredRun, str] | None":
        """(run, part) that hold a prior source (None: the default one); a blind model's scores may stand in its own
        run. None where nowhere."""
        name = name or self.default_prior
        if name is None:
            return None
        for part in (f"prior@{name}", f"prior@lm:{name}"):  # lm:NAME is lm:lm:NAME, as `run --prior` has it
            if part in self.parts:
                return self, part
        drawn = [part for part in self.parts if part.rpartition("-")[0] == f"prior@{_from_folder(name)}"]
        if len(drawn) == 1:  # a folder's name stands for what was drawn from it, as `run --prior` has it
            return self, drawn[0]
        for model, blind_run in self._blind_runs:
            if name in (f"lm:{model}", model):
                return StoredRun(self.cursor, blind_run), "prior@self"
        return None

    @cached_property
    def _blind_runs(self) -> list[tuple[str, str]]:
        """(model, run id) of blind models whose complete run covers the same benchmark; the latest run of each.
        Imported scores and our own never debias one another."""
        rows = self.cursor.execute(
            """SELECT r.model, r.run_id FROM runs r JOIN run_parts p USING (run_id)
            WHERE p.part = 'prior@self' AND p.complete AND r.whole AND r.run_id <> $1
                AND r.benchmark = (SELECT benchmark FROM runs WHERE run_id = $1)
                AND (r.origin = 'imported') = ($2 = 'imported')
            ORDER BY r.updated, r.run_id""",
            [self.run_id, self.origin],
        ).fetchall()
        return list(dict(rows).items())


def every(cursor: duckdb.DuckDBPyConnection) -> dict[str, StoredRun]:
    """All runs of a generation by their ids, read in three questions however many there are."""
    found: dict[str, StoredRun] = {}
    for run_id, benchmark, origin, record in cursor.execute(
        "SELECT run_id, benchmark, origin, record FROM runs ORDER BY run_id"
    ).fetchall():
        known = {"benchmark": str(benchmark), "origin": str(origin), "record": json.loads(record), "parts": {}}
        found[str(run_id)] = StoredRun(cursor, str(run_id))
        found[str(run_id)].__dict__.update(known)  # where a cached property keeps what it has read
    for run_id, part, complete in cursor.execute(
        "SELECT run_id, part, complete FROM run_parts ORDER BY run_id, part"
    ).fetchall():
        if run_id in found:
            found[run_id].parts[part] = complete
    blind = cursor.execute(
        """SELECT r.benchmark, r.origin, r.model, r.run_id FROM runs r JOIN run_parts p USING (run_id)
        WHERE p.part = 'prior@self' AND p.complete AND r.whole ORDER BY r.updated, r.run_id"""
    ).fetchall()
    for run_id, run in found.items():
        imported = run.origin == "imported"
        of = {m: r for b, o, m, r in blind if b == run.benchmark and r != run_id and (o == "imported") == imported}
        run.__dict__["_blind_runs"] = list(of.items())
    return found


def _from_folder(name: str) -> str:
    """A source of a folder's images as its part begins; "" for every other.

    >>> _from_folder("images:20@/data/train2017"), _from_folder("images:20")
    ('images:20@train2017', '')
    """
    head, at, folder = name.partition("@")
    return f"{head}@{label_of(folder)}" if at and head.startswith("images:") else ""


def rank(prior: str, own: bool = True) -> tuple[int, bool, bool, int, str]:
    """Sort key of prior sources: a blind model, sampled images, the system's own word, noise; of these the run's own
    first, then bundled models, then more samples before fewer, by number.

    >>> sorted(["noise:5", "images:4", "images:20", "lm:bundled:lm"], key=rank)
    ['lm:bundled:lm', 'images:20', 'images:4', 'noise:5']
    """
    head, _, rest = prior.partition(":")
    place = PRIORS.index(head) if head in PRIORS else len(PRIORS)
    samples = re.match(r"\d+", rest) if head in ("images", "noise") else None
    return place, not own, not rest.startswith("bundled:"), -int(samples.group()) if samples else 0, prior
