"""SugarCrepe++: SugarCrepe's replacements and swaps with a second true caption; five JSON lists, triplets.

Not in our notes on formats. Read from its repository, github.com/Sri-Harsha/scpp: `data/*.json` and `VLMs/data/*.json`
are lists of {"id", "filename", "caption", "caption2", "negative_caption"}, ids from 0; `evaluate_ulms.py` names the
five files and asserts their sizes (1652, 245, 1406, 788, 666) and judges the text-only task, `VLMs/test_*.py` the
image-text task, both with strict `>`, as our `triplet` protocol does; `generated_data/` holds the captions before
people corrected them, under the same names, and is not the benchmark. Not verified: that all five original files
import whole (only two of them, and three of their copies, could be read).
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from backend.benchmarks import shapes
from backend.benchmarks.base import Declaration, Judged, Official, Source
from backend.benchmarks.parts import accuracies, mean_over
from backend.benchmarks.reading.records import each, json_list, number, text
from backend.benchmarks.sugarcrepe import IMAGES, tags
from backend.items import Item, Protocol, Skipped

COUNTS = {"swap_obj": 245, "swap_att": 666, "replace_obj": 1652, "replace_att": 788, "replace_rel": 1406}
FILES = {subset: f"{subset}.json" for subset in COUNTS}
#: Captions as the language model wrote them, before people corrected them.
UNCORRECTED = ("generated_data",)

OBJECTS = (
    "is an object (key: record), where SugarCrepe++'s files are lists of records. That is the form of SugarCrepe: "
    "import sugarcrepe."
)


def read(source: Source) -> Iterator[Item | Skipped]:
    """All files' records in order."""
    for subset, path in shapes.files_of(source, FILES, "{", UNCORRECTED):
        yield from each(path.name, json_list(path), partial(_item, subset, source))


def check(source: Source) -> None:
    """UsageError where the files are SugarCrepe's, which have the same names."""
    shapes.refuse_all_of_the_other(source, FILES, "{", UNCORRECTED, OBJECTS)


def _item(subset: str, source: Source, place: int | str, record: Any) -> Item:
    told = tags(subset)
    return Item(
        item_id=f"{subset}/{number(record, 'id')}",
        subset=subset,
        protocol=Protocol.TRIPLET,
        images=(source.files.image(text(record, "filename"), prefer=IMAGES),),
        texts=(text(record, "caption"), text(record, "caption2"), text(record, "negative_caption")),
        truth=((0, 0), (0, 1)),
        tags=told | {"perturbation": (*told["perturbation"], "paraphrase")},
        source=f"{FILES[subset]}:{place}",
    )


def official(judged: Judged) -> list[Official]:
    """The paper prints the five parts; their plain mean is what others quote."""
    if judged.metric not in ("i2t_accuracy", "t2t_accuracy"):
        return []
    task = {"i2t_accuracy": "image-text task (ITT)", "t2t_accuracy": "text-only task (TOT)"}[judged.metric]
    how = f"Plain mean of the five parts' accuracies in the {task}; the paper prints the parts only."
    return [mean_over("mean of the five", accuracies(judged), COUNTS, how)]


SUGARCREPE_PP = Declaration(
    name="sugarcrepe_pp",
    title="SugarCrepe++: a second true caption, other words for the same meaning",
    source="https://github.com/Sri-Harsha/scpp",
    revision="the five files of data/, 4,757 items by its own evaluation script",
    licence="CC BY 4.0 (README; the LICENSE file says MIT); images: COCO 2017, under COCO's own terms",
    citation="SUGARCREPE++ Dataset: Vision-Language Model Sensitivity to Semantic and Lexical Alterations, 2024",
    protocols=dict.fromkeys(COUNTS, Protocol.TRIPLET),
    read=read,
    files=FILES,
    without=UNCORRECTED,
    check=check,
    images="COCO 2017 validation files by their 12-digit names, those under val2017 first (t2t needs none)",
    expected=COUNTS,
    official=official,
)
