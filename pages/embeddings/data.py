"""What the Embeddings page asks for: points, vectors and maps, kept for one generation of the data."""

from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.live.maps import layouts, maps
from backend.live.maps.layouts import Layout
from backend.metrics import projection
from backend.metrics.modality_gap import Gap, PairCosines, modality_gap, pair_cosines
from backend.metrics.paired.differences import mean_interval
from backend.store.catalog import catalog
from backend.store.enrichment.worst import plain_rates, worst_part
from backend.store.items import embeddings, point_verdicts
from backend.store.items.embeddings import IMAGE, TEXT, Points
from backend.store.queries import Setting
from backend.store.rates.both_paraphrases import bounded
from pages.embeddings import kept
from pages.shared.data import stored

#: Neighbours of each modality beside a point.
NEAR = 4
#: How the names of models that ship begin.
BUNDLED = "bundled:"
#: With more contents than this the neighbours of all are not looked up in the page; those of a pinned one are.
MOST_NEAR = 6_000


@dataclass(frozen=True)
class Space:
    """What a model makes of a part: only contents that have a vector. vectors: (n, d) unit rows, images first; (n, 0)
    where the map is there and they are not yet; fresh: whether they were computed for this page and not by a run;
    missing: contents without a vector."""

    model: str
    run: str
    points: Points
    vectors: NDArray[np.float32]
    fresh: bool
    missing: int

    # Asked several times a page, and of a space that is kept once: it is never changed.
    @cached_property
    def n_images(self) -> int:
        return int((self.points.contents["modality"] == IMAGE).sum())

    @cached_property
    def mark(self) -> str:
        """What tells its vectors from others', by all of their bytes."""
        return layouts.key(self.vectors, self.n_images, Layout())

    @cached_property
    def wanted(self) -> maps.Wanted:
        """What its map ships for."""
        return maps.wanted_of(stored.store().run(self.run), self.model, self.points.contents)

    @property
    def known(self) -> bool:
        """Whether the vectors are there."""
        return bool(self.vectors.shape[1] > 0)


def able(benchmark: stored.StoredBenchmark) -> list[str]:
    """Models that may give vectors: those with itc or t2t that are no other system's predictions."""
    return [
        model for model in benchmark.models
        if {"itc", "t2t"} & set(benchmark.kinds[model]) and not model.startswith("predictions:")
    ]  # fmt: skip


@stored.kept()
def points(benchmark: stored.StoredBenchmark, part: str) -> Points:
    """All images and texts of a part (see `embeddings.points`)."""
    return embeddings.points(stored.store(), benchmark.hash, part)


@stored.kept()
def wanted(benchmark: stored.StoredBenchmark, model: str, part: str) -> maps.Wanted:
    """What has to be embedded for a part whose vectors no run has stored."""
    return maps.wanted_of(stored.store().run(benchmark.runs[model]), model, seen(benchmark, model, part).contents)


def wanted_captions(benchmark: stored.StoredBenchmark, model: str, part: str) -> maps.Wanted:
    """The same of its captions alone: what tells whether wrong items lie together."""
    return replace(wanted(benchmark, model, part), uris=())


def captions(benchmark: stored.StoredBenchmark, model: str, part: str) -> Space | None:
    """A space of which only the captions were embedded, for what asks for no more: rows of images are zeros; None where
    they were not."""
    asked = wanted_captions(benchmark, model, part)
    found = maps.read_vectors(asked) if asked.texts else None
    if found is None or not np.isfinite(found).all():
        return None
    of = seen(benchmark, model, part)
    images = np.zeros((len(of.contents) - len(found), found.shape[1]), np.float32)
    return Space(model, benchmark.runs[model], of, np.concatenate([images, found]), True, 0)


def space(benchmark: stored.StoredBenchmark, model: str, part: str) -> Space | None:
    """The vectors of a part: the run's own, or those computed for this page; the contents alone where their map ships
    and their vectors are not there yet; None where there is nothing."""
    run = benchmark.runs[model]
    if _stored_all(benchmark, run, part) and (found := _space(benchmark, model, run, part, 0, None)):
        return found
    if not maps.can_be_there(stored.store().run(run)):
        return None
    asked = wanted(benchmark, model, part)
    stamp = asked.path.stat().st_mtime_ns if asked.path.is_file() else 0
    if stamp:
        return _space(benchmark, model, run, part, stamp, asked)
    if maps.read_shipped(asked, Layout()) is None:
        return None
    of = seen(benchmark, model, part)
    return Space(model, run, of, np.zeros((len(of.contents), 0), np.float32), False, 0)


@stored.kept()
def _space(
    benchmark: stored.StoredBenchmark,
    model: str,
    run: str,
    part: str,
    stamp: int,
    asked: maps.Wanted | None,
) -> Space | None:
    of = seen(benchmark, model, part)
    vectors = maps.read_vectors(asked) if asked else embeddings.stored_vectors(stored.store(), run, of)
    if vectors is None or not np.isfinite(vectors).all(axis=1).any():
        return None
    fine = np.asarray(np.isfinite(vectors).all(axis=1), dtype=np.bool_)
    # Not normalised again: maps are found by these very numbers, rounded to float16.
    rows = np.asarray(vectors[fine], dtype=np.float32)
    return Space(model, run, of.having(fine), rows, stamp > 0, int((~fine).sum()))


def seen(benchmark: stored.StoredBenchmark, model: str, part: str) -> Points:
    """The points that a model can see: texts only for a model without itc."""
    of = points(benchmark, part)
    if "itc" in benchmark.kinds[model]:
        return of
    return of.having(np.asarray(of.contents["modality"] == TEXT, dtype=np.bool_))


def _stored_all(benchmark: stored.StoredBenchmark, run: str, part: str) -> bool:
    """Whether a run has vectors of every subset of a part."""
    listed = [name for name in embeddings.parts(benchmark.protocols) if name != embeddings.ALL]
    there = embeddings.subsets_with_vectors(stored.store(), run)
    return all(name in there for name in (listed if part == embeddings.ALL else [part]))


def first_part(benchmark: stored.StoredBenchmark, model: str) -> str:
    """What is shown where nobody has chosen: the subset on which even the best model with vectors is worst (see
    `worst_part`), of those whose vectors this model's run has kept, which tell at once whether wrong items lie
    together; else of those whose map ships; else of all. Vectors that were computed for this page have no say: what one
    user looks at would move what another's page opens with. A run of some of the items has no say in which is the
    worst, beside models that have judged all."""
    listed = [name for name in embeddings.parts(benchmark.protocols) if name != embeddings.ALL]
    kept_ = [name for name in listed if name in embeddings.subsets_with_vectors(stored.store(), benchmark.runs[model])]
    ranked = _worst_first(benchmark, tuple(listed))
    # Those with vectors are looked for before those with a map alone: for a map the points have to be read.
    known = next((part for part in ranked if part in kept_), "")
    drawn = known or next((part for part in ranked if _map_ships(benchmark, model, part)), "")
    return drawn or (ranked or kept_ or listed)[0]


def _map_ships(benchmark: stored.StoredBenchmark, model: str, part: str) -> bool:
    """Whether a part can be drawn at once without vectors."""
    if stored.store().run(benchmark.runs[model]).origin != "shipped":
        return False
    return maps.read_shipped(wanted(benchmark, model, part), Layout()) is not None


@stored.kept()
def _worst_first(benchmark: stored.StoredBenchmark, listed: tuple[str, ...]) -> tuple[str, ...]:
    """Subsets, first the one on which even the best model with vectors is worst; without those that nobody judged."""
    models = able(benchmark)
    whole = [each for each in models if each not in benchmark.partial] or models
    left = {name: benchmark.protocols[name] for name in listed}
    ranked = []
    while left and (worst := worst_part(_rates(benchmark), whole, left)):
        ranked.append(worst)
        left.pop(worst)
    return tuple(ranked)


@stored.kept()
def _rates(benchmark: stored.StoredBenchmark) -> pd.DataFrame:
    return plain_rates(stored.store(), benchmark.hash)


def pca(of: Space) -> projection.Pca:
    """The two main axes of a space."""
    return _pca(of.mark, of)


@stored.kept()
def _pca(mark: str, _of: Space) -> projection.Pca:
    del mark
    return projection.pca(_of.vectors)


def umap(of: Space, layout: Layout) -> NDArray[np.float32] | None:
    """A kept UMAP, or one that ships; None where it has not been computed."""
    found = None
    if of.known:
        key = of.mark if layout == Layout() else layouts.key(of.vectors, of.n_images, layout)
        found = maps.read_map(key, len(of.vectors))
    if found is not None or of.missing:
        return found
    return maps.read_shipped(of.wanted, layout)


def near(of: Space) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Neighbours of every content in the model's own space: contents and cosines, (n, 2 NEAR), first of the same
    modality, then of the other; none at all with more than MOST_NEAR contents."""
    if len(of.vectors) > MOST_NEAR or not of.known:
        return np.zeros((len(of.vectors), 0), dtype=np.intp), np.zeros((len(of.vectors), 0), dtype=np.float32)
    return _near(of.mark, of)


@stored.kept("Looking up neighbours …")
def _near(mark: str, _of: Space) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    del mark
    name = kept.key("neighbours", NEAR, _of.n_images, _of.vectors)
    found = kept.read_near(name, len(_of.vectors))
    if found is None:
        kept.keep_near(name, found := neighbours_of(_of, np.arange(len(_of.vectors))))
    return found


def neighbours_of(of: Space, contents: NDArray[np.intp], k: int = NEAR) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """The same for some contents; found by looking at all vectors."""
    images = np.arange(len(of.vectors)) < of.n_images
    rows = np.full((len(contents), 2 * k), -1, dtype=np.intp)
    cosines = np.full((len(contents), 2 * k), np.nan, dtype=np.float32)
    for mine in (True, False):
        asked = np.flatnonzero(images[contents] == mine)
        if not len(asked):
            continue
        for side, theirs in ((0, mine), (k, not mine)):
            pool = np.flatnonzero(images == theirs)
            # One more than k, because a content's nearest neighbour in its own modality is itself.
            found, values = projection.neighbours(of.vectors[contents[asked]], of.vectors[pool], k + (side == 0))
            if not len(pool):
                continue
            there = pool[np.maximum(found, 0)]
            other = (found >= 0) & (there != contents[asked][:, None])
            order = np.argsort(~other, axis=1, kind="stable")[:, :k]  # those that count first, as near as they were
            fine = np.take_along_axis(other, order, axis=1)
            here = slice(side, side + fine.shape[1])
            rows[asked, here] = np.where(fine, np.take_along_axis(there, order, axis=1), -1)
            cosines[asked, here] = np.where(fine, np.take_along_axis(values, order, axis=1), np.nan)
    return rows, cosines


@dataclass(frozen=True)
class Apart:
    """How far a model puts the modalities apart on a part; means with their 95 % intervals."""

    model: str
    n_images: int
    n_texts: int
    gap: Gap | None
    cosines: PairCosines | None
    matched: tuple[float, tuple[float, float] | None] | None


def apart(of: Space) -> Apart:
    """The modality gap of a space whose vectors are there, and its pairs."""
    return _apart(of.mark, len(of.points.frame), of)


@stored.kept("Measuring the gap …")
def _apart(mark: str, n: int, _of: Space) -> Apart:
    del mark, n
    frame = _of.points.frame
    image = (frame["modality"] == IMAGE).to_numpy()
    at, items = frame["content"].to_numpy(), frame["item_id"].to_numpy(dtype=str)
    x, y = _of.vectors[at[image]], _of.vectors[at[~image]]
    gap = modality_gap(x, y, items[image], items[~image])
    if gap is None:
        return Apart(_of.model, len(x), len(y), None, None, None)
    place = np.where(image, np.cumsum(image) - 1, np.cumsum(~image) - 1)
    pairs = pair_cosines(x, y, items[image], items[~image], place[_of.points.together])
    mean = None
    if len(pairs.matched):
        of = catalog.clusters(stored.store(), stored.store().run(_of.run).benchmark)
        mean = float(pairs.matched.mean()), mean_interval(pairs.matched, [of.get(item, item) for item in pairs.items])
    return Apart(_of.model, len(x), len(y), gap, pairs, mean)


def judges(benchmark: stored.StoredBenchmark, part: str) -> dict[str, list[str]]:
    """Models with verdicts on a part, and under which kinds, in the order of every list."""
    known = point_verdicts.judges(stored.store(), benchmark.hash, part)
    return {
        model: [kind for kind in benchmark.kinds[model] if kind in known[benchmark.runs[model]]]
        for model in benchmark.models
        if known.get(benchmark.runs[model])
    }


def verdicts(of: Points, run: str, setting: Setting, metric: str) -> pd.DataFrame:
    """What a run makes of each point's item (see `point_verdicts.verdicts`)."""
    return _verdicts(mark(of), run, setting, metric, of)


@stored.kept()
def _verdicts(mark: str, run: str, setting: Setting, metric: str, _of: Points) -> pd.DataFrame:
    del mark
    return point_verdicts.verdicts(stored.store(), run, setting, metric, _of)


def mark(of: Points) -> str:
    """What tells one set of dots of a benchmark from another."""
    frame = of.frame
    digest = sha256(f"{len(of.contents)} {len(frame)}".encode())
    for name in ("item_no", "content"):
        digest.update(np.ascontiguousarray(frame[name].to_numpy(), dtype=np.int64).tobytes())
    return digest.hexdigest()[:20]


def metrics(of: Points, run: str, setting: Setting) -> list[str]:
    """By what these points can be judged (see `point_verdicts.metrics`)."""
    subsets: list[Any] = of.frame["subset"].unique().tolist()
    found = point_verdicts.metrics(stored.store(), run, setting, subsets)
    # Of one paraphrase alone some verdicts are known as bounds only, which compare with no other place of the map.
    return [
        name for name in found if not bounded(stored.store(), run, setting.kind, [name], ",".join(map(str, subsets)))
    ]
