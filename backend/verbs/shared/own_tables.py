"""What `flipside import custom` does besides: columns are mapped, archives unpacked, and the items kept."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any

from backend.benchmarks import OWN
from backend.benchmarks.custom.columns import Mapping, columns
from backend.benchmarks.custom.identical import sentence
from backend.benchmarks.custom.mapping import from_options, named, of_table
from backend.benchmarks.custom.opening import check_label, doubted, opened
from backend.engine.inputs.selection import Selection
from backend.errors import UsageError
from backend.intake import own_data
from backend.intake.survey import Survey
from backend.items import Benchmark
from backend.paths import typed_path

#: How many groups of rows that say the same are noted one by one.
NAMED = 20


@dataclass
class OwnTables:
    """The options that only `custom` has. notes: what a reader should know at the end. identical: rows that say the
    same. doubted: cells that may hold rows, a sentence each table."""

    name: str
    data: Path | None
    maps: list[str]
    label: str | None
    images: Path | None
    full_paths: bool
    replace: bool
    notes: list[str] = field(default_factory=list)
    identical: list[dict[str, Any]] = field(default_factory=list)
    doubted: list[str] = field(default_factory=list)

    @contextmanager
    def source(self) -> Iterator[Path | None]:
        """The table or folder to read, an archive unpacked; None for every other benchmark."""
        if self.name != OWN or self.data is None:
            given = {"--map": self.maps, "--as": self.label, "--images": self.images, "--full-paths": self.full_paths}
            for flag, value in given.items():
                if value and self.name != OWN:
                    raise UsageError(f"{flag} is for import custom; {self.name} knows its own files.")
            yield None
            return
        path = typed_path(self.data, "--data").resolve()
        if self.label is not None:
            check_label(self.label)
        with own_data.keeping(path, self.label or path.name) as source:
            yield source

    def opened(self, path: Path) -> Benchmark:
        """The benchmark under the mapping that the options give."""
        assert self.data is not None, "source() is None without --data"  # noqa: S101
        images = None if self.images is None else typed_path(self.images, "--images").resolve()
        label = self.label or typed_path(self.data, "--data").resolve().name
        found = opened(path, label, self._mapped, images, full_paths=self.full_paths)
        self.doubted = doubted(path, found)
        return found

    def _mapped(self, table: Path) -> Mapping:
        if not self.maps:
            return of_table(table)
        known = columns(table)
        return named(table, lambda: from_options(self.maps, known))

    def keep(self, benchmark: Benchmark, selection: Selection, see: own_data.See) -> Survey:
        """Keep the items as `custom:<label>`, and say what can be done with them."""
        assert self.data is not None, "source() is None without --data"  # noqa: S101
        source = str(typed_path(self.data, "--data").resolve())
        kept = own_data.keep(benchmark, selection, source, replace=self.replace, see=see)
        if kept.replaced:
            self.notes.append(f"{benchmark.name} has changed; its earlier items and runs stay in the cache.")
        self.identical = [*kept.identical]
        self.notes += [sentence(each) for each in self.identical[:NAMED]]
        if len(self.identical) > NAMED:
            self.notes.append(f"… and {len(self.identical) - NAMED} more groups of such rows; --json lists all.")
        self.notes += self.doubted
        for table, mapping in benchmark.about.get("mapping", {}).items():
            said = ", ".join(f"{role} = {' + '.join(names)}" for role, names in mapping["roles"].items())
            self.notes.append(f"{table} was read as {mapping['protocol']}{': ' if said else ''}{said}.")
        self.notes.append(
            f"Kept as {benchmark.name}, which needs no --data: `flipside run --model bundled:clip --benchmark "
            f"{quote(benchmark.name)} --kinds itc` scores it, and then `flipside failures --model bundled:clip "
            f"--benchmark {quote(benchmark.name)}` lists what the model gets wrong."
        )
        return kept.found
