"""UMAP of image and text vectors in one map. umap-learn and numba are imported where they are used: the first use
compiles for some seconds, so only `worker`, a process of its own, calls this."""

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version

import numpy as np
from numpy.typing import NDArray

from backend.errors import UsageError

#: Fewer points have no neighbourhoods to speak of.
FEWEST = 12


@dataclass(frozen=True)
class Layout:
    """How a map is made (McInnes, Healy, Melville 2018, arXiv 1802.03426).

    neighbours: points that count as a point's surroundings; few show detail, many the whole. tightness: how near points
    may lie together in the map (`min_dist`). centred: each modality's centroid is taken away first, and vectors are
    normalised again, so that the modality gap does not decide the map. seed: the same one gives the same map.
    """

    neighbours: int = 15
    tightness: float = 0.1
    centred: bool = False
    seed: int = 0


def key(vectors: NDArray[np.float32], n_images: int, layout: Layout) -> str:
    """What a map is kept under: the vectors, where texts begin, the parameters, and the library's version."""
    digest = sha256(f"{vectors.shape} {n_images} {sorted(asdict(layout).items())} {_library()}".encode())
    digest.update(np.ascontiguousarray(vectors, dtype=np.float16).tobytes())
    return digest.hexdigest()[:20]


def centred(vectors: NDArray[np.float32], n_images: int) -> NDArray[np.float32]:
    """Each modality about its own centroid, L2-normalised again; images are the first rows."""
    moved = np.array(vectors, dtype=np.float32)
    for rows in (slice(0, n_images), slice(n_images, None)):
        if len(moved[rows]):
            moved[rows] -= moved[rows].mean(axis=0)
    return np.asarray(moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-12), dtype=np.float32)


def umap(
    vectors: NDArray[np.float32], n_images: int, layout: Layout, progress: Callable[[float], None] = lambda _: None
) -> NDArray[np.float32]:
    """Places of the vectors (n, d) in the plane, float32 (n, 2), by cosine. progress: hears shares, 0 to 1.

    UsageError for fewer than `FEWEST` vectors.
    """
    if len(vectors) < FEWEST:
        raise UsageError(
            f"UMAP needs {FEWEST} different images and texts or more, not {len(vectors)}; PCA shows these."
        )
    # float16 values, as they are hashed, and so the same map from stored and from fresh vectors.
    data = np.asarray(vectors, dtype=np.float16).astype(np.float32)
    data = centred(data, n_images) if layout.centred else data
    from umap import UMAP  # type: ignore[import-untyped]

    reducer = UMAP(
        n_neighbors=min(layout.neighbours, len(data) - 1), min_dist=layout.tightness, metric="cosine",
        random_state=layout.seed, n_jobs=1, tqdm_kwds={"disable": False, "file": _Share(progress)},
    )  # fmt: skip
    return np.asarray(reducer.fit_transform(data), dtype=np.float32)


class _Share:
    """Stands for the terminal on which umap-learn draws its bar, and reads its per cent."""

    def __init__(self, tell: Callable[[float], None]) -> None:
        self.tell = tell

    def write(self, text: str) -> None:
        found = re.search(r"(\d+)%", text)
        if found:
            self.tell(int(found[1]) / 100)

    def flush(self) -> None:
        """Nothing is held back."""


@cache  # looked up in the environment's files each time, and asked five times a page
def _library() -> str:
    try:
        return version("umap-learn")
    except PackageNotFoundError:
        return "none"
