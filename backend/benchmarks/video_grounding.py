"""Video boundary grounding: the frames of a clip at five a second, and what is to be seen before and after a boundary.

Annotations as the repository of GEB+ holds them (datasets/annotations/val.json and test.json were read); the EqSim
paper, appendix A.6, gives the task, the rate and the thresholds. Not in either, and so ours: how subject and status
make a caption, and which moment a boundary between two frames is.
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from backend.benchmarks.base import Declaration, Source
from backend.benchmarks.reading.clip_frames import FRAMES, RATE, frames
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.records import json_object, skipped, text
from backend.errors import FlipsideError, UsageError
from backend.item_clusters import GROUP
from backend.items import Item, Protocol, Skipped

SPLITS = {"test": "the test split of GEB+", "val": "its validation split", "train": "its training split"}
#: How a split's file is called: in the repository, and in the challenge's downloads.
_NAMES = ("annotations/{}.json", "{}set_highest_f1.json", "{}.json")


def _file(source: Source, split: str) -> Path | None:
    """A split's annotations; `val.json` alone is no telling name, so that its first clip is looked at."""
    return next((path for path in _named(source, split) if _fits(path)), None)


def _named(source: Source, split: str) -> Iterator[Path]:
    return (path for name in _NAMES for path in source.files.every(name.format(split)))


def _fits(path: Path) -> bool:
    try:
        _, clip = next(json_object(path), ("", None))
    except FlipsideError:
        return False
    first = clip[0] if isinstance(clip, list) and clip else None
    return isinstance(first, Mapping) and {"boundary_id", "timestamp"} <= set(first)


def check(source: Source) -> None:
    """UsageError where the split's file is not there, naming those that are."""
    if _file(source, source.split or "test") is not None:
        return
    for path in _named(source, source.split or "test"):
        next(json_object(path), None)  # a broken file says so itself
    there = [split for split in SPLITS if _file(source, split) is not None]
    hint = f" It has {', '.join(there)}: say --split {there[0]}." if there else ""
    names = " or ".join(name.format(source.split or "test") for name in _NAMES[:2])
    raise UsageError(
        f"{source.files.root}: expected GEB+'s {names} in it or below, found {source.files.listing()}.{hint}"
    )


def read(source: Source) -> Iterator[Item | Skipped]:
    """One item a captioned boundary, clip by clip."""
    path = _file(source, source.split or "test")
    if path is None:
        return
    answers = _answers(source, source.split or "test")
    for video, clip in json_object(path):
        if not isinstance(clip, list) or not clip:
            yield skipped(path.name, video, "has no list of boundaries")
            continue
        for place, record in enumerate(clip, start=1):
            try:
                yield _item(source, path, video, clip, record, answers)
            except Malformed as reason:
                known = record.get("boundary_id") if isinstance(record, Mapping) else None
                yield skipped(path.name, known if isinstance(known, str) else f"{video}, {place}", str(reason))


def _item(
    source: Source, path: Path, video: str, clip: list[Any], record: Any, answers: Mapping[str, list[float]]
) -> Item:
    split = source.split or "test"
    name, own = text(record, "boundary_id"), seconds(record, "timestamp")
    texts = tuple(caption(record, when) for when in ("status_before", "status_after"))
    images = frames(source.files, video, max(_ends(clip)))
    true = answers.get(name) or answers.get(name[:-1]) or _asked_alike(clip, record, own)
    last = min(int(own * RATE + 1e-9), len(images) - 2)
    label = record.get("label")
    return Item(
        item_id=f"{split}/{name}",
        subset=split,
        protocol=Protocol.GROUNDING,
        images=images,
        texts=texts,
        truth=((last, 0), (last + 1, 1)),
        tags={
            "concept": ("event",),
            "perturbation": ("none",),
            "original": (label,) if isinstance(label, str) and label else (),
            "split": (split,),
            GROUP: (video,),
            "frames_per_second": (str(RATE),),
            "boundary_seconds": tuple(f"{moment:g}" for moment in sorted({own, *true})),
        },
        source=f"{path.name}:{name}",
    )


def caption(record: Any, when: str) -> str:
    """Subject and status; "/1" and "/0" say that the subject is there or is not.

    >>> record = {"subject": "man in red", "status_before": "sitting", "status_after": "/0"}
    >>> caption(record, "status_before"), caption(record, "status_after")
    ('man in red sitting', 'no man in red')
    """
    subject, status = text(record, "subject").strip(), text(record, when).strip()
    return {"/1": subject, "/0": f"no {subject}"}.get(status, f"{subject} {status}")


def seconds(record: Any, field: str) -> float:
    """A moment of the clip; Malformed where it is none."""
    value = record.get(field) if isinstance(record, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise Malformed(f"'{field}' is {str(value)[:20]!r}, expected seconds")
    return float(value)


def _ends(clip: list[Any]) -> Iterator[float]:
    """Where the clip ends, as far as its boundaries say: GEB+ takes the last one's next_timestamp for its length."""
    for record in clip:
        for field in ("timestamp", "next_timestamp"):
            try:
                yield seconds(record, field)
            except Malformed:
                yield 0.0


def _asked_alike(clip: list[Any], record: Mapping[str, Any], own: float) -> list[float]:
    """The moments of all boundaries of the clip with the very same captions: the question has several right answers."""
    asked = [record.get(field) for field in ("subject", "status_before", "status_after")]
    found = [own]
    for other in clip:
        if isinstance(other, Mapping) and [other.get(f) for f in ("subject", "status_before", "status_after")] == asked:
            try:
                found.append(seconds(other, "timestamp"))
            except Malformed:
                continue
    return found


def _answers(source: Source, split: str) -> dict[str, list[float]]:
    """Boundary -> its right moments, where GEB+'s own list of them (`testset_location_gt.json`) is there."""
    path = source.files.find(f"{split}set_location_gt.json")
    found: dict[str, list[float]] = {}
    for name, entry in json_object(path) if path is not None else ():
        moments = entry.get("timestamp") if isinstance(entry, Mapping) else None
        moments = moments if isinstance(moments, list) else [moments]
        good = [float(m) for m in moments if isinstance(m, int | float) and not isinstance(m, bool) and m >= 0]
        if good:
            found[name] = good
    return found


VIDEO_GROUNDING = Declaration(
    name="video_grounding",
    title="Video boundary grounding (GEB+), as the EqSim paper sets it up",
    source="https://github.com/showlab/GEB-Plus",
    revision="datasets/annotations of 2022; frames of Kinetics-400 clips, 5 a second",
    licence="none stated; the clips are Kinetics-400's",
    citation="Wang et al., GEB+, ECCV 2022; task: Wang et al., Equivariant Similarity, ICCV 2023, appendix A.6",
    protocols=dict.fromkeys(SPLITS, Protocol.GROUNDING),
    read=read,
    data="GEB+'s annotations/test.json (val.json, train.json with --split)",
    check=check,
    images=FRAMES,
    splits=SPLITS,
    default_split="test",
)
