"""`run`: a model on a benchmark, from the plan to committed shards; continues whatever an earlier process committed.

Memory is bounded by the window (at most 4,096 cells), the decoded images of one batch (64, or 256 MB) and the caches
of `cache.py`, whatever the benchmark's size; about 40 bytes an item are kept for planning.
"""

import os
import time
from collections.abc import Collection, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from backend import paths
from backend.engine import files, record, shards
from backend.engine.ledger import Ledger, Pace
from backend.engine.plan import make_plan
from backend.engine.prior import PriorSource, default_source
from backend.engine.prior_setup import prepare_priors
from backend.engine.selection import Selection, open_selected
from backend.engine.session import Report, Session
from backend.engine.summary import RunSummary
from backend.engine.survey import survey
from backend.errors import UsageError
from backend.items import IMAGE_KINDS, Benchmark, Kind
from backend.models.base import Model


def run(
    model: Model | str,
    benchmark: Benchmark | str,
    kinds: Sequence[str],
    *,
    data_dir: str | PathLike[str] | None = None,
    priors: Sequence[str] = (),
    selection: Selection | None = None,
    device: str = "auto",
    dtype: str = "auto",
    batch: int | None = None,
    root: Path | None = None,
    progress: Report | None = None,
    pace: Pace | None = None,
    workers: int | None = None,
    trust_remote_code: bool = False,
    compile: bool = False,  # noqa: A002 - torch's own word
    series: Mapping[str, int] | None = None,
) -> RunSummary:
    """Score a model on a benchmark and commit the scores under `root` (the cache).

    model, benchmark: specs, or what they load. priors: sources for the kind `prior` (see prior.py). batch: how many
    pairs, texts or images go through the model at once. workers: threads that decode images.
    trust_remote_code, compile: see `models.load`. series: see `record.open_record`.
    """
    from backend.models import kinds_of, load

    begun = time.monotonic()
    selection = selection or Selection()
    wanted = parse_kinds(kinds)
    if isinstance(model, str):
        refuse_kinds(model, kinds_of(model), wanted)
    if isinstance(benchmark, str):
        benchmark, selection = open_selected(benchmark, data_dir, selection)
    if isinstance(model, str):
        model = load(model, device, dtype, selection.seed, trust_remote_code=trust_remote_code, compile=compile)
    refuse_kinds(model.spec, model.kinds, wanted)
    if batch is not None:
        model.batch_size = batch
    sources = _sources(model, wanted, priors)
    root = root or paths.cache_dir()
    n_prior_images = max((source.n for source in sources if source.how == "images"), default=0)
    found = survey(benchmark, selection, root, n_prior_images)
    texts_alone = not IMAGE_KINDS & {Kind(kind) for kind in model.kinds}
    plan = make_plan(found, wanted, sources, texts_alone=texts_alone, pairwise=model.pairwise)
    run_dir = root / "runs" / record.run_id(model.describe(), found.content_hash, selection)
    with files.run_lock(run_dir):
        shards.remove_strays(run_dir)
        ledger = Ledger(run_dir, plan.stages, pace or Pace())
        pending = {stage.name: np.setdiff1d(stage.items, ledger.done(stage)) for stage in plan.stages}
        scorers, details = prepare_priors(
            [stage for stage in plan.stages if len(pending[stage.name])], model, found, device, dtype, selection.seed
        )
        asked: dict[str, Any] = {"kinds": [str(kind) for kind in wanted], "priors": [s.part for s in sources]}
        asked |= {"device": device, "dtype": dtype, "batch": model.batch_size}
        kept = record.open_record(run_dir, model, found, benchmark, selection, details, asked, series)
        summary = RunSummary(run_dir.name, run_dir, model.spec, benchmark.name, len(found.selected))
        summary.skipped = plan.skipped
        session = Session(plan, ledger, summary, pending, begun, progress)
        session.work(model, scorers, workers or min(4, os.cpu_count() or 1))
        outcome = {"seconds": round(summary.seconds, 1), "scores": summary.computed, "failed": summary.failed}
        outcome |= {"remarks": remarks} if (remarks := model.remarks()) else {}
        record.close_record(run_dir, kept, outcome | {"interrupted": summary.interrupted})
    return summary


def parse_kinds(kinds: Sequence[str]) -> list[Kind]:
    """The kinds asked for, each once, in their order; UsageError for an unknown one or none."""
    known = [str(kind) for kind in Kind]
    unknown = [kind for kind in kinds if kind not in known]
    if unknown or not kinds:
        what = f"unknown kind '{unknown[0]}'" if unknown else "no kind given"
        raise UsageError(f"--kinds: {what}. Kinds: {', '.join(known)}.")
    return [Kind(kind) for kind in dict.fromkeys(kinds)]


def refuse_kinds(spec: str, gives: Collection[str], kinds: Sequence[Kind]) -> None:
    """UsageError where a model lacks a kind; asked before its weights are read, and again of the loaded model."""
    for kind in kinds:
        if kind not in gives and not (kind == Kind.PRIOR and Kind.GEN in gives):
            raise UsageError(f"{spec} gives no {kind}; it gives {', '.join(sorted(gives))}.")


def _sources(model: Model, kinds: Sequence[Kind], priors: Sequence[str]) -> list[PriorSource]:
    if Kind.PRIOR not in kinds:
        if priors:
            raise UsageError(f"--prior {priors[0]}: add prior to --kinds, or leave --prior out.")
        return []
    sources = [PriorSource.parse(text) for text in dict.fromkeys(priors)] or [default_source(model)]
    for source in sources:
        source.check(model)
    return sources
