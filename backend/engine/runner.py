"""`run`: a model on a benchmark, from the plan to committed shards; continues whatever an earlier process committed.

Memory is bounded by the window (at most 4,096 cells), the decoded images of one batch and as many that wait (64 each,
or about 256 MB at the average size so far; more on a GPU, see inputs/decoder.py) and the caches of `cache.py`, whatever
the benchmark's size; about 40 bytes an item are kept for planning, and about 250 for each image file, so that its
scores can be taken again (`image_bytes.py`).
"""

import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from backend import paths
from backend.engine import early, interrupt
from backend.engine import planned as planned_
from backend.engine.cache import Memory
from backend.engine.cluster.connection import Cluster
from backend.engine.cluster.job import How
from backend.engine.cluster.remote import Remote
from backend.engine.cluster.session import ClusterSession
from backend.engine.inputs import image_bytes, pictures
from backend.engine.inputs import others as others_
from backend.engine.inputs.prior import PriorSource, TextScorer, default_source
from backend.engine.inputs.prior_setup import prepare_priors, sampled_images
from backend.engine.inputs.selection import Selection, open_selected
from backend.engine.plan import Plan, make_plan
from backend.engine.reporting import counterfactual as counterfactual_
from backend.engine.reporting.summary import RunSummary
from backend.engine.reuse import Reuse, sources
from backend.engine.session import Report, Session
from backend.engine.storage import away, files, record, shards
from backend.engine.storage.ledger import Ledger, Pace
from backend.errors import UsageError
from backend.intake.survey import Survey, survey
from backend.items import IMAGE_KINDS, Benchmark, Kind
from backend.kinds import ASKED, usual
from backend.models.base import Model


def run(
    model: Model | str,
    benchmark: Benchmark | str,
    kinds: Sequence[str] | None,
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
    reuse: bool = True,
    counterfactual: int = 0,
    loaded: dict[str, Model] | None = None,
    memory: Memory | None = None,
    name: str | None = None,
    tell: Callable[[str], object] | None = None,
    planned: bool = False,
    cluster: Cluster | None = None,
) -> RunSummary:
    """Score a model on a benchmark and commit the scores under `root` (the cache).

    model, benchmark: specs, or what they load. kinds: None for all that the model gives and the benchmark can take
    (`kinds.usual`), and the prior where sources are named. priors: sources for the kind `prior` (see prior.py). batch:
    how many pairs, texts or images go through the model at once. workers: threads that decode images.
    trust_remote_code, compile: see `models.load`. series: see `record.open_record`. reuse: whether scores that stored
    runs hold already are taken from them (reuse.py); False computes every one. counterfactual: under how many other
    images the captions of choices and triplets are scored, too (others.py), which is no part of the run's id. loaded:
    where a model of that spec is looked for, and put when it has been loaded: for several benchmarks one after the
    other. memory: what this model has encoded, kept from one benchmark to the next. name: what the model is called;
    kept in the record, no part of the run's id. tell: hears what a person should know before anything is scored; the
    summary has it, too. planned: batches are formed by the plan alone (planned.py). cluster: where a model that is
    named by its spec is loaded and asked instead of in this process (cluster/); then batches are planned in any case.
    """
    from backend.models import kinds_of

    begun = time.monotonic()
    interrupt.before_batches()
    selection = selection or Selection()
    others_.parse(counterfactual)
    store = away.store_url()
    root = root or paths.cache_dir()
    # Whatever can be refused is refused before the weights are read, which may take minutes.
    if isinstance(model, str):
        early.refuse_device(device, dtype)
        spec, gives = model, kinds_of(model)
    else:
        spec, gives = model.spec, frozenset(map(str, model.kinds))
    wanted = wanted_kinds(kinds, gives, priors)
    refuse_kinds(spec, gives, wanted)
    sources = prior_sources(spec, gives, wanted, priors, selection.seed)
    if isinstance(benchmark, str):
        benchmark, selection = open_selected(benchmark, data_dir, selection)
    n_prior_images = max((s.n for s in sources if s.how == "images" and not s.folder), default=0)
    found = survey(benchmark, selection, root, n_prior_images)
    wanted, unjudged = early.judged_kinds(found, spec, wanted, kinds is not None)
    selection = found.selection  # a limit that leaves nothing out names the run of all items
    if isinstance(model, str):
        make_plan(found, wanted, sources, texts_alone=_texts_alone(gives))  # an error where nothing has a cell
        early.refuse_unwritable(root)
        early.refuse_busy(root, spec, found.content_hash, selection, device, dtype)
        how = How(spec, device, dtype, selection.seed, trust_remote_code, compile, batch)
        model = _loaded(how, {} if loaded is None else loaded, cluster)
        if model.kinds != gives:  # a server gives what it gives
            wanted = wanted_kinds(None, model.kinds, priors) if kinds is None else wanted
            refuse_kinds(spec, model.kinds, wanted)
            wanted, unjudged = early.judged_kinds(found, spec, wanted, kinds is not None)
            sources = prior_sources(spec, model.kinds, wanted, priors, selection.seed)
    if batch is not None:
        model.batch_size = batch
    model.finds_batches = not planned and cluster is None
    how_many = {"counterfactual": counterfactual, "seed": selection.seed}
    plan = make_plan(found, wanted, sources, texts_alone=_texts_alone(model.kinds), pairwise=model.pairwise, **how_many)
    digest = image_bytes.Digests()
    where = pictures.place(root, model.describe(), found, selection, plan, digest)
    run_dir = where.run_dir
    plan = counterfactual_.without_shipped(plan, run_dir.name) if reuse else plan
    notes = [*unjudged, *where.notes, *_unknown(model), *_links(sources), *counterfactual_.uncertain(plan)]
    if tell is not None:
        for said in notes:
            tell(said)
    with files.run_lock(run_dir):
        for said in shards.set_aside_damaged(run_dir):
            notes.append(said)
            if tell is not None:
                tell(said)
        away_ = away.begun(store, run_dir, tell)
        shards.remove_strays(run_dir)
        ledger = Ledger(run_dir, plan.stages, pace or Pace(), away_)
        pending = {stage.name: np.setdiff1d(stage.items, ledger.done(stage)) for stage in plan.stages}
        scorers, details = _priors(model, plan, pending, device, dtype, selection.seed)
        asked: dict[str, Any] = {"kinds": [str(kind) for kind in wanted], "priors": [s.part for s in sources]}
        asked |= {"device": device, "dtype": dtype, "batch": model.batch_size}
        asked |= {"counterfactual": counterfactual} if counterfactual else {}
        asked |= {"planned": planned_.CELLS} if planned or cluster is not None else {}
        asked |= {} if reuse else {"reuse": False}
        asked |= {"trust_remote_code": True} if trust_remote_code else {}
        kept = record.open_record(
            run_dir, model, found, benchmark, selection, details, asked, series, where.pictures, name
        )
        summary = RunSummary(run_dir.name, run_dir, model.spec, benchmark.name, len(found.selected))
        summary.skipped, summary.notes = plan.skipped, notes
        summary.goes_on = not model.describe().get("weights_unknown")
        seen = image_bytes.Seen(run_dir, told=pictures.is_told(run_dir, ledger.manifest))
        known = _known(plan, model, found, root, run_dir, details, pending, seen, digest) if reuse else None
        kind_of = ClusterSession if isinstance(model, Remote) else Session
        session = kind_of(plan, ledger, summary, pending, begun, progress, known, seen, memory, is_planned=planned)
        session.details, session.tell = details, tell
        session.work(model, scorers, workers or min(4, os.cpu_count() or 1))
        counterfactual_.note(kept, plan, summary)
        sessions = kept["sessions"][:-1]
        summary.counterfactual = counterfactual_.told(
            found, wanted, model.pairwise, counterfactual, ledger.manifest, summary, sessions
        )
        _close(kept, session, known, model.remarks(), model.found_batches())
        away.ended(away_, ledger.manifest, found.content_hash, root)
    return summary


def _close(
    kept: dict[str, Any], session: Session, known: Reuse | None, remarks: Mapping[str, Any],
    batches: Mapping[str, int],
) -> None:  # fmt: skip
    """Write into the run's record what came of a session. remarks: of the model; batches: the sizes that it found."""
    summary = session.summary
    for of, parts in summary.taken.items():
        before = kept.setdefault("taken", {}).setdefault(of, {})
        before |= {part: before.get(part, 0) + n for part, n in parts.items()}
    if known is not None and (measured := known.batching(summary.taken)):
        kept["batching"] = {**measured, **kept.get("batching", {})}
    if session.batching:
        kept["batching"] = {**kept.get("batching", {}), **session.batching}
    outcome: dict[str, Any] = {"seconds": round(summary.seconds, 1), "scoring": round(summary.scoring, 1)}
    outcome |= {"scores": summary.computed, "failed": summary.failed}
    outcome |= {"taken": summary.taken} if summary.taken else {}
    outcome |= {"remarks": remarks} if remarks else {}
    outcome |= {"batches": batches} if batches else {}
    outcome |= session.outcome
    record.close_record(summary.run_dir, kept, outcome | {"interrupted": summary.interrupted})


def _loaded(how: How, models: dict[str, Model], cluster: Cluster | None) -> Model:
    """The model of a spec: the one that is there already, else loaded, or looked at on a cluster."""
    from backend.models import load

    if cluster is not None:
        return Remote(cluster, how)
    if how.spec not in models:
        more: dict[str, Any] = {"trust_remote_code": how.trust_remote_code, "compile": how.compile}
        models[how.spec] = load(how.spec, how.device, how.dtype, how.seed, **more)
    return models[how.spec]


def _priors(
    model: Model, plan: Plan, pending: Mapping[str, npt.NDArray[np.int32]], device: str, dtype: str, seed: int
) -> tuple[dict[str, TextScorer], dict[str, dict[str, Any]]]:
    """`prepare_priors` of what is pending; no scorers of a model on a cluster, where each process has its own."""
    stages = [stage for stage in plan.stages if len(pending[stage.name])]
    if isinstance(model, Remote):
        return {}, model.priors(plan, stages)
    return prepare_priors(stages, model, plan.survey, device, dtype, seed)


def _links(sources: Sequence[PriorSource]) -> list[str]:
    """What to say of links in the folders that priors draw from."""
    return [f"{source.part.removeprefix('prior@')}: {source.links}" for source in sources if source.links]


def _unknown(model: Model) -> list[str]:
    """What to say of a model whose weights nobody knows: such a run stands by itself."""
    if not model.describe().get("weights_unknown"):
        return []
    return [
        f"{model.spec}: weights unknown, so none of these scores is ever taken for another run, and this run cannot be "
        "gone on with. Give the code a state_dict() or a weights_id (docs/own-models.md)."
    ]


def _known(
    plan: Plan,
    model: Model,
    found: Survey,
    root: Path,
    run_dir: Path,
    details: Mapping[str, Mapping[str, Any]],
    pending: Mapping[str, npt.NDArray[np.int32]],
    seen: image_bytes.Seen,
    digest: Callable[[str], str],
) -> Reuse | None:
    """What stored runs may know of what is pending; None where nothing is. The pictures of priors are noted as seen."""
    stages = [stage for stage in plan.stages if len(pending[stage.name])]
    sampled = [(image, digest(image.uri)) for image in sampled_images(stages, found)]
    seen.note(sampled)
    there = sources(root, model, found.content_hash, run_dir) if stages else []
    return Reuse(plan, there, details, {image.key: of for image, of in sampled}, digest) if there else None


def parse_kinds(kinds: Sequence[str]) -> list[Kind]:
    """The kinds asked for, each once, in their order; UsageError for an unknown one or none."""
    known = [str(kind) for kind in ASKED]
    unknown = [kind for kind in kinds if kind not in known]
    if unknown or not kinds:
        what = f"unknown kind '{unknown[0]}'" if unknown else "no kind given"
        raise UsageError(f"--kinds: {what}. Kinds: {', '.join(known)}.")
    return [Kind(kind) for kind in dict.fromkeys(kinds)]


def wanted_kinds(kinds: Sequence[str] | None, gives: Collection[str], priors: Sequence[str]) -> list[Kind]:
    """The kinds that are asked for; where nobody named any, the usual ones, and the prior where sources are named."""
    if kinds is not None:
        return parse_kinds(kinds)
    return parse_kinds([*usual(gives), *([Kind.PRIOR] if priors else [])])


def refuse_kinds(spec: str, gives: Collection[str], kinds: Sequence[Kind]) -> None:
    """UsageError where a model lacks a kind; asked before its weights are read, and again of the loaded model."""
    for kind in kinds:
        if kind not in gives and not (kind == Kind.PRIOR and Kind.GEN in gives):
            raise UsageError(f"{spec} gives no {kind}; it gives {', '.join(sorted(gives))}.")


def _texts_alone(gives: Collection[str]) -> bool:
    """Whether a model of these kinds sees no image."""
    return not IMAGE_KINDS & {Kind(kind) for kind in gives}


def prior_sources(
    spec: str, gives: Collection[str], kinds: Sequence[Kind], priors: Sequence[str], seed: int
) -> list[PriorSource]:
    """Where P(t) is from; UsageError for sources that a model cannot take, or that are named without the kind."""
    if Kind.PRIOR not in kinds:
        if priors:
            raise UsageError(f"--prior {priors[0]}: add prior to --kinds, or leave --prior out.")
        return []
    sources = PriorSource.parse_all(priors) or [default_source(gives)]
    for source in sources:
        source.check(spec, gives)
    return [source.drawn(seed) for source in sources]
