"""GEB+'s annotations with made-up content, in the schema of the repository's val.json; frames at five a second."""

import json
from pathlib import Path
from typing import Any

from tests.benchmarks.samples.pictures import picture

CLIP, OTHER = "AbCdEfGhIjK", "-zzzzzzzzzz"


def boundary(clip: str, n: int, at: Any, before: str, after: str, **other: Any) -> dict[str, Any]:
    subject = other.pop("subject", "man in a red shirt")
    record = {
        "boundary_id": f"{clip}_{n}A", "timestamp": at, "prev_timestamp": 0, "next_timestamp": 1.0,
        "label": "Change of Action", "subject": subject, "status_before": before, "status_after": after,
        "action_of_cause": None,
        "caption": f"Subject: {subject} //Status_Before: {before} //Status_After: {after}",
    }  # fmt: skip
    return record | other


CLIPS = {
    CLIP: [
        boundary(CLIP, 0, 0.5, "sitting", "stand up"),
        boundary(CLIP, 1, 1.5, "/0", "/1", label="Change of Subject", subject="woman in pink"),
        boundary(CLIP, 2, 2.0, "sitting", "stand up", next_timestamp=2.577),
    ],
    OTHER: [
        boundary(OTHER, 0, 0.71, "dimming", "brighten up", next_timestamp=1.2),
        boundary(OTHER, 1, "soon", "dimming", "brighten up"),
    ],
}


def write(folder: Path) -> None:
    """Two clips with four usable boundaries and one that has no time; the frames of the first clip."""
    path = folder / "datasets" / "annotations" / "test.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(CLIPS))
    for n in range(12):
        picture(folder / "frames" / CLIP / f"{n + 1:06d}.jpg", (20 * n, 100, 200))
