"""What the page says of places: what a selection and each clump have more of, and whether errors lie together."""

from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from backend.live.maps import clumped
from backend.metrics import projection
from backend.metrics.near_errors import NearErrors, near_errors
from backend.store.catalog import catalog
from backend.store.enrichment import clumps as clumps_
from backend.store.enrichment import traits as traits_
from backend.store.enrichment.clumps import Clumps
from backend.store.enrichment.traits import Told, Traits
from backend.store.items.embeddings import Points
from backend.store.queries import Setting
from pages.embeddings import data, kept
from pages.embeddings.data import Space
from pages.shared.data import stored

#: Nearest images or captions of other items whose verdicts are looked at.
NEAR = 5
#: More images or captions than this are not looked up for the page's one line.
MOST = 6_000

Places = NDArray[np.floating]


@dataclass(frozen=True)
class Judge:
    """By whose verdicts: a run under a setting and a metric ("" for none)."""

    run: str
    setting: Setting
    metric: str


def traits(benchmark: stored.StoredBenchmark, of: Points, judge: Judge) -> Traits:
    """The traits of all items, with their verdicts."""
    return _traits(benchmark.hash, data.mark(of), judge, of)


@stored.kept("Reading what the items have in common …")
def _traits(benchmark: str, mark: str, judge: Judge, _of: Points) -> Traits:
    del benchmark, mark
    told = data.verdicts(_of, judge.run, judge.setting, judge.metric) if judge.metric else None
    return traits_.traits_of(_of, told)


def clumps(benchmark: stored.StoredBenchmark, of: Points, judge: Judge, places: NDArray[np.floating]) -> Clumps:
    """The clumps of a map (n contents, 2) and what each is of."""
    where = sha256(np.ascontiguousarray(places, dtype=np.float32).tobytes()).hexdigest()[:20]
    return _clumps(benchmark.hash, data.mark(of), judge, where, benchmark, of, places)


@stored.kept("Looking for clumps …")
def _clumps(
    benchmark: str, mark: str, judge: Judge, where: str, _benchmark: stored.StoredBenchmark, _of: Points,
    _places: NDArray[np.floating],
) -> Clumps:  # fmt: skip
    del benchmark, mark, where
    name = kept.key("clumps", clumped.key(_places), _said(_benchmark, _of, judge))
    found = kept.read_clumps(name, len(_of.contents))
    if found is None:
        found = clumps_.clumps(_of, traits(_benchmark, _of, judge), _places, clumped.labels)
        kept.keep_clumps(name, found)
    return found


def _said(benchmark: stored.StoredBenchmark, of: Points, judge: Judge) -> str:
    """What tells what items say, and what is made of them."""
    verdicts = data.verdicts(of, judge.run, judge.setting, judge.metric) if judge.metric else None
    return f"{_of_points(benchmark.hash, data.mark(of), of)} {kept.of_verdicts(verdicts)}"


@stored.kept()
def _of_points(benchmark: str, mark: str, _of: Points) -> str:
    del benchmark, mark
    return kept.of_points(_of)


def told(benchmark: stored.StoredBenchmark, of: Points, judge: Judge, contents: NDArray[np.intp]) -> Told:
    """What the items of some dots have more of than all others."""
    known = traits(benchmark, of, judge)
    return traits_.over_represented(known, traits_.inside(known, of, contents))


def near(benchmark: stored.StoredBenchmark, of: Space, judge: Judge, side: str) -> NearErrors | None:
    """Whether wrong answers lie together in the model's own space. side: image or text; None where there is nothing to
    say: no verdicts, all alike, no vectors yet, or too many of them."""
    contents = np.flatnonzero((of.points.contents["modality"] == side).to_numpy())
    if not of.known or not judge.metric or not NEAR < len(contents) <= MOST:
        return None
    return _near(benchmark.hash, data.mark(of.points), of.run, judge, side, benchmark, of)


@stored.kept("Looking up the neighbours of wrong answers …")
def _near(
    benchmark: str, mark: str, run: str, judge: Judge, side: str, _benchmark: stored.StoredBenchmark, _of: Space
) -> NearErrors | None:
    del benchmark, mark, run
    contents = np.flatnonzero((_of.points.contents["modality"] == side).to_numpy())
    name = kept.key("near errors", NEAR, side, _of.vectors[contents], _said(_benchmark, _of.points, judge))
    told = kept.read_errors(name)
    if told is None:
        told = (_near_errors(_of, contents, traits(_benchmark, _of.points, judge)),)
        kept.keep_errors(name, told[0])
    return told[0]


def _near_errors(of: Space, contents: NDArray[np.intp], known: Traits) -> NearErrors | None:
    """contents: those of one side."""
    frame = of.points.frame
    # A caption of several items counts with the first; its twins in other items are no neighbours but itself.
    first = frame["content"].drop_duplicates().index.to_numpy()
    item = np.full(len(of.points.contents), -1, dtype=np.intp)
    item[frame["content"].to_numpy()[first]] = known.of[first]
    mine, vectors = item[contents], of.vectors[contents]
    # More than are wanted, for those of the same item are passed over.
    rows, _ = projection.neighbours(vectors, vectors, NEAR + 8, itself=True)
    other = (rows >= 0) & (mine[np.maximum(rows, 0)] != mine[:, None])
    order = np.argsort(~other, axis=1, kind="stable")[:, :NEAR]
    nearest = np.where(np.take_along_axis(other, order, axis=1), np.take_along_axis(rows, order, axis=1), -1)
    return near_errors(nearest.astype(np.intp), mine, known.wrong)


def shared_pictures(benchmark: stored.StoredBenchmark, of: Points) -> int:
    """How many items share a picture or a group with another one here, so that they are no independent draws."""
    known = catalog.clusters(stored.store(), benchmark.hash)
    ids = list(dict.fromkeys(of.frame["item_id"]))
    named = [known.get(item, item) for item in ids]
    counts: dict[str, int] = {}
    for name in named:
        counts[name] = counts.get(name, 0) + 1
    return sum(counts[name] > 1 for name in named)
