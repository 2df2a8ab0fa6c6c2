"""How many pictures one core decodes and prepares a second: python -m bench.scaling.decoding [--pictures 60]

JPEG files of 640 x 480 pixels (bench.paired.made) to normalised pixels by open_clip's own transform, and by
transformers' BLIP processor; by CPU seconds of one thread. The first figure stands in `bench/scaling/assumed.py`.
"""

import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from bench.paired import made
from bench.paired.plain import opened


def rates(n: int) -> dict[str, float]:
    """Pictures a CPU second by way of preparing them."""
    import open_clip
    import torch
    import transformers

    torch.set_num_threads(1)
    clip: Any = open_clip.transform.image_transform_v2(open_clip.transform.PreprocessCfg(), is_train=False)
    blip: Any = transformers.BlipImageProcessor(size={"height": 384, "width": 384})
    ways: dict[str, Any] = {
        "opened and decoded": lambda image: image,
        "and to 224 pixels, open_clip": clip,
        "and to 384 pixels, BLIP": lambda image: blip(images=[image], return_tensors="pt"),
    }
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        paths = made.pictures(Path(folder), n)
        for name, way in ways.items():
            way(opened(str(paths[0])))
            begun = time.process_time()
            for path in paths:
                way(opened(str(path)))
            found[name] = n / (time.process_time() - begun)
    return found


def main(pictures: Annotated[int, typer.Option()] = 60) -> None:
    """Print the rates."""
    for name, rate in rates(pictures).items():
        sys.stdout.write(f"{name}: {rate:,.0f} a second and core\n")


if __name__ == "__main__":
    typer.run(main)
