"""Makes the UMAPs that ship with the bundled results: the retrieval pool of every bundled run, default parameters.

Run it after `make results`: `python -m scripts.bundled_maps`. Maps of other vectors, parameters or versions of
umap-learn stay where they are until removed by hand; the page looks them up by all three.
"""

import sys

import numpy as np

from backend.live.maps import layouts, maps
from backend.paths import bundled_runs_dir
from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.items import embeddings


def main() -> int:
    """Compute what is missing; the exit code."""
    store = open_store(follow=False)
    known = queries.benchmarks(store)
    benchmark = str(known.loc[known["name"] == "world", "hash"].iloc[0])
    models = queries.models(store, benchmark)
    for model, run in zip(models["model"], models["run_id"], strict=True):
        of = embeddings.points(store, benchmark, "retrieval")
        vectors = embeddings.stored_vectors(store, run, of) if str(model).startswith("bundled:") else None
        if vectors is None:
            continue
        fine = np.isfinite(vectors).all(axis=1)
        n_images = int(((of.contents["modality"] == embeddings.IMAGE).to_numpy() & fine).sum())
        key = layouts.key(vectors[fine], n_images, layouts.Layout())
        path = bundled_runs_dir() / "maps" / f"{key}.npz"
        if not path.is_file():
            places = layouts.umap(vectors[fine], n_images, layouts.Layout())
            maps.write_arrays(path, places=places)
        print(f"{model}: {path.name}, {fine.sum()} points, {path.stat().st_size / 1024:.0f} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
