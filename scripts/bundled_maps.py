"""Makes the UMAPs that ship with the bundled results: of every bundled run with vectors of images and captions, the
subset that Embeddings shows first, with default parameters.

Run it after `make results`: `python -m scripts.bundled_maps`, then `python -m backend.verbs.checking.results`. Maps of
other runs, subsets or parameters stay where they are until removed by hand; the page looks them up by all three.
"""

import sys

from backend.live.maps import clumped, layouts, maps, worker
from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.enrichment import clumps
from backend.store.enrichment.worst import plain_rates, worst_part
from backend.store.items import embeddings


def main() -> int:
    """Compute what is missing; the exit code."""
    store = open_store(follow=False)
    known = queries.benchmarks(store)
    line = known.loc[known["name"] == "world"].iloc[0]
    benchmark = str(line["hash"])
    models = queries.models(store, benchmark)
    able = models[["itc" in kinds for kinds in models["kinds"]]]
    part = worst_part(plain_rates(store, benchmark), able["model"].tolist(), dict(line["protocols"]))
    if part is None:
        print("No subset has rates.")
        return 1
    of = embeddings.points(store, benchmark, part).contents
    for model, run in zip(able["model"], able["run_id"], strict=True):
        if not str(model).startswith("bundled:"):
            continue
        wanted = maps.wanted_of(store.run(run), model, of)
        path = maps.shipped_path(wanted, layouts.Layout())
        if not path.is_file():
            vectors, n_images = worker.known(worker.embed(wanted, lambda *_: None), len(wanted.uris))
            maps.write_shipped(wanted, layouts.Layout(), layouts.umap(vectors, n_images, layouts.Layout()))
        print(f"{model}, {part}: {path.name}, {path.stat().st_size:,} bytes")
        places = maps.read_shipped(wanted, layouts.Layout())
        if places is not None and clumps.is_searched(len(places)):
            path = clumped.keep(clumped.shipped(), places, clumps.labels_of(places))
            print(f"  its clumps: {path.name}, {path.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
