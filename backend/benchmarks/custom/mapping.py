"""Which column of a table is what: guessed from names, said by `mapping.json` or by hand, shown before it is used.

known = columns(path)                # names, examples, kinds
mapping = guess(known)               # UsageError where the names do not tell
items, skipped = preview(path, mapping)
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from backend import plain_json
from backend.benchmarks.custom import tables
from backend.benchmarks.custom.columns import EXPORTED, HOW, LOOKED_AT, Column, Mapping, columns, described
from backend.benchmarks.custom.guessing import Unclear, completed, guessed
from backend.benchmarks.custom.pictures import Pictures
from backend.benchmarks.custom.reading import read_table
from backend.errors import UsageError
from backend.items import Item, Skipped


def guess(known: Sequence[Column]) -> Mapping:
    """The mapping that the columns' names tell. UsageError that lists them where they do not, or tell two things."""
    if {column.name for column in known} >= EXPORTED:
        return Mapping("items")
    try:
        return guessed(known).check(known)
    except Unclear as why:
        raise UsageError(f"{why}. {described(known)}{HOW}") from None


def preview(path: Path, mapping: Mapping, n: int = 5, images: Path | None = None) -> tuple[list[Item], list[Skipped]]:
    """The first n items of a table under a mapping, and the records that were skipped before the last of them.

    images: the folder in which pictures are looked for, besides the table's own."""
    items: list[Item] = []
    skipped: list[Skipped] = []
    for entry in read_table(path, mapping.check(columns(path)), Pictures(path.parent, images)):
        if isinstance(entry, Item):
            items.append(entry)
        else:
            skipped.append(entry)
        if len(items) >= n or len(skipped) >= LOOKED_AT:
            break
    return items, skipped


def of_table(path: Path) -> Mapping:
    """The mapping that `mapping.json` beside a table gives, or else the one that its columns' names tell."""
    known = columns(path)
    beside = path.parent / tables.MAPPING_FILE
    if not beside.is_file():
        return named(path, lambda: guess(known))
    try:
        document = plain_json.loads(beside.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{beside}: cannot be read as JSON ({error}). Mend it or delete it.") from None
    return named(beside, lambda: from_document(document).check(known))


def from_options(options: Iterable[str], known: Sequence[Column]) -> Mapping:
    """The mapping of `--map role=column` options; what they leave open is guessed, for the shape that they name."""
    roles: dict[str, tuple[str, ...]] = {}
    protocol = ""
    for option in options:
        role, equals, name = (part.strip() for part in option.partition("="))
        if not (role and equals and name):
            raise UsageError(f"--map {option}: expected role=column, as in --map image=filename.")
        if role == "protocol":
            if protocol and protocol != name:
                raise UsageError(f"--map: protocol was given twice: {protocol} and {name}. A table has one.")
            protocol = name
        elif name not in roles.get(role, ()):
            roles[role] = (*roles.get(role, ()), name)
    return completed(protocol, roles, known).check(known)


def from_document(document: Any) -> Mapping:
    """The mapping of a JSON document; UsageError where it is none."""
    if not isinstance(document, dict) or not isinstance(document.get("roles", {}), dict):
        raise UsageError("mapping: expected an object with 'protocol' and 'roles' (role: column, or list of columns).")
    roles = {}
    for role, names in document.get("roles", {}).items():
        listed = [names] if isinstance(names, str) else names
        if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
            raise UsageError(f"mapping: role '{role}' must be a column's name, or a list of names.")
        roles[str(role)] = tuple(listed)
    return Mapping(str(document.get("protocol", "")), roles)


def named(path: Path, make: Callable[[], Mapping]) -> Mapping:
    """What `make` makes, its error with the file's name in front."""
    try:
        return make()
    except UsageError as error:
        raise UsageError(f"{path}: {str(error).removeprefix('mapping: ')}") from None
