"""EqBen: two images that differ in little, two captions; five sub-datasets in seven folders, 251,048 quads.

Read from whichever edition is there: the full annotation, the files of the sub-datasets, the 10 % edition, the small
one for multimodal LLMs (EqBen-Mini), or the shuffled list of pairs together with its key.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from backend.benchmarks.base import Declaration, Judged, Official, Source
from backend.benchmarks.eqben_files import PARTS, SUB_DATASETS, has_quads, part_of, quads
from backend.benchmarks.eqben_pairs import INFO, LIST, NO_QUADS, ORDER, key, rebuilt
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.records import skipped, text, texts
from backend.errors import UsageError
from backend.item_clusters import GROUP
from backend.items import Item, Protocol, Skipped
from backend.metrics.official import Mean, by_group, mean_of

#: Edition -> its file, in the order in which they are looked for. The sub-datasets' own files are named by their
#: owners: they begin with the sub-dataset's name, or lie in a folder of that name; or else their content tells.
EDITIONS: dict[str, tuple[str, ...]] = {
    "full": ("private_info_global.json",),
    "parts": (),
    "10percent": ("eqben_subset_10percent_final.json",),
    "mini": ("all_select.json",),
    "pairs": (LIST,),
}
SPLITS = {
    "full": "the full annotation",
    "parts": "one file a sub-dataset, eqbenag….json and so on",
    "10percent": "the 10 % edition",
    "mini": "EqBen-Mini, for multimodal LLMs",
    "pairs": "the shuffled list of pairs, with its key",
}
CONCEPTS = {
    "eqbenag": "relation",
    "eqbenyoucook2": "event",
    "eqbengebc": "event",
    "eqbenkubric_loc": "spatial",
    "eqbenkubric_attr": "attribute",
    "eqbenkubric_cnt": "count",
    "eqbensd": "object",
}
#: Sub-datasets whose images are frames of videos.
VIDEOS = ("eqbenag", "eqbenyoucook2", "eqbengebc")
METRICS = ("text_score", "image_score", "group_score")


def edition(source: Source) -> tuple[str, list[Path]]:
    """The edition that is read and its files: the one asked for, else the first that is there; ("", []) for none."""
    found = {name: _named(source, name) for name in ((source.split,) if source.split else EDITIONS)}
    for name, paths in found.items():
        if paths and (name != "pairs" or _has_key(source)):
            return name, paths
    if "parts" in found and (paths := _by_content(source)):
        return "parts", paths
    return next(((name, paths) for name, paths in found.items() if paths), ("", []))


def _named(source: Source, name: str) -> list[Path]:
    if name == "parts":
        return [path for path in source.files.find_all("*.json") if part_of("", path)]
    return [path for file in EDITIONS[name] if (path := source.files.find(file)) is not None]


def _by_content(source: Source) -> list[Path]:
    """Files that hold quads under names of their owner's."""
    known = {LIST, *(file for files in EDITIONS.values() for file in files)}
    return [path for path in source.files.find_all("*.json") if path.name not in known and has_quads(path)]


def _has_key(source: Source) -> bool:
    return source.files.find(INFO) is not None and source.files.find(ORDER) is not None


def check(source: Source) -> None:
    """UsageError where the folder holds no edition, or the shuffled list without its key."""
    name, _ = edition(source)
    if not name:
        wanted = f"{SPLITS[source.split]} {', '.join(EDITIONS[source.split])}" if source.split else DATA
        raise UsageError(f"{source.files.root}: expected {wanted} in it or below, found {source.files.listing()}.")
    if name == "pairs" and not _has_key(source):
        raise UsageError(f"{source.files.root}: {NO_QUADS}")


def read(source: Source) -> Iterator[Item | Skipped]:
    """One quad a record, in the order of the file."""
    name, paths = edition(source)
    for path in paths:
        for number, record in _records(source, name, path):
            try:
                if isinstance(record, Malformed):
                    raise record
                yield _item(source, path, number, record)
            except Malformed as reason:
                yield skipped(path.name, str(number), str(reason))


def _records(source: Source, name: str, path: Path) -> Iterator[tuple[int, Any]]:
    if name != "pairs":
        return quads(path)
    info, order = source.files.find(INFO), source.files.find(ORDER)
    if info is None or order is None:
        raise UsageError(f"{source.files.root}: {NO_QUADS}")
    return rebuilt(path, key(info, order))


def _item(source: Source, path: Path, number: int, record: Any) -> Item:
    names = [_either(record, "image", k) for k in (0, 1)]
    captions = [_caption(record, k) for k in (0, 1)]
    part = part_of(names[0], path) or str(record.get("dataset", ""))
    if part not in PARTS:
        raise Malformed(f"the image '{names[0]}' is in none of {', '.join(PARTS)}, nor does the file's name say which")
    own = record.get("id", number)
    return Item(
        item_id=f"{part}/{own if isinstance(own, int | str) and not isinstance(own, bool) else number}",
        subset=part,
        protocol=Protocol.QUAD,
        # Frames of different videos share their names, so the folders count.
        images=tuple(
            source.files.image(name, prefer=(part,), suffixes=(".jpg",), by_name=False) for name in names
        ),
        texts=tuple(captions),
        truth=((0, 0), (1, 1)),
        tags={"concept": (CONCEPTS[part],), "perturbation": ("edit_image",), "original": (part,)} | _video(part, names),
        source=f"{path.name}:{number}",
    )  # fmt: skip


def _video(part: str, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The videos that two frames were taken from, as the tag `group`: the folders between the sub-dataset's and the
    frame's own name. Neighbouring frames are no independent draws. No tag for rendered and generated images, nor
    where frames lie in no folder of a video's.

    >>> _video("eqbenag", ["eqbenag/ABC12.mp4/000123.png", "eqbenag/ABC12.mp4/000131.png"])
    {'group': ('eqbenag/ABC12.mp4',)}
    >>> _video("eqbensd", ["eqbensd/17/a.png", "eqbensd/17/b.png"]), _video("eqbengebc", ["eqbengebc/a.png"])
    ({}, {})
    """
    if part not in VIDEOS:
        return {}
    folders = (name.removeprefix("./").removeprefix(f"{part}/").rpartition("/")[0] for name in names)
    found = dict.fromkeys(f"{part}/{folder}" for folder in folders if folder)
    return {GROUP: tuple(found)} if found else {}


def _either(record: Any, field: str, k: int) -> str:
    """image0 or image_0: the files of the sub-datasets write the one, Winoground's style the other."""
    spelt = f"{field}_{k}" if isinstance(record, dict) and f"{field}_{k}" in record else f"{field}{k}"
    return text(record, spelt)


def _caption(record: Any, k: int) -> str:
    """A caption; of a list of them (Action Genome) the first, as EqBen's own loader takes it."""
    spelt = next(
        (f for f in (f"caption_{k}", f"caption{k}") if isinstance(record, dict) and f in record), f"caption{k}"
    )
    value = record.get(spelt) if isinstance(record, dict) else None
    return texts(record, spelt)[0] if isinstance(value, list) else text(record, spelt)


def scores(judged: Judged) -> list[Official]:
    """The five sub-datasets of the paper's tables, Kubric as the mean of its three parts, and the mean of the five;
    beside the group scores, the mean of all fifteen that the paper calls the average."""
    if judged.metric not in METRICS:
        return []
    found = _five(by_group(judged.correct, judged.subset))
    said = [_said(name, mean) for name, mean in found.items() if mean.n]
    if judged.metric == "group_score" and judged.rates:
        parts = {
            f"{metric}, {name}": mean
            for metric in METRICS
            for name, mean in _five(
                {p: Mean(*known.get(metric, (None, 0))) for p, known in judged.rates.items()}
            ).items()
            if name != "mean"
        }
        said.append(_said("mean of 15 scores", mean_of(parts, parts)))
    return said


def _five(parts: Mapping[str, Mean]) -> dict[str, Mean]:
    """The sub-datasets from the seven folders, and "mean"."""
    means = {name: mean_of(parts, folders) for name, folders in SUB_DATASETS.items()}
    return means | {"mean": mean_of(means, SUB_DATASETS)}


def _said(name: str, mean: Mean) -> Official:
    lacking = f"; no items of {', '.join(mean.missing)}" if mean.missing else ""
    how = "share of items" if mean.groups == 1 and not mean.missing else f"mean of {mean.groups} parts{lacking}"
    # "image_score, Eq-SD", or "Eq-SD" where all are of one metric; the means are of all.
    return Official(name, mean.value, mean.n, how, SUB_DATASETS.get(name.rpartition(", ")[2], ()))


DATA = (
    "private_info_global.json, eqben_subset_10percent_final.json, all_select.json, a file for each sub-dataset "
    f"({', '.join(f'{part}*.json' for part in ('eqbenag', 'eqbensd'))}, …), or {LIST} with {INFO} and {ORDER}"
)

EQBEN = Declaration(
    name="eqben",
    title="EqBen: visual-minimal change",
    source="https://github.com/Wangt-CN/EqBen",
    revision="annotations of 2023-09",
    licence="Apache-2.0 (annotations); the videos' own terms are not restated there",
    citation="Wang et al., Equivariant Similarity for Vision-Language Foundation Models, ICCV 2023",
    protocols=dict.fromkeys(PARTS, Protocol.QUAD),
    read=read,
    data=DATA,
    check=check,
    images="<sub-dataset>/…, .jpg taken for .png (light archive), .npy frames as blue, green, red",
    expected=PARTS,
    expected_in={"full": PARTS},
    splits=SPLITS,
    official=scores,
)
