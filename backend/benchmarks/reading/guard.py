"""What holds for the items of every benchmark, whatever its format: ids that occur once, and links that are named."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace

from backend.benchmarks.base import Source
from backend.inside import LEFT
from backend.items import Item, Skipped

#: How many links out of the data folder are named.
NAMED = 20
#: A reason quotes what it found, which may be of any length, or steer the terminal it is printed to.
LONGEST_REASON = 300


def guarded(entries: Iterator[Item | Skipped], source: Source) -> Iterator[Item | Skipped]:
    """The entries, without items whose id was there before; at the end, the links that were not followed.

    Ids are remembered by 8 bytes of a hash each: a quarter of a million items take about 20 MB.
    """
    seen: set[bytes] = set()
    for entry in entries:
        if isinstance(entry, Item):
            key = hashlib.blake2b(entry.item_id.encode(), digest_size=8).digest()
            if key in seen:
                file = entry.source.partition(":")[0]
                yield Skipped(
                    file, f"the id {entry.item_id} occurred before; the first one is kept", item=entry.item_id
                )
                continue
            seen.add(key)
            yield entry
        else:
            yield replace(entry, reason=shown(entry.reason), item=entry.item and shown(entry.item))
    links = source.folder.left_alone() if source.folder is not None else []
    for link in links[:NAMED]:
        yield Skipped(shown(link), LEFT, item=shown(link))


def shown(text: str) -> str:
    """The text on one line, in characters that can be printed, and not too long.

    >>> shown("'a\\x1b[31m' is no split")
    "'a\ufffd[31m' is no split"
    """
    plain = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
    return plain if len(plain) <= LONGEST_REASON else f"{plain[:LONGEST_REASON]}…"
