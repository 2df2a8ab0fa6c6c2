"""Pieces of a split, as hubs cut it: `test-00000-of-00002.parquet`. A part of them is not the split."""

import re
from collections.abc import Sequence
from pathlib import Path

from backend.errors import UsageError

#: The name of a piece without its ending; hubs once put a hash behind it.
PIECE = re.compile(r"(?P<name>.+)-(?P<number>\d{5})-of-(?P<of>\d{5})(?:-[0-9a-f]{4,})?")
#: How many missing pieces are named.
_NAMED = 5


def refuse_incomplete(tables: Sequence[Path]) -> None:
    """UsageError where some pieces of a split are among the tables and others are not: rates on them would pass for
    rates on all of it."""
    splits: dict[tuple[Path, str, int, str], dict[int, Path]] = {}
    for table in tables:
        if piece := PIECE.fullmatch(table.stem):
            split = (table.parent, piece["name"], int(piece["of"]), table.suffix)
            splits.setdefault(split, {})[int(piece["number"])] = table
    for (folder, name, of, _), found in splits.items():
        missing = [number for number in range(of) if number not in found]
        if missing:
            here = next(iter(found.values()))
            raise UsageError(
                f"{folder}: {name} is cut into {of} pieces ({here.name} is one of them), and {_some(missing)} not "
                f"among what is read. Put all {of} into one folder and give that as --data; to take what is here for "
                f"a benchmark of its own, rename it, without -{PIECE.fullmatch(here.stem)['number']}-of-{of:05d}."  # type: ignore[index]
            )


def _some(numbers: Sequence[int]) -> str:
    named = ", ".join(f"{number:05d}" for number in numbers[:_NAMED])
    more = f" and {len(numbers) - _NAMED:,} more" if len(numbers) > _NAMED else ""
    return f"piece {named} is" if len(numbers) == 1 else f"pieces {named}{more} are"
