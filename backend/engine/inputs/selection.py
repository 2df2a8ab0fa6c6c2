"""Which items of a benchmark a run scores: a split, named subsets, the first N, a seeded sample, or picked ones."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from os import PathLike

import numpy as np
import numpy.typing as npt

from backend.benchmarks import declaration, load_benchmark
from backend.errors import UsageError
from backend.items import Benchmark, Item, set_digest
from backend.seeds import check_seed


@dataclass(frozen=True, slots=True)
class Selection:
    """What `--split`, `--subset`, `--limit`, `--sample` and `--seed` say. Part of the run's identity.

    subset: one name, or several with commas between them. limit: the first N that match; sample: N of them by seed,
    from every subset in proportion to its size. items: None, or the ids of the items that somebody picked (`--set`).
    """

    split: str | None = None
    subset: str | None = None
    limit: int | None = None
    sample: int | None = None
    seed: int = 0
    items: frozenset[str] | None = None

    def __post_init__(self) -> None:
        if self.limit is not None and self.sample is not None:
            raise UsageError("--limit and --sample exclude each other: give the first N, or N at random.")
        if self.items is not None and not self.items:
            raise UsageError("--set: the picked set is empty. Pick some items.")
        for flag, number in (("--limit", self.limit), ("--sample", self.sample)):
            if number is not None and number < 1:
                raise UsageError(f"{flag} {number}: must be at least 1.")
        check_seed(self.seed)

    @property
    def subsets(self) -> frozenset[str]:
        return frozenset(name.strip() for name in (self.subset or "").split(",") if name.strip())

    @property
    def whole(self) -> bool:
        """Whether nothing of the benchmark is left out."""
        picked = self.items is not None or self.limit is not None or self.sample is not None
        return not picked and not self.subsets and self.split in (None, "all")

    def reduced(self, n_chosen: int, n_matching: int, n_items: int) -> "Selection":
        """This selection without what leaves nothing out, so that a run of all items is known as one.

        n_chosen, n_matching: items that are scored, and that split, subset and picked items admit. n_items: of the
        benchmark. A limit or sample of at least what matches is none, and all items are no picked ones.

        >>> Selection(subset="a", limit=500, seed=3).reduced(60, 60, 100)
        Selection(split=None, subset='a', limit=None, sample=None, seed=3, items=None)
        >>> Selection(limit=500).reduced(60, 60, 60).whole, Selection(limit=59).reduced(59, 60, 60).whole
        (True, False)
        """
        found = replace(self, limit=None, sample=None) if n_chosen == n_matching else self
        return replace(found, items=None) if n_chosen == n_items else found

    def matches(self, item: Item) -> bool:
        """Whether split and subset admit the item; limit and sample count among these."""
        in_split = self.split in (None, "all") or self.split in item.tags.get("split", ())
        in_subset = not self.subsets or item.subset in self.subsets
        return in_split and in_subset and (self.items is None or item.item_id in self.items)

    def choose(
        self, matching: npt.NDArray[np.int32], strata: npt.NDArray[np.integer] | None = None
    ) -> npt.NDArray[np.int32]:
        """The item numbers to score, ascending, out of those that match.

        strata: the stratum (subset) of each of them, as a number. A sample takes from each stratum its share, rounded
        by largest remainder, so that every subset stands in it as it stands in the benchmark.

        >>> Selection(limit=2).choose(np.array([3, 5, 8], np.int32)).tolist()
        [3, 5]
        >>> len(Selection(sample=4).choose(np.arange(8), np.array([0, 0, 0, 0, 0, 0, 1, 1])))
        4
        """
        if self.limit is not None:
            return matching[: self.limit]
        if self.sample is not None and self.sample < len(matching):
            groups = np.zeros(len(matching), np.int64) if strata is None else np.asarray(strata)
            picked = _stratified(groups, self.sample, np.random.default_rng(self.seed))
            return matching[np.sort(picked)]
        return matching

    def identity(self) -> dict[str, object]:
        """The JSON form that enters the run id; equal selections that are written differently are made equal."""
        said = asdict(self) | {
            "subset": ",".join(sorted(self.subsets)) or None,
            "split": None if self.split == "all" else self.split,
        }
        if self.items is None:  # runs from before there were picked items keep their ids
            del said["items"]
        else:
            said["items"] = {"n": len(self.items), "sha256": set_digest(self.items)}
        return said

    def check_names(self, benchmark: str, subsets: Iterable[str], splits: Iterable[str]) -> None:
        """UsageError where a name occurs nowhere in the benchmark, with the names that do."""
        if self.split not in (None, "all"):
            _check("--split", str(self.split), benchmark, sorted(splits))
        known = sorted(subsets)
        for name in sorted(self.subsets):
            _check("--subset", name, benchmark, known)


def _stratified(groups: npt.NDArray[np.integer], size: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Positions of a random sample in which each group has its share of `size` (largest remainder)."""
    names, counts = np.unique(groups, return_counts=True)
    exact = size * counts / counts.sum()
    shares = np.floor(exact).astype(np.intp)
    short = np.argsort(-(exact - shares), kind="stable")[: size - int(shares.sum())]
    shares[short] += 1
    return np.concatenate(
        [rng.choice(np.flatnonzero(groups == name), n, replace=False) for name, n in zip(names, shares, strict=True)]
    )


def open_selected(name: str, data_dir: str | PathLike[str] | None, selection: Selection) -> tuple[Benchmark, Selection]:
    """The benchmark, and what is left to select from it: where a benchmark comes in splits, `--split` says which one is
    read, so that the others neither enter its hash nor are kept; elsewhere it picks items by their tag."""
    benchmark = load_benchmark(name, data_dir, selection.split)
    return benchmark, replace(selection, split=None) if declaration(name).splits else selection


def _check(flag: str, name: str, benchmark: str, known: list[str]) -> None:
    if name in known:
        return
    near = get_close_matches(name, known, 1)
    hint = f" Did you mean {near[0]}?" if near else ""
    listed = ", ".join(known[:30]) if known else "none"
    raise UsageError(f"{flag} {name}: {benchmark} has no such part.{hint} Available: {listed}.")
