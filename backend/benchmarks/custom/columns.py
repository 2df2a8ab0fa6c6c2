"""The columns of a table, and a mapping of them to the parts of an item. Guessing one is `mapping`'s."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from backend.benchmarks.custom import tables
from backend.benchmarks.custom.roles import ROLES, SHAPES
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.packed import Picture
from backend.errors import FlipsideError, UsageError

#: Records that are looked at to tell what the columns are, and values of each that are shown.
LOOKED_AT = 200
EXAMPLES = 3
_SHOWN = 60
_PICTURE = re.compile(r"\.(jpe?g|png|webp|gif|bmp|tiff?|npy)$|^world:", re.IGNORECASE)
#: The columns of `export --what items`.
EXPORTED = frozenset({"item_id", "subset", "protocol", "images", "texts", "truth"})


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. examples: its first different values, cut short. kind: image (file names), text, number,
    list, other, or blank."""

    name: str
    examples: tuple[str, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class Mapping:
    """How a table's rows become items. protocol: a name of `roles.SHAPES`. roles: role -> its columns, in order."""

    protocol: str
    roles: AnyMapping[str, tuple[str, ...]] = field(default_factory=dict)

    def column(self, role: str) -> str:
        """The one column of a role; "" where it has none."""
        return (self.roles.get(role) or ("",))[0]

    def unused(self, known: Iterable[Column]) -> list[str]:
        """Columns that become no part of an item."""
        taken = {name for names in self.roles.values() for name in names}
        return [] if self.protocol == "items" else [column.name for column in known if column.name not in taken]

    def document(self) -> dict[str, Any]:
        """The JSON form, as in `mapping.json`."""
        return {"protocol": self.protocol, "roles": {role: list(names) for role, names in self.roles.items()}}

    def check(self, known: Sequence[Column] | None = None) -> "Mapping":
        """Itself; UsageError where its protocol, a role or a column does not exist, or a needed role is missing."""
        if self.protocol not in SHAPES:
            raise UsageError(f"mapping: there is no protocol '{self.protocol}'. Protocols: {', '.join(SHAPES)}.")
        shape = SHAPES[self.protocol]
        for role, names in self.roles.items():
            if role not in shape.roles:
                listed = ", ".join(shape.roles) or "none"
                raise UsageError(f"mapping: {self.protocol} has no role '{role}'. Its roles: {listed}.")
            if len(names) > 1 and role not in shape.several:
                raise UsageError(f"mapping: only one column can be {role}, not {', '.join(map(repr, names))}.")
            for name in names:
                if known is not None and name not in {column.name for column in known}:
                    raise UsageError(f"mapping: there is no column '{name}' for {role}. {described(known)}")
        missing = [role for role in shape.needs if not self.roles.get(role)]
        if missing:
            said = "; ".join(f"{role} ({ROLES[role].what})" for role in missing)
            raise UsageError(f"mapping: {self.protocol} needs a column for {said}. {described(known or ())}{HOW}")
        return self


#: How a mapping is said; the end of errors that ask for one.
HOW = (
    " Say it with --map, as in --map protocol=choice --map image=COLUMN --map caption=COLUMN --map negative=COLUMN, or "
    'in mapping.json beside the table, as in {"protocol": "choice", "roles": {"image": "COLUMN", …}}.'
)


def columns(path: Path) -> list[Column]:
    """The columns of a table in the order in which its first records name them."""
    values: dict[str, list[Any]] = {}
    wrong = ""
    for key, record in islice(tables.records(path, pictures=False), LOOKED_AT):
        if isinstance(record, Malformed):
            wrong = wrong or f"{'line' if isinstance(key, int) else 'record'} {key} {record}"
        if not isinstance(record, Malformed) and isinstance(record, AnyMapping):
            for name, value in record.items():
                values.setdefault(name, []).append(value)
    if not values:
        as_lines = path.suffix.lower() in (".jsonl", ".ndjson")
        shape = "one JSON object a line" if as_lines else "a list of objects" if path.suffix.lower() == ".json" else ""
        said = f": {wrong}" if wrong else ""
        raise FlipsideError(
            f"{path}: holds no record{said}. Check that it is the table, with {shape or 'a header and rows'}."
        )
    return [Column(name, _examples(found), _kind(found)) for name, found in values.items()]


def described(known: Sequence[Column]) -> str:
    """The columns in a sentence, for an error."""
    if not known:
        return ""
    shown = [
        f"'{column.name}'" + (f" (as in {column.examples[0]})" if column.examples else "") for column in known[:20]
    ]
    return f"Columns: {', '.join(shown)}{' …' if len(known) > 20 else ''}."


def _examples(values: Sequence[Any]) -> tuple[str, ...]:
    texts = (" ".join(_said(value).split()) for value in values)
    return tuple(dict.fromkeys(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…" for text in texts if text))[
        :EXAMPLES
    ]


def _said(value: Any) -> str:
    if isinstance(value, Picture):
        return "a picture in the table"
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=str)


def _kind(values: Sequence[Any]) -> str:
    """What most of the values are."""
    counts = Counter(kind for value in values if (kind := _kind_of(value)))
    return counts.most_common(1)[0][0] if counts else "blank"


def _kind_of(value: Any) -> str:
    if value is None or (isinstance(value, str) and not value.strip()):
        return ""
    if isinstance(value, Picture):
        return "image"
    if isinstance(value, list) or (isinstance(value, str) and value.lstrip().startswith('["')):
        return "list"
    if isinstance(value, int | float):
        return "number"
    if not isinstance(value, str):
        return "other"
    if re.fullmatch(r"\s*[-+]?\d+(\.\d+)?\s*", value):
        return "number"
    return "image" if _PICTURE.search(value.strip()) else "text"
