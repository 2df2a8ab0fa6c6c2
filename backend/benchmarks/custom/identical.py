"""Rows of one's own table that say the same: each is kept as an item, as duplicates are elsewhere, and named."""

import hashlib
from dataclasses import dataclass, field
from typing import Any

from backend.items import Item, Protocol, Skipped

#: How many items of one group are named.
NAMED = 10


@dataclass
class Identical:
    """Finds items with the same pictures, texts and truth in one pass. About 100 bytes an item are kept."""

    _first: dict[bytes, tuple[str, str]] = field(default_factory=dict)
    _groups: dict[bytes, list[tuple[str, str]]] = field(default_factory=dict)

    def see(self, entry: Item | Skipped) -> None:
        """Take an item into account. Rows of one picture of a pool are one item already."""
        if isinstance(entry, Skipped) or entry.protocol == Protocol.RETRIEVAL:
            return
        here = (entry.item_id, entry.source)
        key = _digest(entry)
        if key in self._first:
            self._groups.setdefault(key, [self._first[key]]).append(here)
        else:
            self._first[key] = here

    def documents(self) -> list[dict[str, Any]]:
        """For JSON: {"n", "items": [ids], "rows": ["file:line or key"]} for each group, the first items of it named."""
        return [
            {
                "n": len(group),
                "items": [item_id for item_id, _ in group[:NAMED]],
                "rows": [source for _, source in group[:NAMED]],
            }
            for group in self._groups.values()
        ]


def sentence(found: dict[str, Any]) -> str:
    """A group in words.

    >>> sentence({"n": 2, "items": ["t/1", "t/4"], "rows": ["t.csv:2", "t.csv:5"]})
    't.csv:2 and t.csv:5 say the same: they are kept as items t/1, t/4, and count 2 times.'
    """
    items, rows, n = found["items"], found["rows"], found["n"]
    more = f" and {n - len(rows)} more" if n > len(rows) else ""
    said = f"{', '.join(rows)}{more}" if more else f"{', '.join(rows[:-1])} and {rows[-1]}"
    return f"{said} say the same: they are kept as items {', '.join(items)}{' …' if more else ''}, and count {n} times."


def _digest(item: Item) -> bytes:
    """What two rows have in common that say the same. A picture that no column names is called after the item."""
    pictures = tuple(ref.key for ref in item.images if ref.key != item.item_id)
    said = (item.subset, str(item.protocol), pictures, item.texts, item.truth)
    return hashlib.blake2b(repr(said).encode(), digest_size=16).digest()
