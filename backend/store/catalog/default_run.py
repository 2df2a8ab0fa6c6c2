"""Which run answers a question: the latest complete one of a model on a benchmark that covers what is asked."""

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from backend.benchmarks.items_folder.kept import kept_hash
from backend.engine.storage.shards import mend
from backend.errors import FlipsideError, UsageError
from backend.items import Kind
from backend.kinds import SPOKEN
from backend.store.build.store import Store
from backend.store.catalog import catalog, public, taught, transformed
from backend.store.catalog.benchmarks_named import refuse_unknown
from backend.store.catalog.models_named import how_to_get, read_from, runs_of_model
from backend.store.scores.setting import Norm, Setting

#: What is said beside a prior source that nobody named: see `StoredRun.default_prior`.
DEFAULT_PRIOR = "the default (a blind language model, else sampled images, noise last)"

#: The first characters of a run's id that may stand for it, at least.
LEAST = 4
#: What is said beside, of editions of the bundled world: results on some ship, outside the cache until asked for.
SHIPPED_EDITIONS = (
    " Results of three models on editions of the world ship: on the page Robustness “Show the example” takes them into "
    "the cache, after which `report` reads them; `flipside perturb` makes an edition anew."
)


@dataclass(frozen=True)
class ChosenRun:
    """A run, what it is shown under, and what a reader should know about the choice."""

    run_id: str
    model: str
    benchmark: str
    benchmark_hash: str
    kinds: list[str]
    notes: list[str]
    origin: str = "computed"
    imported: tuple[str, str] | None = None

    @property
    def imported_from(self) -> dict[str, str] | None:
        """Of an imported run the bundle's file and when it came; None for any other."""
        return None if self.imported is None else {"file": self.imported[0], "when": self.imported[1]}


def choose_run(
    store: Store,
    model: str,
    benchmark: str,
    kind: str | None = None,
    subset: str | None = None,
    run: str | None = None,
    flag: str = "--run",
) -> ChosenRun:
    """The run by its id, or the latest complete one that leaves out nothing of the benchmark or its subset.

    benchmark: a name, a hash, or what stands before the colon of a name ("custom"); own data is found by its items,
    too, for the same items may have been scored under another name. Limited and sampled runs are taken only by `run`.
    flag: the option by which whoever asks may name a run, for what an error lists.
    Raises UsageError for a model, benchmark, kind, subset or run that is not there, FlipsideError where no complete
    run covers what is asked.
    """
    mine = _of_both(store, model, benchmark, kind)
    if run is not None:
        exact = mine[mine["run_id"] == run]
        mine = mine[mine["run_id"].str.startswith(run)] if exact.empty and len(run) >= LEAST else exact
        if len(mine) > 1:
            raise UsageError(f"run '{run}': {len(mine)} ids begin so: {', '.join(mine['run_id'])}.")
        if mine.empty:
            raise UsageError(f"run '{run}' is not of {model} on {benchmark}; `flipside runs` lists them.")
    _check_kind(mine, model, kind)
    row = mine.iloc[-1] if run is not None else _covering(store, mine, model, benchmark, kind, subset, flag)
    _check_subset(store, str(row["benchmark"]), subset)
    hashes = sorted(set(mine["benchmark"]))
    notes = []
    if len(hashes) > 1:
        notes.append(f"{benchmark} is here in {len(hashes)} versions; this run is on {row['benchmark']}.")
    if run is None and not row["whole"] and pd.notna(row["split"]) and pd.isna(row["subset"]):
        notes.append(f"The run covers split {row['split']} only.")
    if run is not None and not row["whole"]:
        notes.append(f"The run does not cover the benchmark: {catalog.selection_said(row.to_dict())}.")
    if not row["complete"]:
        notes.append("The run is not complete.")
    if broken := catalog.damaged(store).get(str(row["run_id"])):
        notes.append(f"The run lacks what cannot be used: {broken}. {_mend(broken)}.")
    if beside := _of_other_pictures(store, str(row["run_id"])):
        choice = f"; {flag} takes another one" if flag.startswith("--") else ""
        notes.append(f"Other pictures under the same names are scored in run {', '.join(beside)}{choice}.")
    notes += _said_of_model(store, str(row["run_id"]))
    record = store.run(str(row["run_id"])).record
    notes += [*public.notes(record, str(row["benchmark"])), *taught.notes(record)]
    came = None
    if row["origin"] == "imported":
        came = str(row["imported_from"]), str(row["imported_at"])
        notes.append(f"The run was imported from {came[0]} on {came[1][:10]}; it was not computed here.")
    return ChosenRun(
        str(row["run_id"]),
        str(row["model"]),
        str(row["benchmark_name"]),
        str(row["benchmark"]),
        list(row["kinds"]),
        notes,
        str(row["origin"]),
        came,
    )


def _of_both(store: Store, model: str, benchmark: str, kind: str | None) -> pd.DataFrame:
    """The runs of a model on a benchmark, the latest last. UsageError where there is none."""
    table = catalog.runs(store)
    named = table["benchmark_name"].map(lambda name: name == benchmark or name.startswith(f"{benchmark}:"))
    here = named | table["benchmark"].isin({benchmark, kept_hash(benchmark)} - {""})
    if not here.any():
        refuse_unknown(store, benchmark)
    every = runs_of_model(store, table, model, here)
    mine: pd.DataFrame = every[here[every.index]]
    if len(mine):
        return mine
    scored = every["kinds"].map(len) + every["priors"].map(len) > 0  # all pictures of a run may have been missing
    known = sorted(set(every.loc[scored, "benchmark_name"]))
    raise UsageError(
        f"{model} has no run on benchmark '{benchmark}'. It has: {', '.join(known) or 'none'}. "
        + how_to_get(str(every["model"].iloc[-1]), benchmark, kind, "makes one")
        + (SHIPPED_EDITIONS if benchmark.startswith("world~") else "")
    )


def _said_of_model(store: Store, run_id: str) -> list[str]:
    """What a reader of a run should know of its model: weights that nobody knows, a question other than ours, numbers
    that are stored otherwise than they were given."""
    record = store.run(run_id).record
    model = record.get("model")
    told = model if isinstance(model, dict) else {}
    before = told.get("preprocessing")
    question = before.get("question_template") if isinstance(before, dict) else None
    found = [f"Asked for vqa: {question}"] if isinstance(question, str) else []
    if told.get("weights_unknown"):
        found.append("The model's weights are unknown: another run under the same name may be of another model.")
    return found + transformed.notes(record)


def _of_other_pictures(store: Store, run_id: str) -> list[str]:
    """The runs of the same model on the same names, whose pictures have other bytes (engine/inputs/pictures.py)."""
    found = store.cursor().execute(
        """WITH family AS (SELECT run_id, coalesce(json_extract_string(record, '$.pictures.since'), run_id) AS first
                FROM runs)
            SELECT run_id FROM family WHERE run_id <> ?
                AND first = (SELECT first FROM family WHERE run_id = ?) ORDER BY run_id""",
        [run_id, run_id],
    )
    return [str(other) for (other,) in found.fetchall()]


def choose_setting(
    store: Store,
    chosen: ChosenRun,
    kind: str | None = None,
    alpha: float | None = None,
    prior: str | None = None,
    norm: Norm | None = None,
) -> tuple[Setting, list[str]]:
    """The setting that the options describe, the run's defaults filled in, and a note on each default taken."""
    notes = []
    if kind is None:
        wants_gen = alpha is not None or prior is not None or norm is not None
        kind = Kind.GEN if wants_gen and Kind.GEN in chosen.kinds else _first_judged(store, chosen)
        if len(chosen.kinds) > 1:
            notes.append(f"Kind {kind} of {', '.join(chosen.kinds)}; another by --kind.")
    if (prior or norm) and kind not in SPOKEN:
        raise UsageError(f"--prior and --norm apply to kinds gen and prior, not to {kind}.")
    setting = Setting(str(kind), alpha or 0.0, prior, norm or "token")
    needs_prior = bool(setting.alpha) or setting.kind == Kind.PRIOR
    if not (needs_prior or prior):
        return setting, notes
    stored = store.run(chosen.run_id)
    available = stored.priors
    if not available:
        folder = read_from(store, chosen.run_id)
        raise UsageError(
            f"run {chosen.run_id} has no prior. "
            + how_to_get(chosen.model, chosen.benchmark, Kind.PRIOR, "adds one", " --prior noise:3", folder)
        )
    if prior is None:
        prior = stored.default_prior
        others = [name for name in available if name != prior]
        instead = f"; --prior takes {', '.join(others)} instead" if others else ""
        notes.append(f"Prior {prior}, {DEFAULT_PRIOR}{instead}.")
    elif (where := stored.prior(prior)) is None:
        raise UsageError(f"run {chosen.run_id} has no prior '{prior}'; it has {', '.join(available)}.")
    elif "@" in prior and where[1].startswith("prior@images:"):
        prior = where[1].removeprefix("prior@")  # a folder that was named stands for what was drawn from it
    return setting.with_(prior=prior), notes


def _first_judged(store: Store, chosen: ChosenRun) -> str:
    """The first kind of the run that has verdicts: one that was asked for without images has none."""
    found = store.cursor().execute("SELECT kind FROM judged WHERE run_id = ?", [chosen.run_id]).fetchall()
    judged = {kind for (kind,) in found}
    return next((kind for kind in chosen.kinds if kind in judged), (chosen.kinds or [str(Kind.ITC)])[0])


def _check_kind(runs: pd.DataFrame, model: str, kind: str | None) -> None:
    """UsageError where none of the runs has scores of this kind."""
    if kind is None or any(kind in kinds for kinds in runs["kinds"]):
        return
    if kind not in set(Kind):
        raise UsageError(f"unknown kind '{kind}'. Available: {', '.join(Kind)}.")
    if kind == Kind.PRIOR and any(len(priors) for priors in runs["priors"]):
        return
    has = list(dict.fromkeys(kind for kinds in runs["kinds"] for kind in kinds))
    raise UsageError(
        f"{model} has no scores of kind {kind}; it has {', '.join(has) or 'none yet'}. "
        + how_to_get(str(runs["model"].iloc[-1]), str(runs["benchmark_name"].iloc[-1]), kind, "adds them")
    )


def _covering(
    store: Store, mine: pd.DataFrame, model: str, benchmark: str, kind: str | None, subset: str | None, flag: str
) -> pd.Series:
    covers = [catalog.covers(row, subset) for row in mine.to_dict("records")]
    ready = [_complete(store, run_id, kind) for run_id in mine["run_id"]]
    done = mine[np.array(covers, dtype=bool) & np.array(ready, dtype=bool)]
    # A run of one split covers less, so it is taken only where there is no other.
    unsplit = done[done["split"].isna() | (done["split"] == "all")]
    best = unsplit if len(unsplit) else done
    own = best[best["origin"] != "imported"]  # what came in a bundle is taken only where there is no other
    best = own if len(own) else best
    if len(best):
        latest: pd.Series[Any] = best.iloc[-1]
        return latest
    last = mine.iloc[::-1].head(3)
    others = "; ".join(f"{flag} {row['run_id']} ({_said(row)})" for _, row in last.iterrows())
    damaged = catalog.damaged(store)
    broken = next((damaged[run_id] for run_id in last["run_id"] if run_id in damaged), "")
    mend = f" Cannot be used: {broken}. {_mend(broken)}." if broken else ""
    what = f"kind {kind} of {benchmark}" if kind else benchmark
    raise FlipsideError(
        f"No complete run of {model} covers {what}{f' --subset {subset}' if subset else ''}. There is: {others}.{mend}"
    )


def _complete(store: Store, run_id: str, kind: str | None) -> bool:
    """Whether the part of a kind is complete; without a kind, that of the run's default kind."""
    available = catalog.settings(store, run_id)
    if kind == Kind.PRIOR:
        return any(done for part, done in available.parts.items() if part.startswith("prior@"))
    for name in [kind] if kind else available.kinds:
        found = available.parts.get(name, available.parts.get("prior@self" if name == Kind.PRIOR else "", False))
        if found:
            return True
    return False


def _said(row: "pd.Series[Any]") -> str:
    selection = [f"--{name} {row[name]}" for name in ("split", "subset", "limit", "sample") if pd.notna(row[name])]
    selection += ["--set, picked items"] if pd.notna(row["picked"]) else []
    state = [] if row["complete"] else ["not complete"]
    kinds = row["kinds"]
    return ", ".join([*selection, *state, f"kinds {', '.join(kinds) if isinstance(kinds, list) else kinds}"])


def _check_subset(store: Store, benchmark: str, subset: str | None) -> None:
    table = catalog.benchmarks(store).set_index("hash")
    if subset is None or benchmark not in table.index:
        return
    known = [str(name) for name in table["subsets"][benchmark]]
    for name in sorted(catalog.names(subset) - set(known)):
        near = difflib.get_close_matches(name, known, n=3)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"It has {', '.join(known)}."
        raise UsageError(f"this benchmark has no subset '{name}'. {hint}")


def _mend(broken: str) -> str:
    """What to do about what `catalog.damaged` says of a run; it begins with the file."""
    return mend(Path(broken.partition(": ")[0]))
