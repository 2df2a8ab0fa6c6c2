"""All that has to be seen on a GPU: python -m bench.gpu [--write] [--parts parity,speed,memory,compile] [--small]

Prints the page; `--write` puts it into docs/gpu.md, on a machine with a GPU only. On an H100 it takes some ten minutes,
most of it parity (estimated, not measured); `--parts` and `--dtypes` divide it.
"""

import os
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from bench.gpu import memory, parity, speed
from bench.gpu.page import Results, page
from bench.paired import made

PAGE = Path(__file__).resolve().parents[2] / "docs" / "gpu.md"
PARTS = ("parity", "speed", "memory", "compile")
#: One whose forward pass takes longer than decoding on 16 cores, and one where it does not.
MODELS = ("openclip:ViT-L-14/none", "openclip:ViT-B-32/none")
PICTURES = 3000


def measure(
    device: str, *, parts: tuple[str, ...] = PARTS, dtypes: tuple[str, ...] = parity.DTYPES, small: bool = False,
    only: str = "", workers: int = 0,
) -> Results:  # fmt: skip
    """Measure the parts. small: a small model on few pictures, for a processor. only: families of the parity."""
    from backend.engine.storage.record import cpu_name
    from backend.models.device import device_name, resolve_device
    from backend.models.torch_model import LIBRARIES, versions

    where = resolve_device(device)
    machine = cpu_name() if where.type == "cpu" else device_name(where)
    found = Results(datetime.now(UTC).date().isoformat(), machine, versions(LIBRARIES))
    workers = workers or (2 if small else max(1, (os.cpu_count() or 2) - 1))
    half = [dtype for dtype in dtypes if dtype != "float32"] if where.type == "cuda" else []
    with tempfile.TemporaryDirectory() as folder:
        models: tuple[str, ...] = MODELS
        if small:
            made.openclip_small(Path(folder))
            models = (f"hf:{folder}",)
        if "parity" in parts:
            found.parity = parity.measure(str(where), dtypes, only)
        for spec in models:
            for dtype in half or ["float32"]:
                if "speed" in parts:
                    size, sizes = ((96, 72), (2, 4)) if small else (made.COCO, speed.SIZES)
                    pictures = 24 if small else PICTURES
                    found.speed.append(speed.measure(spec, str(where), dtype, pictures, workers, size, sizes))
                if "memory" in parts:
                    survived = memory.survive(spec, str(where), dtype, 24 if small else memory.PICTURES)
                    found.survived.append((spec, survived))
                if "compile" in parts:
                    best = 4 if small else 256
                    found.compiled.append(speed.compiled(spec, str(where), dtype, best))
        for name in ("speed", "compiled"):  # no path of this machine in the page
            for number, one in enumerate(getattr(found, name)):
                if small:
                    getattr(found, name)[number] = _named(one)
        found.survived = [("small CLIP" if small else spec, one) for spec, one in found.survived]
    return found


def _named(one: speed.Speed | speed.Compiled) -> speed.Speed | speed.Compiled:
    from dataclasses import replace

    return replace(one, model="small CLIP")


def main(
    device: Annotated[str, typer.Option()] = "auto",
    parts: Annotated[str, typer.Option(help="Some of parity,speed,memory,compile.")] = ",".join(PARTS),
    dtypes: Annotated[str, typer.Option()] = ",".join(parity.DTYPES),
    only: Annotated[str, typer.Option(help="Of the parity, models or families whose name holds this.")] = "",
    small: Annotated[bool, typer.Option("--small", help="A small model on few pictures: for a processor.")] = False,
    workers: Annotated[int, typer.Option(help="Processes that decode; 0 for one a core but one.")] = 0,
    write: Annotated[bool, typer.Option("--write", help="Into docs/gpu.md.")] = False,
) -> None:
    """Measure, print the page; 1 where something is outside its limits."""
    from backend.models.device import resolve_device

    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    gpu = resolve_device(device).type != "cpu"
    if write and not gpu:
        raise SystemExit("--write: torch sees no GPU here, and docs/gpu.md is about GPUs. Leave --write out.")
    chosen = tuple(part for part in parts.split(",") if part)
    if unknown := [part for part in chosen if part not in PARTS]:
        raise SystemExit(f"--parts {unknown[0]}: expected some of {', '.join(PARTS)}.")
    found = measure(
        device, parts=chosen, dtypes=tuple(dtypes.split(",")), small=small or not gpu, only=only, workers=workers
    )
    sys.stdout.write(page(found))
    if write:
        PAGE.write_text(page(found), encoding="utf-8")
    short = found.short() if gpu else [line for line in found.short() if " of what " not in line]
    for line in short:
        sys.stderr.write(f"gpu: {line}\n")
    raise SystemExit(int(bool(short)))


if __name__ == "__main__":
    typer.run(main)
