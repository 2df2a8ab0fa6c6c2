"""What a benchmark declares about itself: source, licence, files, counts, and how it is read."""

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend.benchmarks.reading.folder import Folder
from backend.errors import FlipsideError, UsageError
from backend.items import Benchmark, Item, Protocol, Skipped
from backend.regular import not_a_folder


@dataclass(frozen=True)
class Source:
    """What a reader reads from: the data folder (None for what ships with Flipside) and the split that is wanted."""

    folder: Folder | None
    split: str = ""

    @property
    def files(self) -> Folder:
        """The data folder; only readers of benchmarks that need one ask for it."""
        assert self.folder is not None, "Declaration.opened refuses a missing folder"  # noqa: S101
        return self.folder

    def present(self, files: Mapping[str, str], without: tuple[str, ...] = ()) -> Iterator[tuple[str, Path]]:
        """(subset, path) of those files that are there, in the order of the declaration."""
        for subset, name in files.items():
            if (path := self.files.find(name, without)) is not None:
                yield subset, path


@dataclass(frozen=True)
class Judged:
    """What an official score is made of: the items of one run under one setting, one entry an item.

    correct: 1, 0, or NaN where undefined. tags: as in `Item.tags`. scores: (n, columns) where the official metric needs
    more than verdicts, otherwise None (as for `classify`: see rates). rates: subset -> metric ->
    (value, n) as the report has them by subset, for what no verdict holds (mean per class, areas). pool: a retrieval
    subset's scores, as the metric's queries rank them, and relevance, both (images, texts), asked for only where
    needed; None where there is no such pool.
    """

    item_id: list[str]
    subset: list[str]
    tags: list[Mapping[str, tuple[str, ...]]]
    correct: NDArray[np.float64]
    metric: str
    scores: NDArray[np.float64] | None = None
    rates: Mapping[str, Mapping[str, tuple[float | None, int]]] = field(default_factory=dict)
    pool: Callable[[str], tuple[NDArray[np.floating], NDArray[np.bool_]] | None] | None = None


@dataclass(frozen=True)
class Official:
    """A number as the benchmark's own evaluator or its papers form it. how: the rule in one sentence. value: a
    fraction, None where nothing is defined; n: items that count. of: the subsets that it is formed from, none named:
    all that are judged by its metric."""

    name: str
    value: float | None
    n: int
    how: str
    of: tuple[str, ...] = ()


@dataclass(frozen=True)
class Declaration:
    """One benchmark.

    protocols: subset -> how its items are judged; empty where the files decide.
    files: subset -> the name of the file it is read from, anywhere below the data folder (with folders in front where
        the name alone is not enough); empty where `data` says in words what the folder must hold.
    images: in words, where images are looked for.
    expected: subset -> number of usable items in the original release (its default split); a different count is
        reported, not refused. expected_in: split -> the same, for the other splits.
    splits: name -> what it is, where one of several is read (`--split`); default_split: the one without `--split`.
    without: folder names below which nothing is looked for (an unrefined edition, say).
    read: yields items and skipped records in file order.
    check: raises UsageError where a folder is not the benchmark's; for formats that `files` alone does not tell.
    name_of: the benchmark's name where the folder decides it (own data, perturbed editions).
    about: what is kept with the items, from the folder; templates: subset -> prompts, for `classify`.
    official: metric -> the scores that the benchmark's own evaluator prints and the report adds (see `Judged`).
    gated: how to get files that only their owners hand out.
    open_file: reads a single file that is given as the data folder (own data).
    texts_may_be_published, pictures_may_be_published: whether `publish` may write captions, or small pictures, into
        files that anybody may be sent; scores_may_be_published: whether scores, margins and intervals of α may stand
        there beside the verdicts; tags_may_be_published: whether concepts and perturbations of single items may, where
        these are from files that are gated.
    """

    name: str
    title: str
    source: str
    revision: str
    licence: str
    citation: str
    protocols: Mapping[str, Protocol]
    read: Callable[[Source], Iterator[Item | Skipped]]
    files: Mapping[str, str] = field(default_factory=dict)
    data: str = ""
    images: str = ""
    expected: Mapping[str, int] = field(default_factory=dict)
    expected_in: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    splits: Mapping[str, str] = field(default_factory=dict)
    default_split: str = ""
    without: tuple[str, ...] = ()
    check: Callable[[Source], object] | None = None
    name_of: Callable[[Source], str] | None = None
    about: Callable[[Source], Mapping[str, Any]] | None = None
    templates: Callable[[Source], Mapping[str, tuple[str, ...]]] | None = None
    official: Callable[[Judged], list[Official]] | None = None
    gated: str = ""
    open_file: Callable[[Path], Benchmark] | None = None
    texts_may_be_published: bool = False
    pictures_may_be_published: bool = False
    scores_may_be_published: bool = True
    tags_may_be_published: bool = True

    @property
    def needs_data(self) -> bool:
        """Whether --data must be given: everything but what ships with Flipside."""
        return bool(self.files or self.data)

    @property
    def wanted(self) -> str:
        """What the data folder must hold, in words."""
        names = list(dict.fromkeys(self.files.values()))
        return self.data or " and ".join(filter(None, [", ".join(names[:-1]), names[-1] if names else ""]))

    def opened(self, folder: Path | None, split: str | None = None) -> Source:
        """The folder and the split, checked; UsageError where they are not the benchmark's."""
        if folder is None:
            if self.needs_data:
                raise UsageError(f"{self.name} needs --data DIR, the folder that holds {self.wanted}.{self._gated}")
            return Source(None, self._split(split))
        if not folder.is_dir():
            holds = self.wanted or "an edition of it"
            raise UsageError(
                f"{folder}: {not_a_folder(folder)}. --data for {self.name} is the folder that holds {holds}."
                f"{self._import_of(folder)}{self._gated}"
            )
        source = Source(Folder(folder), self._split(split))
        if self.check is not None:
            try:
                self.check(source)
            except UsageError as error:
                raise UsageError(" ".join(filter(None, (str(error), source.files.links_said())))) from None
        if self.files and next(source.present(self.files, self.without), None) is None:
            raise UsageError(
                " ".join(filter(None, (
                    f"{folder}: expected {self.wanted} in it or below, found {source.files.listing()}.",
                    source.files.links_said(), self.gated,
                )))
            )  # fmt: skip
        return source

    def _import_of(self, path: Path) -> str:
        """How a table is read that was given for own data or an edition; "" for everything else."""
        from backend.benchmarks.custom.tables import is_table  # which imports this module

        kind, _, label = self.name.partition(":")
        if kind != "custom" or not path.is_file() or not is_table(path):
            return ""
        asked = shlex.join(["flipside", "import", "custom", "--data", str(path), "--as", label])
        return f" A table of your own is read by: {asked}"

    def recognises(self, folder: Folder) -> bool:
        """Whether the folder holds at least one of the benchmark's files."""
        if not self.needs_data and self.check is None:
            return False
        if self.files and next(Source(folder).present(self.files, self.without), None) is None:
            return False
        if self.check is None:
            return bool(self.files)
        try:
            self.check(Source(folder))
        except FlipsideError:
            return False
        return True

    def counts(self, split: str | None = None) -> Mapping[str, int]:
        """Subset -> number of usable items of the original release in a split (None or "": the default one)."""
        if split in (None, "", self.default_split):
            return self.expected
        return self.expected_in.get(str(split), {})

    def missing_files(self, source: Source) -> list[str]:
        """Files of the original release that the folder lacks; their subsets have no items."""
        if source.folder is None:
            return []
        there = {subset for subset, _ in source.present(self.files, self.without)}
        return [file for subset, file in self.files.items() if subset not in there]

    @property
    def _gated(self) -> str:
        return f" {self.gated}" if self.gated else ""

    def _split(self, split: str | None) -> str:
        if not self.splits:
            return ""
        if split is None:
            return self.default_split
        if split not in self.splits:
            raise UsageError(f"--split {split}: {self.name} has {', '.join(self.splits)}.")
        return split
