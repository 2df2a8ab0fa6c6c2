"""The bundled models' weights as they ship: one byte a number and compressed, and unpacked into an ordinary folder.

`weights.packed` is a safetensors file, compressed by zlib. A weight matrix (any tensor of two or more dimensions) is an
int8 tensor of its name and a float16 tensor `NAME#scale` with one number a row (first dimension): weight = int8 ×
scale. Everything else (biases, normalisations, temperatures) is float16 as it is. The metadata's `base` names another
bundled model where the file holds only the tensors in which this model differs from that one. An adapter's file holds
two thin matrices for each weight that was taught, `NAME#out` (m, r) and `NAME#in` (r, n), both float16: weight = the
base's + out · in (SVLC paper, Eq. 9), in the base's shape.

Nothing else in Flipside knows of this: before a model is loaded its folder is unpacked, once, as an ordinary Hugging
Face folder with float16 safetensors into `<cache>/bundled/<name>-<key>/`, whole or not at all.
"""

import atexit
import hashlib
import json
import logging
import shutil
import tempfile
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from backend.durable import sync_dir, write_synced
from backend.errors import FlipsideError
from backend.paths import cache_dir

FILE: Final = "weights.packed"
WEIGHTS: Final = "model.safetensors"
#: Beside the unpacked files: their digests, so that one that was cut short or changed is unpacked again.
LIST: Final = "unpacked.sha256"
SCALE: Final = "#scale"
OUT, IN = "#out", "#in"
#: Raised whenever the same packed file would be unpacked into other numbers or another layout.
LAYOUT: Final = 1
#: A row's int8 numbers have this standard deviation where its greatest allows: finer steps cost room, coarser ones
#: accuracy (the error is 1 / (8 √12) of the row's deviation, 3.6 %; seen on quads: less than a point).
STEPS: Final = 8.0
#: Of an adapter's change, what rounding in float32 may leave beside its rank.
_LEFT: Final = 1e-3

log = logging.getLogger(__name__)
Tensors = Mapping[str, NDArray[Any]]


def has_weights(folder: Path) -> bool:
    """Whether a bundled model's folder holds its weights, packed or ordinary ones."""
    return (folder / FILE).is_file() or any(folder.glob("*.safetensors"))


def ordinary(folder: Path) -> Path:
    """The ordinary model folder of a bundled one: itself where its weights are ordinary, else where it is unpacked."""
    if not (folder / FILE).is_file():
        return folder
    return _unpacked(folder.resolve(), _key(folder), cache_dir())


def packed(tensors: Tensors, base: Tensors | None = None, base_name: str = "") -> bytes:
    """The content of a packed file, with only what differs from `base` where one is given."""
    from safetensors.numpy import save

    kept: dict[str, NDArray[Any]] = {}
    for name, value in tensors.items():
        if base is not None and np.array_equal(value, base[name]):
            continue
        if value.ndim < 2 or not np.issubdtype(value.dtype, np.floating):
            kept[name] = value.astype(np.float16) if np.issubdtype(value.dtype, np.floating) else value
            continue
        kept[name], kept[name + SCALE] = _bytes_of(value)
    data = save(kept, metadata={"base": base_name})
    # Numbers of a bell curve have no repetitions to find: a code for each byte is all that helps.
    coder = zlib.compressobj(9, strategy=zlib.Z_HUFFMAN_ONLY)
    return coder.compress(data) + coder.flush()


def packed_adapter(factors: Mapping[str, tuple[NDArray[Any], NDArray[Any]]], base_name: str) -> bytes:
    """The content of an adapter's packed file. factors: weight's name -> (out (m, r), in (r, n))."""
    from safetensors.numpy import save

    kept: dict[str, NDArray[Any]] = {}
    for name, (out, into) in factors.items():
        kept[name + OUT], kept[name + IN] = out.astype(np.float16), into.astype(np.float16)
    return zlib.compress(save(kept, metadata={"base": base_name}), 9)


def factors(base: Tensors, taught: Tensors, rank: int) -> dict[str, tuple[NDArray[Any], NDArray[Any]]]:
    """What `packed_adapter` takes, out of a base and what a training by adapters of `rank` made of it: of each weight
    that changed, its change as a product of two thin matrices (by singular values, so exact but for rounding).

    ValueError where a change is of a higher rank, or one of a weight that is no matrix: all weights were trained.
    """
    found = {}
    for name, before in base.items():
        if np.array_equal(before, taught[name]):
            continue
        change = taught[name].astype(np.float64) - before.astype(np.float64)
        u, sizes, v = np.linalg.svd(change.reshape(len(change), -1) if change.ndim > 1 else change[None], False)
        if change.ndim < 2 or np.linalg.norm(sizes[rank:]) > _LEFT * np.linalg.norm(sizes):
            raise ValueError(f"{name} changed by more than an adapter of rank {rank}")
        half = np.sqrt(sizes[:rank])
        found[name] = (u[:, :rank] * half, half[:, None] * v[:rank])
    return found


def read(file: Path) -> tuple[dict[str, NDArray[Any]], str]:
    """(tensors by name, all floating ones in float16, the base's name or ""). FlipsideError for a damaged file."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        data = zlib.decompress(file.read_bytes())
        stored = load(data)
        base = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]["base"]
    except (OSError, zlib.error, SafetensorError, ValueError, KeyError) as error:
        raise FlipsideError(f"{file}: cannot be unpacked ({error}). Get it again from the project.") from None
    scales = {name: value for name, value in stored.items() if name.endswith(SCALE)}
    plain = {name: value for name, value in stored.items() if name not in scales}
    return {n: _numbers(v, scales[n + SCALE]) if n + SCALE in scales else v for n, v in plain.items()}, str(base)


def _bytes_of(value: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """A matrix as int8, and each row's scale."""
    rows = value.astype(np.float64).reshape(len(value), -1)
    step = np.maximum(rows.std(axis=1) / STEPS, np.abs(rows).max(axis=1) / 127).astype(np.float16)
    by = np.where(step > 0, step.astype(np.float64), np.inf)
    numbers = np.clip(np.rint(rows / by[:, None]), -127, 127).astype(np.int8)
    return numbers.reshape(value.shape), step


def _numbers(value: NDArray[np.int8], scale: NDArray[np.float16]) -> NDArray[np.float16]:
    rows = value.reshape(len(value), -1).astype(np.float32) * scale.astype(np.float32)[:, None]
    return rows.reshape(value.shape).astype(np.float16)


def _key(folder: Path) -> str:
    """Twelve hex digits of all that decides what is unpacked: this folder's files, its base's, and the layout."""
    digest = hashlib.sha256(f"layout {LAYOUT}".encode())
    for path in _files(folder):
        digest.update(f"\n{path.relative_to(folder).as_posix()} {path.stat().st_size}\n".encode())
        digest.update(path.read_bytes())
    base = read_base(folder)
    if base is not None:
        digest.update(_key(base).encode())
    return digest.hexdigest()[:12]


def read_base(folder: Path) -> Path | None:
    """The folder of the model that a packed one differs from; None where it stands by itself."""
    name = read(folder / FILE)[1] if (folder / FILE).is_file() else ""
    if not name:
        return None
    base = folder.parent / name
    if Path(name).name != name or not has_weights(base):
        raise FlipsideError(f"{folder}: its base {name!r} is not bundled here. Get the project's files again.")
    return base


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


@cache
def _unpacked(folder: Path, key: str, root: Path) -> Path:
    """The unpacked folder, made where it is not there; in a folder of this process's own where the cache cannot be
    written to."""
    target = root / "bundled" / f"{folder.name}-{key}"
    if _whole(target):
        return target
    try:
        _write(folder, target)
    except OSError as error:
        log.warning("%s cannot be written (%s); bundled:%s is unpacked for this process alone.", target, error,
                    folder.name)  # fmt: skip
        own = Path(tempfile.mkdtemp(prefix="flipside-"))
        atexit.register(shutil.rmtree, own, ignore_errors=True)
        target = own / target.name
        _write(folder, target)
    return target


def _whole(target: Path) -> bool:
    """Whether every file that was unpacked is there as it was written."""
    try:
        listed = (target / LIST).read_text(encoding="utf-8").splitlines()
        known = [line.split("  ", 1) for line in listed]
        return bool(known) and all(_digest(target / name) == digest for digest, name in known)
    except (OSError, ValueError):
        return False


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _write(folder: Path, target: Path) -> None:
    """Unpack aside, then rename: whoever comes second finds the first one's folder and drops its own. A folder that is
    damaged gets all its files anew."""
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        for path in _files(folder):
            if path.name != FILE:
                copy = aside / path.relative_to(folder)
                copy.parent.mkdir(exist_ok=True)
                write_synced(copy, path.read_bytes())
        write_synced(aside / WEIGHTS, _safetensors(folder))
        lines = [f"{_digest(path)}  {path.relative_to(aside).as_posix()}\n" for path in _files(aside)]
        write_synced(aside / LIST, "".join(lines).encode())
        aside.chmod(0o755)
        try:
            aside.rename(target)
        except OSError:  # it is there: another process was first, or its files were removed or damaged
            if not _whole(target):
                for path in sorted(_files(aside), key=lambda path: path.name == LIST):
                    place = target / path.relative_to(aside)
                    place.parent.mkdir(exist_ok=True)
                    path.replace(place)
        sync_dir(target.parent)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def tensors_of(folder: Path) -> dict[str, NDArray[Any]]:
    """The float16 weights of a bundled model's folder, packed or not, with those of its base."""
    from safetensors.numpy import load_file

    if not (folder / FILE).is_file():
        return dict(load_file(folder / WEIGHTS))
    tensors, _ = read(folder / FILE)
    base = read_base(folder)
    return tensors if base is None else _added(tensors_of(base), tensors, folder / FILE)


def _added(base: dict[str, NDArray[Any]], tensors: Tensors, file: Path) -> dict[str, NDArray[Any]]:
    """The base's tensors with what differs in their place, and adapters added. FlipsideError for an adapter that does
    not fit its base."""
    found = base | {name: value for name, value in tensors.items() if not name.endswith((OUT, IN))}
    for name in (name.removesuffix(OUT) for name in tensors if name.endswith(OUT)):
        try:
            change = tensors[name + OUT].astype(np.float32) @ tensors[name + IN].astype(np.float32)
            found[name] = (base[name].astype(np.float32) + change.reshape(base[name].shape)).astype(np.float16)
        except (KeyError, ValueError) as error:
            raise FlipsideError(f"{file}: its adapter does not fit {name} ({error}). Get it again from the project.") \
                from None  # fmt: skip
    return found


def _safetensors(folder: Path) -> bytes:
    from safetensors.numpy import save

    return save(tensors_of(folder), metadata={"format": "pt"})
