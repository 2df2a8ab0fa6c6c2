"""What was found of a map, kept on disk: its clumps with what each has more of, neighbours, whether wrong ones lie
together. Half of what a first look at another model or subset takes; a process works it out ahead (answer_ahead.py).

`<cache>/embeddings/told/<key>.npz`, or where set-up put it. The key is made of all that goes into an answer, by content
(vectors, places, what the items say, verdicts), and of the code and the libraries that find it, so an answer holds
wherever the key comes again. All of it may be deleted.
"""

import json
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from backend.errors import FlipsideError
from backend.live.maps import maps
from backend.metrics.enrichment import Contrast
from backend.metrics.near_errors import NearErrors
from backend.store.build import first
from backend.store.enrichment.clumps import Clump, Clumps
from backend.store.enrichment.traits import Trait
from backend.store.items.embeddings import Points

FOLDER: Final = "told"
#: What answers are found by, below the program's folder.
CODE: Final = (
    "backend/metrics/clustered.py", "backend/metrics/enrichment.py", "backend/metrics/hypergeometric.py",
    "backend/metrics/near_errors.py",
    "backend/metrics/projection.py", "backend/metrics/paired/multiplicity.py", "backend/metrics/paired/resampling.py",
    "backend/metrics/reasons/names.py", "backend/store/enrichment/clumps.py", "backend/store/enrichment/traits.py",
    "pages/embeddings/data.py", "pages/embeddings/kept.py", "pages/embeddings/over.py",
)  # fmt: skip
LIBRARIES: Final = ("numpy", "scipy", "scikit-learn")
#: Columns of a point that traits and tests are made of.
_SAID: Final = ("item_id", "subset", "concept", "modality")

Near = tuple[NDArray[np.intp], NDArray[np.float32]]


@cache
def code() -> str:
    """What finds the answers: our own files and the libraries."""
    root = Path(__file__).parents[2]
    digest = sha256(repr([_version(name) for name in LIBRARIES]).encode())
    for name in CODE:
        digest.update((root / name).read_bytes())
    return digest.hexdigest()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def key(*parts: object) -> str:
    """What an answer is kept under. parts: arrays by their bytes and form, all else by its words."""
    digest = sha256(code().encode())
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(f"{part.dtype.str} {part.shape}\n".encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        else:
            digest.update(f"{part!r}\n".encode())
    return digest.hexdigest()[:20]


def of_points(of: Points) -> str:
    """What tells what items say: their points, words and pairs."""
    frame = of.frame
    columns = [_coded(frame[name]) for name in _SAID]
    numbers = [frame[name].to_numpy(dtype=np.int64) for name in ("item_no", "content")]
    labels = "\n".join(map(str, of.contents["label"])), "\n".join(map(str, of.contents["modality"]))
    return key(*numbers, np.asarray(of.together, dtype=np.int64), *(part for both in columns for part in both), labels)


def of_verdicts(verdicts: pd.DataFrame | None) -> str:
    """What tells one run's verdicts from another's: correct and reason, a row a point; None for none."""
    if verdicts is None:
        return ""
    correct = verdicts["correct"].astype("boolean")
    said = np.where(correct.isna(), -1, correct.fillna(False).to_numpy(dtype=np.int8)).astype(np.int8)
    return key(said, *_coded(verdicts["reason"]))


def _coded(column: pd.Series) -> tuple[NDArray[np.int64], list[str]]:
    said = pa.array(column, pa.string(), from_pandas=True)
    coded = (said.combine_chunks() if isinstance(said, pa.ChunkedArray) else said).dictionary_encode()
    return coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64), coded.dictionary.to_pylist()


def folder() -> Path:
    """Where answers are kept."""
    return maps.folder() / FOLDER


def set_up() -> Path:
    """Where set-up keeps those of the results that ship."""
    return first.folder() / FOLDER


def _read(name: str) -> dict[str, NDArray[Any]]:
    for place in (set_up(), folder()):
        found = maps.read_arrays(place / f"{name}.npz")
        if found is not None and bytes(found.pop("key", np.zeros(0, np.uint8))) == name.encode():
            return found  # its own: a file that was given another's name is not believed
    return {}


def _keep(name: str, **arrays: NDArray[Any]) -> None:
    with suppress(OSError, FlipsideError):  # a cache that may not be written, or is full: it is found again next time
        maps.write_arrays(folder() / f"{name}.npz", key=np.frombuffer(name.encode(), np.uint8), **arrays)


def read_near(name: str, n: int) -> Near | None:
    """Kept neighbours of n contents (see `data.near`); None where there are none."""
    found = _read(name)
    rows, cosines = found.get("rows"), found.get("cosines")
    if rows is None or cosines is None or rows.ndim != 2 or len(rows) != n or rows.shape != cosines.shape:
        return None
    if rows.dtype.kind not in "iu" or (rows.size and not -1 <= int(rows.min()) <= int(rows.max()) < n):
        return None
    return rows.astype(np.intp), cosines.astype(np.float32)


def keep_near(name: str, near: Near) -> None:
    """Keep neighbours."""
    _keep(name, rows=near[0].astype(np.int32), cosines=near[1])


def read_errors(name: str) -> tuple[NearErrors | None] | None:
    """(what `over.near` found, which may be None); None where nothing is kept."""
    said = _json(_read(name))
    with suppress(TypeError):
        if isinstance(said, dict) and "near" in said:
            return (None if said["near"] is None else NearErrors(**said["near"]),)
    return None


def keep_errors(name: str, found: NearErrors | None) -> None:
    """Keep whether wrong ones lie together."""
    _keep(name, said=_bytes({"near": None if found is None else asdict(found)}))


def read_clumps(name: str, n: int) -> Clumps | None:
    """Kept clumps of a map of n dots, each with what it has more of; None where there are none."""
    found = _read(name)
    said, dots, sizes = _json(found), found.get("dots"), found.get("sizes")
    if not isinstance(said, dict) or dots is None or sizes is None or int(sizes.sum()) != len(dots):
        return None
    if dots.dtype.kind not in "iu" or (dots.size and not 0 <= int(dots.min()) <= int(dots.max()) < n):
        return None
    with suppress(TypeError, ValueError, LookupError):
        owned = np.split(dots.astype(np.intp), np.cumsum(sizes)[:-1]) if len(sizes) else []
        each = [
            Clump(
                own, (one["at"][0], one["at"][1]), one["n_items"],
                [(Trait(*trait), Contrast(**contrast)) for trait, contrast in one["found"]],
                Contrast(**one["errors"]) if one["errors"] else None,
            )
            for one, own in zip(said["each"], owned, strict=True)
        ]  # fmt: skip
        return Clumps(each, said["tested"], said["by_chance"])
    return None


def keep_clumps(name: str, found: Clumps) -> None:
    """Keep clumps."""
    each = [
        {
            "at": one.at, "n_items": one.n_items, "errors": asdict(one.errors) if one.errors else None,
            "found": [((trait.sort, trait.name), asdict(contrast)) for trait, contrast in one.found],
        }
        for one in found.each
    ]  # fmt: skip
    dots = [one.contents.astype(np.int32) for one in found.each]
    _keep(
        name, said=_bytes({"each": each, "tested": found.tested, "by_chance": found.by_chance}),
        dots=np.concatenate(dots) if dots else np.zeros(0, np.int32), sizes=np.array([len(d) for d in dots], np.int64),
    )  # fmt: skip


def _bytes(document: Any) -> NDArray[np.uint8]:
    """Numbers as Python writes them come back to the bit."""
    return np.frombuffer(json.dumps(document, ensure_ascii=False).encode(), dtype=np.uint8)


def _json(found: dict[str, NDArray[Any]]) -> Any:
    said = found.get("said")
    if said is None or said.dtype != np.uint8:
        return None
    with suppress(ValueError, RecursionError):
        return json.loads(said.tobytes())
    return None
