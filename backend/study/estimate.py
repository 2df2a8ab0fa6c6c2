"""`study --dry-run`: what is there, what is missing, how many scores, and about how long and how much memory."""

import json
import subprocess
from collections.abc import Callable
from typing import Any

from backend import paths, plain_json
from backend.engine.early import judged_kinds
from backend.engine.plan import make_plan
from backend.engine.runner import prior_sources, refuse_kinds, wanted_kinds
from backend.errors import FlipsideError
from backend.kinds import IMAGE_KINDS, Kind
from backend.models import kinds_of
from backend.study.grid import ModelEntry, Study
from backend.study.running import Subject, begun, counterfactual
from backend.study.state import DONE, MISSING, CellState

#: Seconds that one model's probe may take.
PATIENCE = 1800.0


def dry_run(study: Study, found: list[Subject], tell: Callable[[str], object] = lambda _: None) -> dict[str, Any]:
    """The document of `study --dry-run --json`. No score is kept.

    benchmarks: items, images that are missing, why one cannot be read. cells: state (kept, to score, missing), scores
    that the cell has in all, seconds, why. models: what loading takes, the most memory of the process and of the GPU.
    seconds: of all that is to score, None where a probe failed; bytes: the most memory of any model.
    """
    standing = begun(study, found)
    models, cells = [], []
    for model, row in zip(study.models, standing.cells, strict=True):
        counted = [_cell(study, model, subject, cell) for subject, cell in zip(found, row, strict=True)]
        todo = [k for k, each in enumerate(counted) if each["state"] == "to score"]
        probe: dict[str, Any] = {}
        if todo:
            tell(f"probing {model.title}")
            probe = _probe(study, model, [found[k] for k in todo])
        for at, k in enumerate(todo):
            _add_time(counted[k], probe, at)
        models.append(
            {"model": model.title, "spec": model.spec, **{k: v for k, v in probe.items() if k != "benchmarks"}}
        )
        cells += counted
    loads = [float(each.get("load_seconds") or 0.0) for each in models]
    seconds = [cell["seconds"] for cell in cells if cell["state"] == "to score"]
    sizes = [int(each["rss_bytes"]) for each in models if each.get("rss_bytes")]
    return {
        "study": standing.study,
        "title": study.title,
        "benchmarks": [
            {"benchmark": s.entry.title, "n_items": s.n_items, "n_images_missing": s.n_missing, "why": s.why}
            for s in found
        ],
        "models": models,
        "cells": cells,
        "seconds": None if None in seconds else round(sum(loads) + sum(seconds), 1),
        "bytes": max(sizes, default=None),
    }


def _cell(study: Study, model: ModelEntry, subject: Subject, cell: CellState) -> dict[str, Any]:
    """A cell with its number of scores; what can be known without the weights."""
    found = {"model": model.title, "benchmark": subject.entry.title, "n_items": subject.n_items}
    if cell.state == DONE:
        return found | {"state": "kept", "scores": 0, "seconds": 0.0, "why": cell.why}
    if cell.state == MISSING or subject.found is None:
        return found | {"state": "missing", "scores": 0, "seconds": None, "why": cell.why}
    try:
        gives = kinds_of(model.spec)
        kinds = wanted_kinds(study.kinds_of(model, subject.entry) or None, gives, study.priors_of(model))
        refuse_kinds(model.spec, gives, kinds)
        kinds, _ = judged_kinds(subject.found, model.spec, kinds, bool(study.kinds_of(model, subject.entry)))
        sources = prior_sources(model.spec, gives, kinds, study.priors_of(model), subject.entry.selection.seed)
        blind = not IMAGE_KINDS & {Kind(kind) for kind in gives}
        n = counterfactual(study, model)
        plan = make_plan(subject.found, kinds, sources, texts_alone=blind, counterfactual=n)
    except FlipsideError as error:
        return found | {"state": "missing", "scores": 0, "seconds": None, "why": model.wrong(error)}
    scores = sum(plan.n_cells(stage, stage.items) for stage in plan.stages)
    left = {reason: n for stage in plan.stages for reason, n in stage.left_out.items()}
    why = "; ".join(f"{n} items left out: {reason}" for reason, n in left.items())
    state = "to score" if scores else "missing"
    return found | {"state": state, "scores": scores, "seconds": None, "why": why}


def _probe(study: Study, model: ModelEntry, found: list[Subject]) -> dict[str, Any]:
    """What `probe.py` says of a model in a process of its own."""
    asked = {
        "spec": model.spec, "device": study.device, "dtype": model.dtype, "batch": model.batch or study.batch,
        "trust": study.trust_remote_code,
        "benchmarks": [
            {
                "name": subject.entry.name, "data": None if subject.entry.data is None else str(subject.entry.data),
                "split": subject.entry.selection.split, "subset": subject.entry.selection.subset,
                "seed": subject.entry.selection.seed, "kinds": study.kinds_of(model, subject.entry),
                "priors": list(study.priors_of(model)), "counterfactual": counterfactual(study, model),
            }
            for subject in found
        ],
    }  # fmt: skip
    command = paths.module_command("backend.study.probe", json.dumps(asked))
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=paths.work_dir()
        )
        said: dict[str, Any] = plain_json.loads(done.stdout.strip().splitlines()[-1])
    except subprocess.TimeoutExpired:
        return {"why": f"the probe took longer than {PATIENCE:.0f} s"}
    except (OSError, IndexError, ValueError):
        return {"why": "the probe ended without an answer; `flipside run` with --limit 8 shows why"}
    return said


def _add_time(cell: dict[str, Any], probe: dict[str, Any], at: int) -> None:
    """What a probe's few items say of all of a cell's."""
    if "why" in probe:
        cell["why"] = "; ".join(filter(None, (cell["why"], str(probe["why"]))))
        return
    seen = probe["benchmarks"][at]
    if "why" in seen:
        cell["why"] = "; ".join(filter(None, (cell["why"], str(seen["why"]))))
    elif seen["scores"]:
        cell["seconds"] = round(seen["seconds"] / seen["scores"] * cell["scores"], 1)
