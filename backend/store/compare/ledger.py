"""What a training cost, and what it brought: every subset of every benchmark that a model was scored on before and
after it, with the change of the plain training beside it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from backend.benchmarks.items_folder.kept import EDITED
from backend.kinds import SIMILARITIES, Kind
from backend.metrics.core.registry import by_name
from backend.metrics.paired.multiplicity import holm
from backend.other_images import DEFAULT
from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.catalog import catalog, command_again
from backend.store.compare.compare import Shared, Side, against, shared
from backend.store.reasons import not_measured
from backend.store.scores.setting import Setting

#: What stands for retrieval: one number says less than four.
RECALLS = ("i2t_recall_at_1", "i2t_recall_at_5", "t2i_recall_at_1", "t2i_recall_at_5")
#: Columns of `rows`. gain: after − before; plain: the plain training's change on the same verdicts; extra: gain −
#: plain, which is after − plain training, for what stood before is the same; each with its interval, p exact, `holm`
#: and `extra_holm` over all rows. NaN where there is no plain training.
COLUMNS = (
    "benchmark", "hash", "subset", "protocol", "metric", "kind", "n", "clusters", "before", "after", "gain", "low",
    "high", "p", "holm", "plain", "plain_low", "plain_high", "extra", "extra_low", "extra_high", "extra_p",
    "extra_holm",
)  # fmt: skip


@dataclass(frozen=True)
class Missing:
    """What one model lacks on a benchmark. what: in words; protocol: of the verdicts that it lacks, "" where it lacks
    reasons alone; words: those after `flipside run` that bring it, () where no command does."""

    benchmark: str
    model: str
    what: str
    protocol: str
    words: tuple[str, ...]


def rows(store: Store, models: Sequence[str], kind: str, first: str = "") -> pd.DataFrame:
    """COLUMNS, of all benchmarks on which both have their default runs with a kind in common (`kind` where both have
    it). models: before, after, and the plain training where there is one. first: the hash that comes first."""
    found: list[dict[str, object]] = []
    known = catalog.benchmarks(store)
    order = sorted(range(len(known)), key=lambda k: (known["hash"].iloc[k] != first, k))
    for at in order:
        line = known.iloc[at]
        sides = _sides(store, str(line["hash"]), models, kind)
        if sides is None:
            continue
        protocols = {str(of) for of in line["protocols"].values()}
        metrics: list[str | None] = [None] if protocols - {str(Protocol.RETRIEVAL)} else []
        metrics += RECALLS if str(Protocol.RETRIEVAL) in protocols else ()
        for metric in metrics:
            both = shared(store, sides, metric)
            if metric is None:
                both = both.only(~both.frame["metric"].isin(RECALLS).to_numpy())
            found += _of(both, str(line["name"]), str(line["hash"]), sides[0].setting.kind)
    frame = pd.DataFrame(found, columns=list(COLUMNS))
    numbers = [
        c for c in COLUMNS if c not in ("benchmark", "hash", "subset", "protocol", "metric", "kind", "n", "clusters")
    ]
    frame = frame.astype(dict.fromkeys(numbers, float))
    return frame.assign(holm=holm(frame["p"].to_numpy()), extra_holm=holm(frame["extra_p"].to_numpy()))


def _sides(store: Store, benchmark: str, models: Sequence[str], kind: str) -> tuple[Side, ...] | None:
    """The sides on one benchmark, without the plain training where it has no run or not this kind; None where before or
    after have no kind in common."""
    known = catalog.models(store, benchmark)
    runs = {str(model): str(run) for model, run in zip(known["model"], known["run_id"], strict=True)}
    kinds = {str(model): [str(k) for k in of] for model, of in zip(known["model"], known["kinds"], strict=True)}
    first, second = (kinds.get(model, []) for model in models[:2])
    usable = next((k for k in (kind, *first) if k in first and k in second and k in SIMILARITIES), None)
    if usable is None:
        return None
    return tuple(Side(runs[model], Setting(usable)) for model in models if usable in kinds.get(model, []))


def _of(both: Shared, name: str, hash_: str, kind: str) -> list[dict[str, object]]:
    """The rows of one table of shared verdicts, a metric and subset each."""
    found = []
    for metric in both.frame["metric"].unique() if len(both) else ():
        own = both.only((both.frame["metric"] == metric).to_numpy())
        twin = own.correct.shape[1] > 2
        changes = against(own, "subset", baseline=0).set_index(["side", "group"])
        extras = against(own, "subset", baseline=2, others=[1]).set_index("group") if twin else None
        for subset in own.frame["subset"].unique():
            row = changes.loc[(1, subset)]
            line: dict[str, object] = {
                "benchmark": name, "hash": hash_, "subset": str(subset), "metric": str(metric), "kind": kind,
                "protocol": str(by_name(str(metric)).protocol), "n": int(row["n"]), "clusters": int(row["clusters"]),
                "before": row["rate_a"], "after": row["rate_b"], "gain": row["gain"], "low": row["low"],
                "high": row["high"], "p": row["p"],
            }  # fmt: skip
            if extras is not None:
                plain, extra = changes.loc[(2, subset)], extras.loc[subset]
                line |= {"plain": plain["gain"], "plain_low": plain["low"], "plain_high": plain["high"]}
                line |= {"extra": extra["gain"], "extra_low": extra["low"], "extra_high": extra["high"]}
                line |= {"extra_p": extra["p"]}
            found.append({column: line.get(column, np.nan) for column in COLUMNS})
    return found


def missing(store: Store, models: Sequence[str], kind: str) -> list[Missing]:
    """What would stand in `rows` if it had been scored, and reasons that have not been measured: on benchmarks that one
    of the models has a run on, but no perturbed editions. models: as of `rows`."""
    found: list[Missing] = []
    for _, line in catalog.benchmarks(store).iterrows():
        name, hash_ = str(line["name"]), str(line["hash"])
        known = catalog.models(store, hash_).set_index("model")
        if EDITED in name or not any(model in known.index for model in models):
            continue
        protocols = [Protocol(of) for of in dict.fromkeys(line["protocols"].values())]
        for model in models:
            if model in known.index:
                found += _unfinished(store, name, model, kind, str(known.loc[model, "run_id"]), protocols)
                continue
            folder = catalog.data_folder(hash_, name)
            words = ("--model", model, "--benchmark", name, *(("--data", folder) if folder else ()), "--kinds", kind)
            found += [Missing(name, model, of.info.title, str(of), words) for of in protocols]
    return found


def _unfinished(
    store: Store, name: str, model: str, kind: str, run_id: str, protocols: Sequence[Protocol]
) -> list[Missing]:
    """What a model's run on a benchmark lacks: the vectors of its pools, and the scores under other images."""
    run = store.run(run_id)
    if kind not in run.kinds:
        return []
    words = tuple(command_again.words(run, [kind]))
    found = []
    if Protocol.RETRIEVAL in protocols and kind == Kind.ITC and "embeddings:image" not in run.parts:
        found.append(Missing(name, model, Protocol.RETRIEVAL.info.title, str(Protocol.RETRIEVAL), words))
    lacking = not_measured.of_run(store, run_id, kind)
    for of in protocols:
        if str(of) in lacking and lacking[str(of)].command:
            more = (*words, "--counterfactual", str(command_again.others_asked(run) or DEFAULT))
            found.append(Missing(name, model, f"reasons of {of.info.title}", "", more))
    return found
