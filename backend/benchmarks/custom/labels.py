"""Which of several captions is true: what the label of a row says."""

from dataclasses import dataclass
from pathlib import Path

from backend.benchmarks.custom import tables
from backend.benchmarks.custom.cells import Record, several, word
from backend.benchmarks.custom.columns import Mapping
from backend.benchmarks.custom.roles import plain
from backend.benchmarks.reading.malformed import Malformed
from backend.errors import FlipsideError


@dataclass(frozen=True, slots=True)
class Labels:
    """How labels are read. column: where they stand. first: the number of the first caption, 0 or 1."""

    column: str
    first: int

    @classmethod
    def of(cls, path: Path, mapping: Mapping) -> "Labels":
        """Numbered columns (caption_1, caption_2) are called by their numbers. Otherwise positions count from 0, and a
        table in which they can only count from 1 is refused, because half of its rows would be read wrongly."""
        names, column = mapping.roles["candidate"], mapping.column("label")
        ends = [plain(name)[len(plain(name).rstrip("0123456789")) :] for name in names]
        if len(names) > 1 and ends == [str(n) for n in range(1, len(names) + 1)]:
            return cls(column, 1)
        seen: set[str] = set()
        most = 0
        for _, record in tables.records(path, pictures=False):
            if isinstance(record, dict):
                try:
                    seen.add(word(record, column))
                    most = max(most, len(several(record, names)))
                except Malformed:
                    continue
        if "0" not in seen and str(most) in seen:
            raise FlipsideError(
                f"{path}: '{column}' seems to count from 1 ({', '.join(sorted(seen)[:5])}); write positions from 0, or "
                "the true caption's own words."
            )
        return cls(column, 0)

    def place(self, record: Record, candidates: list[str]) -> int:
        """The true caption's position among the candidates. Malformed where the label names none, or two."""
        said = word(record, self.column)
        if said in candidates:
            if candidates.count(said) > 1:
                raise Malformed(f"'{self.column}' names a caption that stands twice")
            return candidates.index(said)
        place = int(said) - self.first if said.isdecimal() else -1
        if not 0 <= place < len(candidates):
            raise Malformed(
                f"'{self.column}' is {said!r}, expected {self.first} to {self.first + len(candidates) - 1} or one of "
                "the captions"
            )
        return place
