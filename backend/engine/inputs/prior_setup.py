"""Making prior sources ready: sampled images opened, blind models loaded, and what the record says about each."""

from collections.abc import Sequence
from typing import Any

from backend.engine.inputs.decode import decode
from backend.engine.inputs.prior import PriorSource, TextScorer, load_blind, text_scorer
from backend.engine.inputs.prior_folder import keys_in
from backend.engine.plan import Stage
from backend.errors import FlipsideError
from backend.intake.survey import Survey
from backend.items import ImageRef
from backend.models.base import Model, Picture

#: The entries of a blind model's description that say which model it was.
ABOUT_BLIND = ("spec", "weights_sha256", "preprocessing", "dtype")
#: And one that only unknown weights have, so that nothing is gone on with.
UNKNOWN = "weights_unknown"


def prepare_priors(
    stages: Sequence[Stage], model: Model, found: Survey, device: str, dtype: str, seed: int
) -> tuple[dict[str, TextScorer], dict[str, dict[str, Any]]]:
    """For each prior stage its scorer, and what has to be the same when the run is continued."""
    scorers: dict[str, TextScorer] = {}
    details: dict[str, dict[str, Any]] = {}
    for stage in stages:
        if stage.source is None:
            continue
        source, part = stage.source, stage.name
        blind = load_blind(source.spec, device, dtype, seed) if source.how == "lm" else None
        if blind is not None:
            blind.finds_batches = model.finds_batches
        sampled = _sampled(source, found) if source.how == "images" else []
        pictures = [_open(part, ref) for ref in sampled]
        scorers[part] = text_scorer(source, model, blind, pictures, seed)
        details[part] = _details(source, seed, sampled, blind, found)
    return scorers, details


def sampled_images(stages: Sequence[Stage], found: Survey) -> list[ImageRef]:
    """The benchmark's pictures under which the `images:N` priors of some stages are computed. Those of a folder are
    known by the name of their part."""
    own = (stage.source for stage in stages if stage.source and stage.source.how == "images")
    most = max((source.n for source in own if not source.folder), default=0)
    return found.prior_images[:most]


def _details(
    source: PriorSource, seed: int, sampled: Sequence[ImageRef], blind: Model | None, found: Survey
) -> dict[str, Any]:
    if source.how == "noise":
        return {"samples": source.n, "seed": seed}
    if source.folder:  # images: the benchmark's keys of those that it has, too; files: the names in the folder
        named = {"images": keys_in(found, sampled), "files": [image.key for image in sampled]}
        return {"samples": source.n, "seed": seed, **named, "sha256": source.digest}
    if source.how == "images":
        return {"samples": source.n, "seed": seed, "images": [image.key for image in sampled]}
    if blind is None:
        return {"samples": 1}
    described = blind.describe()
    known = {name: described[name] for name in ABOUT_BLIND}
    return {"samples": 1, "model": known | ({UNKNOWN: described[UNKNOWN]} if UNKNOWN in described else {})}


def _sampled(source: PriorSource, found: Survey) -> list[ImageRef]:
    """The first n of the seeded draw, or what was drawn from the source's folder; FlipsideError where the benchmark has
    fewer images than that."""
    if source.folder:
        return list(source.pictures)
    if len(found.prior_images) < source.n:
        raise FlipsideError(
            f"{source.part}: {found.benchmark} has only {len(found.prior_images)} images here. "
            f"Ask for fewer, or put its images under --data."
        )
    return found.prior_images[: source.n]


def _open(part: str, ref: ImageRef) -> Picture:
    opened = decode(ref)
    if opened.picture is None:
        raise FlipsideError(f"{part}: {opened.problem}")
    return opened.picture
