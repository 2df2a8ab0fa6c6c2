"""`backend.live.maps.worker FOLDER` (see `paths.module_command`): embeds and lays out what `maps.start` asked for."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend.engine.storage import files
from backend.errors import FlipsideError
from backend.items import Kind
from backend.live.maps import layouts, maps, passing
from backend.live.maps.maps import Wanted
from backend.live.working_ahead import give_way
from backend.models import Model

#: Images and texts between two reports.
STEP = 256

Tell = Callable[[str, float | None], None]


def main(place: Path) -> int:
    """Work on one request to its end; 0 where it came to one."""
    begun, last = time.monotonic(), 0.0
    stage_begun = begun

    def tell(stage: str, share: float | None, done: bool = False) -> None:
        nonlocal last, stage_begun
        if not done:
            passing.check(place)
        now = time.monotonic()
        if not share:
            stage_begun = now
        if done or not share or now - last > 0.3:
            last = now
            took = {"seconds": now - begun, "of_stage": now - stage_begun}
            document = {"stage": stage, "share": share, **took, "done": done}
            files.replace_json(place / maps.PROGRESS, document)

    try:
        request = files.read_json(place / maps.REQUEST)
        with passing.turn(place, lambda: tell("Waiting for what was begun before", None)):
            _work(place, request, tell)
    except passing.LeftError:
        tell("Given up, for nobody looked any more", None, done=True)
        return 0
    except FlipsideError as error:
        files.replace_bytes(place / maps.PROBLEM, str(error).encode())
        return 1
    except Exception as error:
        first = (str(error).strip().splitlines() or [""])[0][:200].rstrip(".")
        sentence = f"It failed ({type(error).__name__}: {first}); {place / maps.LOG} has the details."
        files.replace_bytes(place / maps.PROBLEM, sentence.encode())
        raise
    (place / maps.VECTORS).unlink(missing_ok=True)
    tell("Done", 1.0, done=True)  # the last: from now on the request may be made again, in the same folder
    return 0


def _work(place: Path, request: dict[str, Any], tell: Tell) -> None:
    asked = request["wanted"]
    if asked:
        wanted = Wanted(**{**asked, "uris": tuple(asked["uris"]), "texts": tuple(asked["texts"])})
        fresh = embed(wanted, tell)
        maps.write_arrays(wanted.path, vectors=fresh)
        vectors, n_images = known(fresh, len(wanted.uris))
    else:
        vectors, n_images = np.load(place / maps.VECTORS).astype(np.float32), int(request["n_images"])
    if request["layout"] and len(vectors) >= layouts.FEWEST:
        layout = layouts.Layout(**request["layout"])
        tell("Preparing UMAP (its first use compiles for 10 to 20 seconds)", None)
        places = layouts.umap(vectors, n_images, layout, lambda share: tell("Laying out the map", share))
        maps.write_arrays(maps.map_path(layouts.key(vectors, n_images, layout)), places=places)


def known(vectors: NDArray[np.floating], n_images: int) -> tuple[NDArray[np.float32], int]:
    """Without the rows that could not be embedded (NaN), as float32, and how many images are left."""
    fine = np.isfinite(vectors).all(axis=1)
    return np.asarray(vectors[fine], dtype=np.float32), int(fine[:n_images].sum())


def embed(wanted: Wanted, tell: Tell) -> NDArray[np.float16]:
    """Unit vectors of images and texts, float16 (n, d); NaN for images that cannot be opened, and for all images of a
    model that reads texts alone. FlipsideError where the model is not the run's, or gives no vectors."""
    from backend.models import load

    tell(f"Loading {wanted.spec}", None)
    model = load(wanted.spec, dtype=wanted.dtype or "auto")
    sees = Kind.ITC in model.kinds - model.pairwise
    if not sees and Kind.T2T not in model.kinds:
        why = "judges image and text together" if Kind.ITC in model.kinds else f"gives {', '.join(sorted(model.kinds))}"
        raise FlipsideError(f"{wanted.spec} {why}, and no vectors of images or texts; choose a model with itc or t2t.")
    described = model.describe()
    if described.get("weights_unknown"):
        raise FlipsideError(
            f"{wanted.spec}: its weights are unknown, so nobody can tell whether they are those of run {wanted.run}. "
            "Give its code a weights_id, and run it again."
        )
    now = str(described.get("weights_sha256") or "")
    if wanted.weights and now != wanted.weights:
        raise FlipsideError(
            f"{wanted.spec}: its weights here are not those of run {wanted.run}. Restore them, or run the model again."
        )
    parts = []
    if wanted.uris and (kept := maps.read_vectors(replace(wanted, uris=()))) is not None:
        parts = [kept]  # the captions were embedded before, by the same weights
    elif wanted.texts:
        parts += list(_in_steps(wanted.texts, lambda some: model.encode_texts(list(some)), "captions", tell))
    texts = np.concatenate(parts).astype(np.float16) if parts else np.zeros((0, 1), np.float16)
    width = texts.shape[1]
    if not sees or not wanted.uris:
        return np.concatenate([np.full((len(wanted.uris), width), np.nan, np.float16), texts])
    seen = list(_in_steps(wanted.uris, lambda some: _images(model, some), "images", tell))
    width = max(width, *(rows.shape[1] for rows in seen)) if not wanted.texts else width
    images = np.concatenate([_wide(rows, width) for rows in seen])
    return np.concatenate([images.astype(np.float16), texts if wanted.texts else texts.reshape(0, width)])


def _images(model: Model, uris: Sequence[str]) -> NDArray[np.float32]:
    from backend.images import open_stored

    opened = []
    for uri in uris:
        try:
            opened.append(open_stored(uri) if uri else None)
        except FlipsideError:
            opened.append(None)
    there = [k for k, image in enumerate(opened) if image is not None]
    if not there:
        return np.full((len(uris), 1), np.nan, np.float32)
    found = model.encode_images([image for image in opened if image is not None])
    rows = np.full((len(uris), found.shape[1]), np.nan, np.float32)
    rows[there] = found
    return rows


def _wide(rows: NDArray[np.float32], width: int) -> NDArray[np.float32]:
    """A block of which no image could be opened, as wide as the others."""
    return rows if rows.shape[1] == width else np.full((len(rows), width), np.nan, np.float32)


def _in_steps(
    listed: Sequence[str], encode: Callable[[Sequence[str]], NDArray[np.float32]], what: str, tell: Tell
) -> Iterator[NDArray[np.float32]]:
    for begin in range(0, len(listed), STEP):
        tell(f"Embedding {begin:,} of {len(listed):,} {what}", begin / len(listed))
        yield encode(listed[begin : begin + STEP])


if __name__ == "__main__":
    give_way()  # whoever waits for vectors goes on choosing meanwhile
    sys.exit(main(Path(sys.argv[1])))
