"""Winoground's 400 items by their numbers alone: what public scores can be kept on without its gated captions.

The stub has a hash of its own, declared here. Whoever has the full edition imports it; it is then taken as the stub's
completion by item id (backend/intake/completion.py), and runs on the stub are shown on the whole items.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from backend.items import Benchmark, ImageRef, Item, Protocol, Skipped

NAME: Final = "winoground"
N_ITEMS: Final = 400
#: sha256 over the stub's canonical lines; a test holds the items against it.
HASH: Final = "d11b66d6c1af03347e6b6483897f539df6b411281498b0d12feec81584feb1a2"
#: What stands in `about` of its benchmark.json, so that nobody takes it for the real thing.
ABOUT: Final = {
    "stub": "item numbers only: Winoground's captions and pictures are gated; `flipside import winoground --data DIR` "
    "completes it by item id"
}


#: What the stub's texts end in; `backend/store/build/loading.py` knows its items by it.
GATED: Final = "(gated, not here)"


def is_placeholder(text: str) -> bool:
    """Whether a text stands only for one that is not here.

    >>> is_placeholder("caption 0 of item 7 (gated, not here)")
    True
    """
    return text.endswith(GATED)


def tags_that_say(texts: Sequence[str], tags: dict[str, list[str]]) -> dict[str, list[str]]:
    """An item's tags without concept and change where its captions are placeholders: then these are, too.

    >>> tags_that_say(["caption 0 of item 7 (gated, not here)"], {"concept": ["sentence"], "split": ["test"]})
    {'split': ['test']}
    >>> tags_that_say(["a red cube"], {"concept": ["colour"]})
    {'concept': ['colour']}
    """
    if not texts or not all(map(is_placeholder, texts)):
        return tags
    return {name: values for name, values in tags.items() if name not in ("concept", "perturbation")}


def stub() -> Benchmark:
    """The stub edition: the items `test/0` to `test/399`, quads whose captions say that they are not here.

    >>> stub().content_hash() == HASH
    True
    """
    return Benchmark(NAME, _items, about=ABOUT)


def ids() -> frozenset[str]:
    """The ids of the stub's items."""
    return frozenset(f"test/{number}" for number in range(N_ITEMS))


def _items() -> Iterator[Item | Skipped]:
    for number in range(N_ITEMS):
        yield Item(
            item_id=f"test/{number}",
            subset="test",
            protocol=Protocol.QUAD,
            images=tuple(ImageRef(f"ex_{number}_img_{which}", "") for which in (0, 1)),
            texts=tuple(f"caption {which} of item {number} {GATED}" for which in (0, 1)),
            truth=((0, 0), (1, 1)),
            tags={"concept": ("sentence",), "perturbation": ("swap",)},
            source="item numbers only",
        )
