"""What Robustness reads: benchmarks with their editions, the matrix, verdict pairs, granularity, all cached."""

import random

import pandas as pd

from backend.benchmarks.granular import Texts
from backend.benchmarks.items_folder.kept import EDITED
from backend.metrics.statistics import Rate
from backend.perturb.granularity import Granularity, measure
from backend.store.items import captions
from backend.store.labels import sensitive
from backend.store.labels.asked_again import LeftOut
from backend.store.robustness import editions, fine_grained, robustness
from backend.store.robustness import matrix as robustness_matrix
from backend.store.robustness import originals as robustness_originals
from pages.robustness.view import Original
from pages.shared.data import asked_orders, stored
from pages.shared.data.frames import lines_of

#: Captions that are measured of a set; a larger one is sampled.
MOST = 3000


def families() -> dict[str, stored.StoredBenchmark]:
    """Benchmarks with runs that are no editions, or have editions of their own; those with editions first."""
    known = stored.chosen()
    parents = set(editions.editions(stored.store())["parent"])
    found = {name: each for name, each in known.items() if EDITED not in name or each.hash in parents}
    return dict(sorted(found.items(), key=lambda entry: (entry[1].hash not in parents, entry[0] != "world")))


def edition_of(hash_: str) -> stored.StoredBenchmark | None:
    """An edition that has runs, by its hash."""
    return next((each for each in stored.chosen().values() if each.hash == hash_), None)


def all_editions() -> pd.DataFrame:
    """All editions, see `editions.editions`; two of one name carry their hash."""
    return editions.editions(stored.store())


def pairs(parent: str) -> pd.DataFrame:
    """Runs that can be compared, see `editions.pairs`."""
    return editions.pairs(stored.store(), parent)


def left_out(parent: str) -> list[LeftOut]:
    """Choices on editions that compare with none on the originals, see `editions.left_out`."""
    return editions.left_out(stored.store(), parent)


@stored.kept()
def rules(parent: str) -> dict[tuple[str, str], str]:
    """(model, kind) -> the rule behind each of its verdicts, of those that were asked in several orders of the
    captions."""
    found = {(line.model, line.kind): asked_orders.strict(line.run, line.kind) for line in lines_of(pairs(parent))}
    return {side: rule for side, rule in found.items() if rule}


def metrics(parent: str) -> list[str]:
    """What editions can be judged by, see `robustness.metrics`."""
    return robustness.metrics(stored.store(), parent)


def verdicts(parent: str, metric: str, subset: str | None) -> pd.DataFrame:
    """Every question before and after, see `robustness.verdicts`."""
    return robustness.verdicts(stored.store(), parent, metric, subset)


def unit(frame: pd.DataFrame) -> str:
    """What independent questions are: “item” where no two items share their images, else “image”. frame: rows of
    `verdicts`, of which item_id and cluster are read.

    >>> unit(pd.DataFrame({"item_id": ["a", "a", "b"], "cluster": ["a", "a", "b"]}))
    'item'
    >>> unit(pd.DataFrame({"item_id": ["a", "b"], "cluster": ["c", "c"]}))
    'image'
    """
    return "item" if frame["item_id"].nunique() == frame["cluster"].nunique() else "image"


@stored.kept("Comparing verdicts before and after …")
def matrix(parent: str, metric: str, subset: str | None) -> list[robustness_matrix.Cell]:
    """The cells, see `matrix.matrix`."""
    return robustness_matrix.matrix(stored.store(), parent, metric, subset)


@stored.kept()
def originals(parent: str, metric: str, subset: str | None) -> dict[tuple[str, str], Original]:
    """(model, kind) -> its rate on the original captions, see `originals.originals`."""
    found = robustness_originals.originals(stored.store(), parent, metric, subset)
    return {
        (line.model, line.kind): Original(
            Rate(line.value, int(line.n), int(line.ties), (line.low, line.high) if line.low == line.low else None),
            line.chance if line.chance == line.chance else None,
        )
        for line in lines_of(found)
        if line.n
    }


@stored.kept("Measuring sensitivity to edits …")
def counts(parent: str) -> list[sensitive.Sensitive]:
    """Flips, d′ and near misses of each model and kind, see `sensitive.counts`."""
    return sensitive.counts(stored.store(), parent)


@stored.kept("Measuring captions …")
def granularity(benchmark: str, texts: Texts, subset: str | None) -> tuple[Granularity, int]:
    """The features of a benchmark's captions (hash), and how many captions it has; of more than MOST a random sample
    (seed 0) is measured."""
    found = captions.captions(stored.store(), benchmark, texts, subset)
    chosen = random.Random(0).sample(found, MOST) if len(found) > MOST else found  # noqa: S311 - a sample, no secret
    return measure(chosen), len(found)


def examples(benchmark: str) -> list[str]:
    """Some captions of a benchmark (hash)."""
    return captions.first(stored.store(), benchmark)


def sets() -> dict[str, tuple[str, dict[str, int]]]:
    """Every benchmark with captions that the store knows, run or not: name -> (hash, subsets)."""
    from backend.store import queries

    frame = queries.benchmarks(stored.store())
    twice = frame["name"].duplicated(keep=False)
    return {
        (f"{line.name}@{str(line.hash)[:8]}" if double else str(line.name)): (str(line.hash), line.subsets)
        for line, double in zip(lines_of(frame), twice, strict=True)
        if set(line.protocols.values()) != {"classify"}
    }


@stored.kept("Comparing original and fine-grained captions …")
def finer_pairs() -> tuple[list[fine_grained.Finer], list[tuple[str, list[str]]]]:
    """Original against fine-grained, and what is missing for it."""
    return fine_grained.finer(stored.store()), fine_grained.missing(stored.store())
