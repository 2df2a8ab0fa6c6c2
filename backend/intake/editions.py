"""Perturbed editions on disk: the parent's items kept for the pages, each edition written whole and kept, too."""

from collections import Counter
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from backend.benchmarks.items_folder.folder import HEAD, NoItemsError, own_folder, read_head, read_own, write_own
from backend.benchmarks.items_folder.perturbed import Edition, Wanted
from backend.engine.inputs.selection import Selection
from backend.errors import FlipsideError
from backend.intake.survey import Survey, survey
from backend.items import Benchmark, Item, Skipped

See = Callable[[Item | Skipped], object]


@dataclass(frozen=True)
class Made:
    """One edition. hash: of its content, "" where nothing was made, with the reason. proposer: the model that proposed
    its edits and what came of that, where there is one. replaced: the hash of another
    edition that stood there under the same name; its items and runs stay in the store."""

    name: str
    wanted: Wanted
    coverage: Mapping[str, Any]
    folder: Path | None = None
    hash: str = ""
    subsets: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""
    replaced: str = ""
    proposer: Mapping[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """As `perturb --json` prints it."""
        kind = self.wanted.kind
        return {
            "name": self.name, "kind": kind.name, "effect": str(kind.effect), "family": kind.family,
            "as": self.wanted.taken, "texts": self.wanted.texts, "seed": self.wanted.seed, "hash": self.hash or None,
            "n_items": sum(self.subsets.values()), "subsets": dict(self.subsets), "coverage": dict(self.coverage),
            "proposer": dict(self.proposer) or None,
            "folder": str(self.folder) if self.folder else None, "failed": self.reason or None,
        }  # fmt: skip


def make_edition(
    parent: Benchmark,
    found: Survey,
    wanted: Wanted,
    root: Path,
    out: Path | None = None,
    made_with: Mapping[str, Any] | None = None,
    see: See | None = None,
) -> Made:
    """One edition of those items of the parent that a survey selected, under `out` or among what is kept.

    An edition without items is not written; `reason` says so. see: called with every item made.
    """
    chosen = None if len(found.selected) == len(found) else frozenset(found.selected.tolist())
    edition = Edition(parent, found.content_hash, wanted, chosen, made_with)
    benchmark = edition.benchmark
    folder = out / benchmark.name if out is not None else own_folder(benchmark.name)
    before = _hash_in(folder)
    try:
        written = write_own(folder, _watched(benchmark, see), about=edition.about)
    except NoItemsError:
        coverage, proposer = edition.coverage.document(), _proposer(edition)
        return Made(benchmark.name, wanted, coverage, reason=_why(edition, wanted), proposer=proposer)
    survey(read_own(folder), Selection(), root)
    replaced = before if before not in ("", written.hash) else ""
    return Made(
        benchmark.name, wanted, edition.coverage.document(), folder, written.hash, written.subsets, replaced=replaced,
        proposer=_proposer(edition),
    )  # fmt: skip


def _proposer(edition: Edition) -> dict[str, Any]:
    """A copy of what is told of the model that proposed: it goes on counting."""
    return deepcopy(dict(edition.about()["perturbation"].get("proposer", {})))


def _hash_in(folder: Path) -> str:
    """The hash of the edition that stands there; "" where there is none, or a damaged one, which is written anew."""
    try:
        return str(read_head(folder).get("hash", "")) if (folder / HEAD).is_file() else ""
    except FlipsideError:
        return ""


def _watched(benchmark: Benchmark, see: See | None) -> Benchmark:
    if see is None:
        return benchmark

    def items() -> Any:
        for item in benchmark:
            see(item)
            yield item

    return Benchmark(benchmark.name, items, templates=benchmark.templates)


def _why(edition: Edition, wanted: Wanted) -> str:
    coverage = edition.coverage
    refused = Counter(_proposer(edition).get("refused", {}))
    reasons = ", ".join(f"{n}: {reason}" for reason, n in [*coverage.left_out.most_common(), *refused.most_common()])
    return f"{wanted.kind.name} applies to none of {coverage.items} items ({reasons})"
