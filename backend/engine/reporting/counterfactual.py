"""What a run has of its captions under other images, and what it would take to have them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from backend import enough, paths
from backend.engine.inputs.others import VECTORS, applicable, kinds_among, part_of
from backend.engine.plan import PAIRED, Plan
from backend.engine.reporting.summary import RunSummary
from backend.engine.storage import files, shards
from backend.engine.storage.shards import Manifest
from backend.intake.survey import Survey
from backend.items import Kind
from backend.other_images import DEFAULT


def note(kept: dict[str, Any], plan: Plan, summary: RunSummary) -> None:
    """Write into a run's record how the images of each finished part were chosen; what an earlier, larger number of
    images has left there stays."""
    for stage in plan.stages:
        said = summary.parts.get(stage.name, {})
        if stage.share is None or summary.interrupted or "failed" in said or not said.get("complete"):
            continue
        entry = stage.share.others.about(stage.items, every=not stage.paired)
        known = kept.setdefault("counterfactual", {})
        for part in stage.parts:
            before = known.get(part, {}).get("images", 0)
            if not stage.paired or before <= entry["images"]:
                known[part] = entry


def uncertain(plan: Plan) -> list[str]:
    """What a person should know before anything is scored: of which subsets no item can have a certain reason, or none
    that says what is seen, and what is needed (`enough`)."""
    found: dict[str, dict[str, list[str]]] = {}
    for stage in plan.stages:
        share = stage.share
        if share is None:
            continue
        scored = stage.items[share.others.counts[stage.items] > 0]
        subsets = plan.survey.subset[scored]
        for subset in np.unique(subsets).tolist():
            items = scored[subsets == subset]
            most = share.others.most(plan.survey, items, every=not stage.paired)
            if why := enough.too_few(len(items), most):
                # With --counterfactual N below what there is, a larger N helps.
                more = most < enough.OTHER_IMAGES and most == share.others.n and stage.paired
                why += f"; --counterfactual {enough.OTHER_IMAGES} scores them" if more else ""
                name = plan.survey.subset_names[subset]
                found.setdefault(why, {}).setdefault(name, []).append(str(stage.kind))
    return [
        f"{', '.join(kinds)} of {', '.join(subsets)}: {why}."
        for why, told in found.items()
        for kinds, subsets in _alike(told).items()
    ]


def _alike(kinds_of: Mapping[str, Sequence[str]]) -> dict[tuple[str, ...], list[str]]:
    """Kinds -> the subsets of which all these say the same."""
    found: dict[tuple[str, ...], list[str]] = {}
    for subset, kinds in kinds_of.items():
        found.setdefault(tuple(kinds), []).append(subset)
    return found


def without_shipped(plan: Plan, run_id: str) -> Plan:
    """The plan without vectors of captions and images where the run of this id ships with cosines of as many images:
    what ships and what is computed are read together (scripts/compact_results.py)."""
    if plan.others is None or not _ships(run_id, plan.others.n):
        return plan
    return replace(plan, stages=tuple(s for s in plan.stages if s.share is None or s.paired))


def _ships(run_id: str, images: int) -> bool:
    folder = paths.bundled_runs_dir() / "runs" / run_id
    part = part_of(Kind.ITC)
    if not shards.read_manifest(folder)["parts"].get(part, {}).get("complete"):
        return False
    entry = files.read_json(folder / shards.RECORD).get("counterfactual", {}).get(part, {})
    return isinstance(entry.get("images"), int) and bool(entry["images"] >= images)


def told(
    found: Survey,
    kinds: Sequence[Kind],
    pairwise: Collection[str],
    asked: int,
    manifest: Manifest,
    summary: RunSummary,
    sessions: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """What a summary says: {"images": how many were asked for}, and where some kind of the run has none, though it has
    choices or triplets, what as many as an earlier session asked for (DEFAULT where none did) would cost: "would_be",
    "kinds", "scores", "seconds" (None where no rate is known, else by the rate of this session, or of the last one that
    computed anything)."""
    said: dict[str, Any] = {"images": asked}
    items = applicable(found)
    items = items[found.n_missing[items] == 0]
    lacking = [kind for kind in kinds_among(kinds) if _lacks(kind, pairwise, manifest)]
    wanted = max((n for each in sessions if isinstance(n := each.get("counterfactual"), int)), default=0) or DEFAULT
    subsets, counts = np.unique(found.subset[items], return_counts=True)
    if asked or not lacking or summary.interrupted or summary.failed or counts.max(initial=0) < 2:
        return said
    texts, images = int(found.n_texts[items].sum()), len(np.unique(found.first_image[items]))
    others = dict(zip(subsets.tolist(), np.minimum(counts - 1, wanted).tolist(), strict=True))
    pairs = int((found.n_texts[items] * np.array([others[s] for s in found.subset[items].tolist()])).sum())
    scores = sum(pairs if _is_paired(kind, pairwise) else images + texts for kind in lacking)
    rate = _rate(summary, sessions)
    seconds = round(scores / rate, 1) if rate else None
    return said | {"would_be": wanted, "kinds": [str(k) for k in lacking], "scores": scores, "seconds": seconds}


def _is_paired(kind: Kind, pairwise: Collection[str]) -> bool:
    return kind in PAIRED or kind in pairwise


def _lacks(kind: Kind, pairwise: Collection[str], manifest: Manifest) -> bool:
    part = part_of(kind) if _is_paired(kind, pairwise) else VECTORS[0]
    return not manifest["parts"].get(part, {}).get("complete", False)


def _rate(summary: RunSummary, sessions: Sequence[Mapping[str, Any]]) -> float | None:
    """Scores a second while the model was at work, by this session, else by what an earlier session's record says
    (older ones say only how long all of it took, the start included)."""
    calls = sum(n for what, n in summary.asked.items() if what != "images_decoded")
    if calls and summary.scoring:
        return calls / summary.scoring
    for session in reversed(sessions):
        scores, seconds = session.get("scores"), session.get("scoring") or session.get("seconds")
        if isinstance(scores, int) and isinstance(seconds, int | float) and scores and seconds:
            return scores / seconds
    return None
