"""What every protocol is, one row a protocol: an item's images and texts, what is true in it, and how it is judged.

A new protocol whose items are judged one by one is one row of `Protocol` and the metric that judges it
(CONTRIBUTING.md). Importers, store, live scoring, command line and pages take shapes, names and roles from here. No
torch, no duckdb, no streamlit in here.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

#: What an item is judged by: its own images and texts alone; a list of classes, its own one first; the boundaries
#: between its frames; the pool of its subset.
JudgedBy = Literal["item", "classes", "boundaries", "pool"]


@dataclass(frozen=True, slots=True)
class ProtocolInfo:
    """One protocol.

    name: in items, columns and tables. title: what pages call its items. judged_by: see above.
    images, texts: how many an item has; None: any number. least_texts: it has so many at least.
    truth: the pairs (image, text) that belong together in every item; empty where each item says it.
    roles: what its texts are called on cards, one a text; empty: by their numbers.

    With `item`, scores come to its metrics as (n, texts) where an item has one image, else as (n, images, texts); both
    numbers are fixed then.
    """

    name: str
    title: str
    judged_by: JudgedBy = "item"
    images: int | None = 1
    texts: int | None = None
    least_texts: int = 1
    truth: tuple[tuple[int, int], ...] = ()
    roles: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.judged_by == "item" and (self.images is None or (self.images > 1 and self.texts is None)):
            raise ValueError(f"{self.name}: items with several images need a fixed number of images and of texts")
        if self.roles and len(self.roles) != self.texts:
            raise ValueError(f"{self.name}: roles names {len(self.roles)} texts, texts is {self.texts}")


class Protocol(StrEnum):
    """How an item is judged (see docs/methods.md for each rule and its paper). New ones come last: stored surveys
    count them.

    >>> Protocol.QUAD == "quad", Protocol("triplet").info.roles, Protocol.RETRIEVAL.info.judged_by
    (True, ('P1', 'P2', 'N'), 'pool')
    """

    info: ProtocolInfo

    def __new__(cls, info: ProtocolInfo | str) -> "Protocol":
        if isinstance(info, str):  # never called so: `Protocol("quad")` looks a row up
            raise TypeError("a protocol is declared by a ProtocolInfo")
        protocol = str.__new__(cls, info.name)
        protocol._value_ = info.name
        protocol.info = info
        return protocol

    TRIPLET = ProtocolInfo("triplet", "triplets", texts=3, truth=((0, 0), (0, 1)), roles=("P1", "P2", "N"))
    CHOICE = ProtocolInfo("choice", "choices", least_texts=2, truth=((0, 0),))
    QUAD = ProtocolInfo("quad", "quads", images=2, texts=2, truth=((0, 0), (1, 1)))
    RETRIEVAL = ProtocolInfo("retrieval", "retrieval", "pool", images=None)
    CLASSIFY = ProtocolInfo("classify", "classification", "classes", least_texts=2)
    GROUNDING = ProtocolInfo("grounding", "grounding", "boundaries", images=None)
    ANSWERS = ProtocolInfo("answers", "yes-or-no answers", texts=1)


#: Protocols whose items are judged by their own images and texts alone.
ALONE = tuple(protocol for protocol in Protocol if protocol.info.judged_by == "item")
