"""Importing a quarter of a million quads: rate and memory of `flipside import eqben`.

    python -m bench.eqben_import [--quads 251048] [--frames 50000] [--edition full]

Writes an annotation file of EqBen's size and schema with made-up captions (its seven sub-datasets in their order,
Action Genome's captions as lists), some of its frames as empty files, and imports it in a process of its own. With
`--edition pairs`: the shuffled list of single pairs with its key, which is four times as long.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from backend.benchmarks.eqben_files import PARTS
from backend.benchmarks.eqben_pairs import CELLS, INFO, LIST, ORDER

SUBJECTS = ("person", "cup of coffee", "laptop", "towel", "sandwich", "phone/camera", "closet/cabinet", "blanket")
DOING = ("is holding", "is in front of", "is not looking at", "is standing on", "puts away", "is touching", "cuts")
WHOLE = sum(PARTS.values())


def quads(n: int) -> Iterator[dict[str, Any]]:
    """n quads, as many of each sub-dataset as its share; about 300 bytes each, as in the original."""
    rng = random.Random(0)  # noqa: S311 - made-up captions
    for part, size in PARTS.items():
        for k in range(round(size * n / WHOLE)):
            clip, at = f"{rng.getrandbits(40):011X}", rng.randrange(900)
            suffix = "npy" if part == "eqbenyoucook2" else "png"
            captions = [f"the {rng.choice(SUBJECTS)} {rng.choice(DOING)} the {rng.choice(SUBJECTS)} {k}." for _ in "01"]
            images = [f"{part}/{clip}.mp4/{at + step:06d}.{suffix}" for step in (0, 7)]
            said: list[Any] = [[caption] for caption in captions] if part == "eqbenag" else captions
            yield {"image0": images[0], "image1": images[1], "caption0": said[0], "caption1": said[1]}


def write_full(folder: Path, n: int, frames: int) -> None:
    """The full annotation, and empty files for its first frames."""
    made = 0
    with (folder / "private_info_global.json").open("w") as file:
        for number, record in enumerate(quads(n)):
            file.write(("[" if not number else ", ") + json.dumps(record))
            for name in (record["image0"], record["image1"]):
                if made < frames:
                    path = folder / "image" / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.touch()
                    made += 1
        file.write("]")


def write_pairs(folder: Path, n: int) -> None:
    """The shuffled list of pairs with its key."""
    pairs, info = [], []
    for number, record in enumerate(quads(n)):
        for cell in CELLS:
            caption = record[f"caption{cell[1]}"]
            pairs.append(
                {"image": record[f"image{cell[3]}"], "caption": caption if isinstance(caption, str) else caption[0]}
            )
            info.append({"dataset": record["image0"].partition("/")[0], "name": cell, "sample_cnt": number})
    order = list(range(len(pairs)))
    random.Random(1).shuffle(order)  # noqa: S311
    (folder / LIST).write_text(json.dumps([pairs[place] for place in order]))
    (folder / INFO).write_text(json.dumps(info))
    (folder / ORDER).write_text(json.dumps(order))


def main(
    n: Annotated[int, typer.Option("--quads")] = WHOLE,
    frames: Annotated[int, typer.Option()] = 50_000,
    edition: Annotated[str, typer.Option(help="full or pairs")] = "full",
) -> None:
    """Make the files, import them, and print the rate and the largest resident memory."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        # Written by a child: a process that held them would hand its memory on when it forks.
        if (child := os.fork()) == 0:
            write_full(Path(folder), n, frames) if edition == "full" else write_pairs(Path(folder), n)
            os._exit(0)
        os.waitpid(child, 0)
        size = sum(path.stat().st_size for path in Path(folder).glob("*.json"))
        begun = time.perf_counter()
        command = [sys.executable, "-m", "backend", "import", "eqben", "--data", folder, "--json"]
        environment = {**os.environ, "FLIPSIDE_CACHE": cache}
        with tempfile.TemporaryFile() as answer:
            process = subprocess.Popen(command, env=environment, stdout=answer)
            _, status, used = os.wait4(process.pid, 0)  # this process's memory, not that of all children
            seconds = time.perf_counter() - begun
            if status:
                raise SystemExit(1)
            answer.seek(0)
            found = json.load(answer)
        kept = sum(path.stat().st_size for path in Path(cache).rglob("*.parquet"))
    there = found["n_images"] - found["n_images_missing"]
    typer.echo(
        f"{found['n_items']:,} quads of {size / 1e6:.0f} MB in {seconds:.1f} s: {found['n_items'] / seconds:,.0f} a "
        f"second, at most {used.ru_maxrss / 1024:.0f} MB resident; {there:,} images found, {kept / 1e6:.0f} MB kept"
    )


if __name__ == "__main__":
    typer.run(main)
