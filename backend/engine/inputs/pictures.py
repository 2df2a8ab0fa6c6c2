"""Whether the pictures behind a benchmark's names are still those that a stored run has scored.

A benchmark's hash covers the names of its pictures, not their bytes, so the run that a command would go on with may be
of other pictures. Their digests are compared with those that the run has recorded (`image_bytes.py`); where one
differs, the scores belong to a run of their own, whose id has a digest over all pictures as a further ingredient.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from backend.engine.inputs import image_bytes
from backend.engine.inputs.prior_setup import sampled_images
from backend.engine.inputs.selection import Selection
from backend.engine.plan import Plan
from backend.engine.storage import files, record, shards
from backend.errors import FlipsideError
from backend.images import WORLD_SCHEME
from backend.intake.survey import Survey
from backend.items import IMAGE_KINDS, ImageRef

#: How many changed pictures are named.
NAMED = 3
_LOOKING = (*(str(kind) for kind in IMAGE_KINDS), "embeddings:image")


@dataclass(frozen=True)
class Place:
    """Where a command's scores belong. pictures: what the record says of them, {} for the run that has the names to
    itself. notes: what a person should be told."""

    run_dir: Path
    pictures: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def place(
    root: Path,
    described: Mapping[str, Any],
    found: Survey,
    selection: Selection,
    plan: Plan,
    digest: Callable[[str], str],
) -> Place:
    """The run that a command goes on with, or begins: the one of its id, or one beside it where pictures have changed.

    Nothing is read where no run of that id is there, where it knows no picture of its own, or where nothing that is
    asked looks at pictures; unless a run beside it is there, for then all kinds belong to the one of today's pictures.
    digest: URI -> digest of the bytes behind it, "" where they cannot be read.
    """
    first = root / "runs" / record.run_id(described, found.content_hash, selection)
    looks = _looks(plan)
    if not (looks or _beside(root, first)):
        return Place(first)
    if not is_told(first):
        of_files = looks and any(not image.uri.startswith(WORLD_SCHEME) for image in _selected(found))
        untold = (
            f"Run {first.name} is of an earlier version, which did not record the bytes of its pictures: whether they "
            "have changed since cannot be told. To be sure, delete the run and run again."
        )
        return Place(first, {}, (untold,) if of_files else ())
    if not image_bytes.read(first):
        return Place(first)
    selected = _digests(_selected(found), digest)
    now = _digests(sampled_images(plan.stages, found), digest) | selected
    changed = _changed(first, now)
    if not changed:
        return Place(first)
    over = _over(selected)
    for attempt in count(1):
        # A run whose own pictures changed while it scored them cannot be gone on with either.
        name = over if attempt == 1 else _sha256(f"{over}:{attempt}")
        run_dir = root / "runs" / record.run_id(described, found.content_hash, selection, pictures=name)
        if not _changed(run_dir, now):
            break
    if not (looks or run_dir.is_dir()):
        return Place(first)
    named = ", ".join(changed[:NAMED]) + (", …" if len(changed) > NAMED else "")
    are = "picture is not the one" if len(changed) == 1 else "pictures are not those"
    said = (
        f"{len(changed)} of {len(now)} {are} that run {first.name} scored ({named}): the files have changed. "
        f"The scores of the pictures as they are now are run {run_dir.name}, beside it."
    )
    return Place(run_dir, {"sha256": name, "since": first.name}, (said,))


def is_told(run_dir: Path, manifest: shards.Manifest | None = None) -> bool:
    """Whether a run knows the bytes of what it scored: it has recorded some, or has scored no picture yet. One that was
    begun before digests were kept never vouches for a picture."""
    if (run_dir / image_bytes.IMAGES).is_file():
        return True
    parts = (manifest or shards.read_manifest(run_dir))["parts"]
    return not any(entry["shards"] and _is_of_pictures(part) for part, entry in parts.items())


def _is_of_pictures(part: str) -> bool:
    under_others = part.startswith("counterfactual:") and part != "counterfactual:text"
    sampled = part.startswith("prior@images:") and "@" not in part.removeprefix("prior@")  # a folder's: by its digest
    return under_others or sampled or part.startswith("verdict@") or part in _LOOKING


def _looks(plan: Plan) -> bool:
    """Whether any stage looks at pictures."""
    sampled = any(s.source is not None and s.source.how == "images" and not s.source.folder for s in plan.stages)
    return sampled or any(stage.kind in IMAGE_KINDS for stage in plan.stages)


def _beside(root: Path, first: Path) -> bool:
    """Whether there is a run of other pictures beside a run."""
    if not first.is_dir():
        return False
    for run_dir in shards.run_dirs(root):
        try:
            told = files.read_json(run_dir / shards.RECORD).get("pictures") or {}
            if told.get("since") == first.name:
                return True
        except (FlipsideError, OSError, AttributeError):
            continue
    return False


def _selected(found: Survey) -> Iterator[ImageRef]:
    """The pictures of the selected items: what is asked of them does not enter the id."""
    for number in found.selected.tolist():
        yield from found.items[number].images


def _digests(images: Iterable[ImageRef], digest: Callable[[str], str]) -> dict[str, str]:
    """Key -> digest of the pictures that are there; "" for a key under which there are several, which tells nothing."""
    found: dict[str, str] = {}
    for image in images:
        if not image.missing and (value := digest(image.uri)):
            found[image.key] = value if found.get(image.key, value) == value else ""
    return found


def _changed(run_dir: Path, now: Mapping[str, str]) -> list[str]:
    """The keys under which a run has scored, or may have scored, another picture than the one that is there."""
    known = image_bytes.read(run_dir)
    return [key for key, value in now.items() if value and known.get(key, value) != value]


def _over(pictures: Mapping[str, str]) -> str:
    """One digest over those of many pictures, in whatever order they come."""
    return _sha256(json.dumps(sorted(pictures.items()), ensure_ascii=False, separators=(",", ":")))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
