"""One side of a comparison, in a process of its own: `python -m bench.paired.side CASE loop|bound MODEL INPUTS LEAST`.

Prints one JSON line: CPU seconds of the work, of that on the least inputs (of a bound), the loop's steps and scores.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import torch

from bench.paired.cases import CASES, Case
from bench.paired.made import Asked
from bench.paired.plain import Blip, Clip

INPUTS = "inputs.json"


def write(folder: Path, items: list[Asked]) -> None:
    """Keep what is asked for the processes of both sides."""
    (folder / INPUTS).write_text(json.dumps([[item.image, item.texts] for item in items]), encoding="utf-8")


def read(folder: Path) -> list[Asked]:
    """What `write` kept."""
    kept = json.loads((folder / INPUTS).read_text(encoding="utf-8"))
    return [Asked(image, tuple(texts)) for image, texts in kept]


def load(case: Case, model: str) -> Any:
    """The case's model by its library alone."""
    return Clip(model) if case.model == "clip" else Blip(model)


@torch.no_grad()
def loop(case: Case, model: Any, items: list[Asked], part: int) -> list[float]:
    """The scores of the first `part` steps, one step after the other, everything opened and encoded for itself."""
    found: list[float] = []
    if case.by_item:
        for item in items[:part]:
            found += model.alike(item.texts) if case.kind == "t2t" else model.score(item.image, item.texts)
        return found
    for _, image, text in case.pairs(items)[:part]:
        found += model.score(image, [text])
    return found


@torch.no_grad()
def bound(case: Case, model: Any, items: list[Asked], *, cut: bool = True) -> None:
    """Every different picture and text, or pair of them, through the model once. cut: texts at their own lengths."""
    if case.by_item:
        if case.kind == "itc":
            model.see(dict.fromkeys(item.image for item in items))
        model.read(dict.fromkeys(text for item in items for text in item.texts), cut=cut)
        return
    asked: dict[str, dict[str, None]] = {}
    for _, image, text in case.pairs(items):
        asked.setdefault(image, {})[text] = None
    model.pairs({image: list(texts) for image, texts in asked.items()})


def main(name: str, which: str, spec: str, folder: str, least: str) -> None:
    """Measure one side. which: loop, bound, or whole, a bound whose texts have all 77 positions."""
    case, items = CASES[name], read(Path(folder))
    model = load(case, spec)
    scores: list[float] = []
    loop(case, model, items, 1)  # what a first call makes once is no part of a step
    begun = time.process_time()
    if which == "loop":
        scores = loop(case, model, items, case.part)
    else:
        bound(case, model, items, cut=which == "bound")
    work = time.process_time() - begun
    begun = time.process_time()
    if which == "bound":
        bound(case, model, read(Path(least)))
    found = {"work": work, "least": time.process_time() - begun, "steps": min(case.part, case.units(items))}
    sys.stdout.write(json.dumps(found | {"scores": scores}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:6])
