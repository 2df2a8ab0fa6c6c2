"""Vectors and maps for the Embeddings page, made in a process of its own and kept on disk.

`<cache>/embeddings/<run>/<key>.npz` holds vectors that the engine did not store (it does for retrieval subsets only);
the key is made of the pictures' names and the captions. `<cache>/embeddings/maps/<key>.npz` holds a map (see
`layouts.key`). `<cache>/embeddings/work/<key>/` holds a request while it is worked on. All of it may be deleted.

Maps of what the page shows first ship without their vectors, which take sixty times the room: by what is on them
(`shipped_path`), in whole numbers. So the picture is there at once, and the vectors, for neighbours, seconds later.
"""

import json
import shutil
import time
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend import paths
from backend.engine.storage import files
from backend.errors import FlipsideError
from backend.live import supervisor, working_ahead
from backend.live.maps import passing
from backend.live.maps.layouts import Layout
from backend.live.scoring.pool import guard
from backend.models.own import permission
from backend.store.build.stored_run import StoredRun

REQUEST, PROGRESS, PROBLEM, PROCESS, VECTORS, LOG = (
    "request.json", "progress.json", "problem.txt", "process.json", "vectors.npy", "log.txt",
)  # fmt: skip
#: What the newest maps and vectors may take on disk, in files each; the oldest beyond go.
KEPT: Final = 200
#: Bytes of a file with the numbers of a map's dots, at most: of the largest one that is searched it takes some 20,000.
LABELS_BYTES: Final = 64_000


@dataclass(frozen=True)
class Wanted:
    """What to embed and with which model. run: the stored run whose model it is; spec, weights (sha256), dtype: of its
    record; uris, texts: of the contents, images first; images are known by their names (keys of the benchmark)."""

    run: str
    spec: str
    weights: str
    dtype: str
    uris: tuple[str, ...]
    texts: tuple[str, ...]

    @cached_property
    def key(self) -> str:
        """The run and what is embedded."""
        return _hash([self.run, self.uris, self.texts])

    @property
    def path(self) -> Path:
        """Where the vectors are kept."""
        return folder() / self.run / f"{self.key}.npz"


def wanted_of(run: StoredRun, model: str, contents: pd.DataFrame) -> Wanted:
    """What to embed with a stored run's model. model: its name; contents: modality, label, uri, images first."""
    described = run.record.get("model") or {}
    images = contents["modality"] == "image"
    return Wanted(
        run.run_id, str(described.get("spec") or model), str(described.get("weights_sha256") or ""),
        str(described.get("dtype") or ""), tuple(contents.loc[images, "uri"]), tuple(contents.loc[~images, "label"]),
    )  # fmt: skip


@dataclass(frozen=True)
class State:
    """How a request stands. running: a process works on it. stage: what it does, in words; share: of that, 0 to 1, None
    where not known; of_stage: what it took so far, seconds: since all of it began. problem: why it ended without a
    result, in one sentence."""

    running: bool
    stage: str = ""
    share: float | None = None
    seconds: float = 0.0
    problem: str = ""
    of_stage: float = 0.0


def folder() -> Path:
    """All that is kept for the page."""
    return paths.cache_dir() / "embeddings"


def can_be_there(run: StoredRun) -> bool:
    """Whether vectors of a run were kept here, or a map of its ships, of whatever contents: told without reading what
    there is to embed, which for many items takes seconds."""
    return run.origin == "shipped" or any_vectors(run.run_id)


def any_vectors(run_id: str) -> bool:
    """Whether vectors of a run were kept here, of whatever contents."""
    kept = folder() / run_id
    return kept.is_dir() and any(kept.glob("*.npz"))


def map_path(key: str) -> Path:
    """Where a map is kept."""
    return folder() / "maps" / f"{key}.npz"


def read_map(key: str, n: int) -> NDArray[np.float32] | None:
    """A kept map (n, 2); None where there is none, or where it is damaged."""
    found = _read(map_path(key))
    places = found.get("places") if found else None
    return places if places is not None and places.shape == (n, 2) else None


def shipped_path(wanted: Wanted, layout: Layout) -> Path:
    """Where the map of these contents ships, if it does."""
    return paths.bundled_runs_dir() / "maps" / f"{_hash([wanted.key, asdict(layout)])}.npz"


def read_shipped(wanted: Wanted, layout: Layout) -> NDArray[np.float32] | None:
    """A map that ships (n, 2), of all these contents; None where none does."""
    found = _read(shipped_path(wanted, layout))
    places = found.get("places") if found else None
    if places is None or places.shape != (len(wanted.uris) + len(wanted.texts), 2):
        return None
    return np.asarray(places, dtype=np.float32)


def write_shipped(wanted: Wanted, layout: Layout, places: NDArray[np.floating]) -> Path:
    """Keep a map among what ships: places as whole numbers from 0 to 65535, which no screen tells from the map."""
    low = places.min(axis=0)
    side = float((places.max(axis=0) - low).max()) or 1.0
    path = shipped_path(wanted, layout)
    write_arrays(path, places=np.round((places - low) / side * 65535).astype(np.uint16))
    return path


def read_vectors(wanted: Wanted) -> NDArray[np.float32] | None:
    """Kept unit vectors of the contents (n, d), NaN where one could not be read; None where there are none."""
    found = _read(wanted.path)
    vectors = found.get("vectors") if found else None
    fits = vectors is not None and vectors.ndim == 2 and len(vectors) == len(wanted.uris) + len(wanted.texts)
    return np.asarray(vectors, dtype=np.float32) if fits else None


def read_labels(path: Path, n: int) -> NDArray[np.intp] | None:
    """Kept numbers of the n dots of a map (see `clumped`), from -1 to fewer than n; None where there are none, or where
    the file is none of these."""
    with suppress(OSError):
        if path.stat().st_size > LABELS_BYTES:
            return None
    found = _read(path)
    labels = found.get("labels") if found else None
    if labels is None or labels.shape != (n,) or labels.dtype.kind not in "iu":
        return None
    numbers = np.asarray(labels, dtype=np.intp)
    return numbers if n and numbers.min() >= -1 and numbers.max() < n else None


def read_arrays(path: Path) -> dict[str, NDArray[Any]] | None:
    """What `write_arrays` wrote; None where there is nothing, or where it is damaged."""
    return _read(path)


def write_arrays(path: Path, **arrays: NDArray[Any]) -> None:
    """Write arrays to a .npz atomically; beside it the oldest beyond `KEPT` go."""
    buffer = BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    files.replace_bytes(path, buffer.getvalue())
    old = sorted(path.parent.glob("*.npz"), key=lambda file: file.stat().st_mtime)[:-KEPT]
    for file in old:
        file.unlink(missing_ok=True)


def start(
    vectors: NDArray[np.float32] | None, n_images: int, layout: Layout | None, wanted: Wanted | None, *,
    in_passing: bool = False,
) -> str:  # fmt: skip
    """Begin to embed `wanted` (where there are no vectors yet) and to lay it out (where a layout is given), in another
    process. Returns the request's key; one that is being worked on is left alone. in_passing: nobody has asked for it
    by a button, so that it is given up when nobody looks (see `passing`), and stands still while somebody waits."""
    if wanted and vectors is None:
        guard(wanted.spec)  # an imported record may name any folder
    work = work_key(vectors, n_images, layout, wanted)
    place = folder() / "work" / work
    if state(work).running:
        return work
    shutil.rmtree(place, ignore_errors=True)
    request: dict[str, Any] = {"n_images": n_images, "layout": asdict(layout) if layout else None}
    request["wanted"] = asdict(wanted) if wanted and vectors is None else None
    if vectors is not None:
        buffer = BytesIO()
        np.save(buffer, vectors.astype(np.float16))
        files.replace_bytes(place / VECTORS, buffer.getvalue())
    files.replace_json(place / REQUEST, request)
    if in_passing:
        passing.begin(place)
    worker = supervisor.start(
        "backend.live.maps.worker", [str(place.resolve())], place / LOG, {permission.LISTED_ONLY: "1"}
    )
    try:
        supervisor.write(place / PROCESS, worker)
    except OSError:  # a full disk: nobody would find the process again
        supervisor.stop(*worker)
        raise
    if in_passing:
        working_ahead.mind(*worker)
    return work


def work_key(vectors: NDArray[np.float32] | None, n_images: int, layout: Layout | None, wanted: Wanted | None) -> str:
    """The name of a request: what it is made from."""
    source = wanted.key if vectors is None and wanted else sha256(np.ascontiguousarray(vectors).tobytes()).hexdigest()
    return _hash([source, n_images, asdict(layout) if layout else None])


def state(work: str) -> State:
    """How a request stands; not running and without a problem where nobody has asked, or where it is done."""
    supervisor.reap()
    place = folder() / "work" / work
    process = supervisor.read(place / PROCESS)
    if process is None:
        return State(False)
    said = _json(place / PROGRESS)
    share = said.get("share")
    told = (str(said.get("stage", "Starting")), None if share is None else float(share), float(said.get("seconds", 0)))
    with suppress(OSError):
        return State(False, *told, problem=(place / PROBLEM).read_text(encoding="utf-8"))
    with suppress(OSError):  # what compiles for a minute tells nothing meanwhile
        told = (*told[:2], max(told[2], time.time() - (place / PROCESS).stat().st_mtime))
    if not said.get("done") and supervisor.is_alive(*process):  # once done, what was asked for is there
        return State(True, *told, of_stage=float(said.get("of_stage", 0.0)))
    gone = "" if said.get("done") else "Its process ended without a word; memory or room on the disk may have run out."
    return State(False, *told, problem=gone)


def look(work: str) -> State:
    """How a request stands, for somebody who waits: one that was begun in passing goes on while this is asked."""
    passing.look(folder() / "work" / work)
    return state(work)


def stop(work: str) -> None:
    """End the process that works on a request, and forget the request."""
    place = folder() / "work" / work
    process = supervisor.read(place / PROCESS)
    if process is not None:
        supervisor.stop(*process)
    shutil.rmtree(place, ignore_errors=True)


def _hash(document: Sequence[Any]) -> str:
    return sha256(json.dumps(document, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:20]


def _json(path: Path) -> Mapping[str, Any]:
    with suppress(OSError, ValueError, FlipsideError):
        document = files.read_json(path)
        return document if isinstance(document, dict) else {}
    return {}


def _read(path: Path) -> dict[str, NDArray[Any]] | None:
    if not path.is_file():
        return None
    try:
        with np.load(path, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, zlib.error):
        return None
