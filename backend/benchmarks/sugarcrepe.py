"""SugarCrepe and SugarCrepe++, whose files have the same names and another form.

SugarCrepe: one true caption and one foil on a COCO image; seven JSON objects, key -> record. Checked against the
original files: 7,511 items, keys kept (`swap_obj` has no "108"; older copies with it have 246).

SugarCrepe++: its replacements and swaps with a second true caption; five JSON lists, triplets. Not in our notes on
formats. Read from its repository, github.com/Sri-Harsha/scpp: `data/*.json` and `VLMs/data/*.json` are lists of {"id",
"filename", "caption", "caption2", "negative_caption"}, ids from 0; `evaluate_ulms.py` names the five files and asserts
their sizes (1652, 245, 1406, 788, 666) and judges the text-only task, `VLMs/test_*.py` the image-text task, both with
strict `>`, as our `triplet` protocol does; `generated_data/` holds the captions before people corrected them, under the
same names, and is not the benchmark. Not verified: that all five original files import whole (only two of them, and
three of their copies, could be read).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from backend.benchmarks.base import Declaration, Judged, Official, Source
from backend.benchmarks.parts import accuracies, mean_over
from backend.benchmarks.reading.records import each, first_character, json_list, json_object, number, text
from backend.errors import UsageError
from backend.items import Item, Protocol, Skipped

CONCEPTS = {"att": "attribute", "obj": "object", "rel": "relation"}
IMAGES = ("val2017",)
#: Official metric of SugarCrepe++ -> the name of its task.
TASKS = {"i2t_accuracy": "image-text task (ITT)", "t2t_accuracy": "text-only task (TOT)"}


@dataclass(frozen=True, slots=True)
class Release:
    """One of the two benchmarks.

    counts: subset -> items; its file is `<subset>.json`. without: folders whose files of these names are not the
    benchmark. other: the character with which the other benchmark's files open. says: the refusal of such files.
    """

    counts: dict[str, int]
    without: tuple[str, ...]
    other: str
    says: str

    @property
    def files(self) -> dict[str, str]:
        """Subset -> file name."""
        return {subset: f"{subset}.json" for subset in self.counts}

    def present(self, source: Source) -> Iterator[tuple[str, Path]]:
        """(subset, path) of the files that are there, the nearest of each name that is not the other benchmark's.
        What opens with neither character is kept, so that whoever reads it says what is wrong."""
        for subset, name in self.files.items():
            for path in source.files.every(name, self.without):
                if first_character(path) != self.other:
                    yield subset, path
                    break

    def check(self, source: Source) -> None:
        """UsageError where files of these names are there, and all of them are the other benchmark's."""
        named = (path for name in self.files.values() for path in source.files.every(name, self.without))
        found = next(named, None)
        if found is not None and next(self.present(source), None) is None:
            raise UsageError(f"{found}: {self.says}")


#: The edition before adversarial filtering (data_unrefined) has the same file names and is not the benchmark.
PAIRS = Release(
    {
        "add_att": 692, "add_obj": 2062, "replace_att": 788, "replace_obj": 1652, "replace_rel": 1406, "swap_att": 666,
        "swap_obj": 245,
    },
    without=("data_unrefined",), other="[",
    says="is a list of records, where SugarCrepe's files are objects (key: record). That is the form of SugarCrepe++: "
    "import sugarcrepe_pp.",
)  # fmt: skip
#: In generated_data captions are as the language model wrote them, before people corrected them.
TRIPLETS = Release(
    {"swap_obj": 245, "swap_att": 666, "replace_obj": 1652, "replace_att": 788, "replace_rel": 1406},
    without=("generated_data",), other="{",
    says="is an object (key: record), where SugarCrepe++'s files are lists of records. That is the form of SugarCrepe: "
    "import sugarcrepe.",
)  # fmt: skip


def tags(subset: str) -> dict[str, tuple[str, ...]]:
    """What a file's name says: `replace_att` is an attribute replaced."""
    family, part = subset.split("_")
    return {"concept": (CONCEPTS[part],), "perturbation": (family,), "original": (subset,)}


def read_pairs(source: Source) -> Iterator[Item | Skipped]:
    """SugarCrepe's records, file by file; what is no record (one copy has a top-level "accuracy") is skipped."""
    for subset, path in PAIRS.present(source):
        yield from each(path.name, json_object(path), partial(_pair, subset, source))


def read_triplets(source: Source) -> Iterator[Item | Skipped]:
    """SugarCrepe++'s records, file by file."""
    for subset, path in TRIPLETS.present(source):
        yield from each(path.name, json_list(path), partial(_triplet, subset, source))


def _pair(subset: str, source: Source, key: int | str, record: Any) -> Item:
    return Item(
        item_id=f"{subset}/{key}",
        subset=subset,
        protocol=Protocol.CHOICE,
        images=(source.files.image(text(record, "filename"), prefer=IMAGES),),
        texts=(text(record, "caption"), text(record, "negative_caption")),
        truth=((0, 0),),
        tags=tags(subset),
        source=f"{PAIRS.files[subset]}:{key}",
    )


def _triplet(subset: str, source: Source, place: int | str, record: Any) -> Item:
    told = tags(subset)
    return Item(
        item_id=f"{subset}/{number(record, 'id')}",
        subset=subset,
        protocol=Protocol.TRIPLET,
        images=(source.files.image(text(record, "filename"), prefer=IMAGES),),
        texts=(text(record, "caption"), text(record, "caption2"), text(record, "negative_caption")),
        truth=((0, 0), (0, 1)),
        tags=told | {"perturbation": (*told["perturbation"], "paraphrase")},
        source=f"{TRIPLETS.files[subset]}:{place}",
    )


def official_pairs(judged: Judged) -> list[Official]:
    """The means that papers add to the official script's seven accuracies."""
    if judged.metric != "accuracy":
        return []
    parts = accuracies(judged)
    found = []
    for family in ("replace", "swap", "add"):
        wanted = [subset for subset in PAIRS.counts if subset.startswith(family)]
        how = f"Plain mean of the accuracies of the files {', '.join(wanted)}, each with the same weight."
        found.append(mean_over(family, parts, wanted, how))
    how = "Plain mean of the seven files' accuracies, each file with the same weight."
    return [*found, mean_over("mean of the seven", parts, PAIRS.counts, how)]


def official_triplets(judged: Judged) -> list[Official]:
    """The paper prints the five parts; their plain mean is what others quote."""
    if judged.metric not in TASKS:
        return []
    how = f"Plain mean of the five parts' accuracies in the {TASKS[judged.metric]}; the paper prints the parts only."
    return [mean_over("mean of the five", accuracies(judged), TRIPLETS.counts, how)]


SUGARCREPE = Declaration(
    name="sugarcrepe",
    title="SugarCrepe: hard negatives without the artefacts of older ones",
    source="https://github.com/RAIVNLab/sugar-crepe",
    revision="the seven files of data/, 7,511 items",
    licence="MIT; images: COCO 2017, under COCO's own terms",
    citation="SugarCrepe: Fixing Hackable Benchmarks for Vision-Language Compositionality, NeurIPS 2023",
    protocols=dict.fromkeys(PAIRS.counts, Protocol.CHOICE),
    read=read_pairs,
    files=PAIRS.files,
    without=PAIRS.without,
    check=PAIRS.check,
    images="COCO 2017 validation files by their 12-digit names, those under val2017 first",
    expected=PAIRS.counts,
    official=official_pairs,
)

SUGARCREPE_PP = Declaration(
    name="sugarcrepe_pp",
    title="SugarCrepe++: a second true caption, other words for the same meaning",
    source="https://github.com/Sri-Harsha/scpp",
    revision="the five files of data/, 4,757 items by its own evaluation script",
    licence="CC BY 4.0 (README; the LICENSE file says MIT); images: COCO 2017, under COCO's own terms",
    citation="SUGARCREPE++ Dataset: Vision-Language Model Sensitivity to Semantic and Lexical Alterations, 2024",
    protocols=dict.fromkeys(TRIPLETS.counts, Protocol.TRIPLET),
    read=read_triplets,
    files=TRIPLETS.files,
    without=TRIPLETS.without,
    check=TRIPLETS.check,
    images="COCO 2017 validation files by their 12-digit names, those under val2017 first (t2t needs none)",
    expected=TRIPLETS.counts,
    official=official_triplets,
)
