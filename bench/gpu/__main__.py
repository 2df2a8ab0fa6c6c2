"""All that has to be seen on a GPU: python -m bench.gpu [--write] [--parts parity,speed,memory,compile] [--small]

Prints the page; `--write` puts it into docs/gpu.md, on a machine with a GPU only. `--parts` and `--dtypes` divide it,
and `--results FILE` keeps what is measured, one part after the other: the same command goes on where it stopped.
"""

import os
import sys
import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from bench.gpu import memory, parity, speed
from bench.gpu.page import page
from bench.gpu.results import Results, keep, kept
from bench.paired import made

PAGE = Path(__file__).resolve().parents[2] / "docs" / "gpu.md"
PARTS = ("parity", "speed", "memory", "compile")
#: One whose forward pass takes longer than decoding on 16 cores, and one where it does not.
MODELS = ("openclip:ViT-L-14/none", "openclip:ViT-B-32/none")
PICTURES = 8000


def measure(
    device: str, *, parts: tuple[str, ...] = PARTS, dtypes: tuple[str, ...] = parity.DTYPES, small: bool = False,
    only: str = "", workers: int = 0, results: Path | None = None,
) -> Results:  # fmt: skip
    """Measure the parts. small: a small model on few pictures, for a processor. only: families of the parity. results:
    the file that keeps each part once it is measured; what is in it is not measured again."""
    from backend.engine.storage.record import cpu_name
    from backend.models.device import device_name, resolve_device
    from backend.models.torch_model import LIBRARIES, versions

    where = resolve_device(device)
    gpu = where.type == "cuda"
    machine = cpu_name() if where.type == "cpu" else device_name(where)
    libraries = versions(LIBRARIES)
    found = Results(datetime.now(UTC).date().isoformat(), machine, libraries)
    if results is not None:
        found = kept(results, machine, libraries) or found
    workers = workers or (2 if small else max(1, (os.cpu_count() or 2) - 1))
    half = tuple(dtype for dtype in dtypes if dtype != "float32") if gpu else ()
    with tempfile.TemporaryDirectory() as folder:
        models = {spec: spec for spec in MODELS}
        if small:
            made.openclip_small(Path(folder))
            models = {"small CLIP": f"hf:{folder}"}  # no path of this machine in the page
        todo = [("parity", "", dtype) for dtype in dtypes]
        todo += [(part, name, dtype) for name in models for dtype in half or ("float32",) for part in PARTS[1:]]
        for part, name, dtype in todo:
            if part not in parts or found.has(part, name, dtype):
                continue
            data = Path(folder) / "data"
            if part == "speed" and not data.exists():
                pictures, size = (24, (96, 72)) if small else (PICTURES, made.COCO)
                made.sugarcrepe(data, pictures, pictures, size)
            if part == "parity":
                found.parity += parity.measure(str(where), (dtype,), only, workers if gpu else 1)
            else:
                _one(found, part, (name, models[name]), str(where), dtype, data, workers, small=small)
            sys.stderr.write(f"gpu: {part} {name} {dtype}: measured\n")
            if results is not None:
                keep(found, results)
    return found


def _one(
    found: Results, part: str, model: tuple[str, str], where: str, dtype: str, data: Path, workers: int, *, small: bool
) -> None:
    """One part for one model. model: the name in the page, and the spec. data: what is scored for the speed."""
    name, spec = model
    if part == "speed":
        one = speed.measure(spec, where, dtype, data, workers, (2, 4) if small else speed.SIZES)
        found.speed.append(replace(one, model=name))
    elif part == "memory":
        survived = memory.survive(spec, where, dtype, 24 if small else memory.PICTURES)
        found.survived.append((name, survived))
    else:
        found.compiled.append(replace(speed.compiled(spec, where, dtype, 4 if small else 256), model=name))


def main(
    device: Annotated[str, typer.Option()] = "auto",
    parts: Annotated[str, typer.Option(help="Some of parity,speed,memory,compile.")] = ",".join(PARTS),
    dtypes: Annotated[str, typer.Option()] = ",".join(parity.DTYPES),
    only: Annotated[str, typer.Option(help="Of the parity, models or families whose name holds this.")] = "",
    small: Annotated[bool, typer.Option("--small", help="A small model on few pictures: for a processor.")] = False,
    workers: Annotated[int, typer.Option(help="Processes that decode; 0 for one a core but one.")] = 0,
    results: Annotated[Path | None, typer.Option(help="Keeps what is measured, to go on with later.")] = None,
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
    if "parity" in chosen and not parity.names(only):
        raise SystemExit(f"--only {only}: no model or family of the zoo has a name that holds this.")
    found = measure(
        device, parts=chosen, dtypes=tuple(dtypes.split(",")), small=small or not gpu, only=only, workers=workers,
        results=results,
    )  # fmt: skip
    sys.stdout.write(page(found))
    if write:
        PAGE.write_text(page(found), encoding="utf-8")
    short = found.short() if gpu else [line for line in found.short() if " of what " not in line]
    for line in short:
        sys.stderr.write(f"gpu: {line}\n")
    raise SystemExit(int(bool(short)))


if __name__ == "__main__":
    typer.run(main)
