"""What one process of a cluster does alone for each cell: python -m bench.scaling.writer [--quads 251048]

On a cluster all processes hand their rows to the one that was started, which plans a cell before anybody scores, and
commits the rows while they come (docs/clusters.md). Here a cell of EqBen's size goes through the product's own code and
a Ray cluster of this machine alone, under a model that costs next to nothing (`fake:ok`, pictures of 16 x 16), and the
CPU seconds of that process are counted in three parts: before the first window is handed out, while windows come back,
and after the last one. Beside them, what each process that scores takes to unpack the plan. They stand in
`bench/scaling/assumed.py`. Ray's own processes are not counted: on a cluster they may stand on other processors. What
is done once for a benchmark, whatever the models (the import), is not counted either. Below the whole size vectors are
kept, too (backend/engine/inputs/kept_vectors.py), so fewer scores a second are taken.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from PIL import Image

from bench.eqben_import import WHOLE, quads

#: Different pictures, to which all names are links (a file system takes some ten thousand links to a file).
PICTURES = 64


@dataclass
class Spent:
    """CPU seconds of the process that was started, and the scores that it committed. wall: seconds by the clock in
    which windows came back. unpacking: CPU seconds in which a process that scores has the plan, once its bytes are
    there. ended: when the last window was there."""

    before: float = 0.0
    within: float = 0.0
    after: float = 0.0
    wall: float = 0.0
    scores: int = 0
    windows: int = 0
    unpacking: float = 0.0
    ended: float = 0.0

    @property
    def rate(self) -> float:
        """Scores that it takes and commits a CPU second."""
        return self.scores / self.within


def made(folder: Path, n: int) -> None:
    """EqBen's full annotation of n quads, each name a link to one of `PICTURES` small pictures."""
    originals = []
    for number in range(PICTURES):
        pixels = np.random.default_rng(number).integers(0, 255, (16, 16, 3), dtype=np.uint8)
        originals.append(folder / f"{number}.png")
        Image.fromarray(pixels).save(originals[-1])
    records, number = [], 0
    for record in quads(n):
        for name in ("image0", "image1"):
            record[name] = record[name].replace(".npy", ".png")
            path = folder / "image" / record[name]
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.hardlink_to(originals[number % PICTURES])
            number += 1
        records.append(record)
    (folder / "private_info_global.json").write_text(json.dumps(records), encoding="utf-8")


@contextmanager
def counted(spent: Spent) -> Iterator[None]:
    """Note what a cell takes that is run within: its windows' part by the session's own call."""
    from backend.engine.cluster import job
    from backend.engine.cluster.session import ClusterSession

    work_on, begun = ClusterSession._work_on, time.process_time()

    def noted(self: ClusterSession, *arguments: object) -> None:
        spent.before = time.process_time() - begun
        packed = job.packed(self.plan), np.frombuffer(self.plan.survey.items.data, np.uint8)
        first = time.process_time()
        job.unpacked(*packed, self.plan.survey.items.shared)
        spent.unpacking = time.process_time() - first
        first = time.process_time()
        spent.windows = sum(1 for _ in self.shares())  # once more than the session, that the two can be told apart
        cutting = time.process_time() - first
        spent.before += cutting
        first, at = time.process_time(), time.monotonic()
        work_on(self, *arguments)  # type: ignore[arg-type]
        spent.within, spent.wall = time.process_time() - first - cutting, time.monotonic() - at
        spent.scores, spent.ended = self.done, time.process_time()

    ClusterSession._work_on = noted  # type: ignore[method-assign]
    try:
        yield
    finally:
        ClusterSession._work_on = work_on  # type: ignore[method-assign]
        spent.after = time.process_time() - spent.ended


def cell(folder: Path, kinds: Sequence[str], priors: Sequence[str]) -> Spent:
    """One cell on a cluster of this machine alone, its benchmark read before as a study does."""
    from backend.engine.cluster.connection import connected
    from backend.engine.inputs.selection import Selection, open_selected
    from backend.engine.runner import run
    from backend.intake.survey import survey
    from backend.paths import cache_dir

    survey(*open_selected("eqben", folder, Selection()), cache_dir(), 0)
    spent = Spent()
    with connected("local") as cluster, counted(spent):
        run("fake:ok", "eqben", kinds, data_dir=folder, priors=priors, cluster=cluster, reuse=False)
    return spent


def main(
    n: Annotated[int, typer.Option("--quads")] = WHOLE,
    kinds: Annotated[str, typer.Option(help="Kinds, as run takes them.")] = "itc",
    priors: Annotated[str, typer.Option(help="Prior sources, comma separated.")] = "",
) -> None:
    """Print what was counted."""
    with tempfile.TemporaryDirectory(prefix="flipside-writer-") as place:
        os.environ["FLIPSIDE_CACHE"] = str(Path(place) / "cache")
        data = Path(place) / "eqben"
        data.mkdir()
        made(data, n)
        spent = cell(data, kinds.split(","), priors.split(",") if priors else [])
    sys.stdout.write(
        f"{n:,} quads, {spent.scores:,} scores in {spent.windows:,} windows: {spent.before:.1f} CPU s before, "
        f"{spent.within:.1f} while windows come back ({spent.rate:,.0f} a CPU s; {spent.wall:.1f} s by the clock),"
        f" {spent.after:.1f} after; {spent.unpacking:.1f} in which a process that scores unpacks the plan\n"
    )


if __name__ == "__main__":
    typer.run(main)
