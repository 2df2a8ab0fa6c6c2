"""What pictures bring to their pairs (patches, image tokens), kept from call to call.

Captions of choices and triplets are scored under other items' pictures, too, drawn from all of the benchmark: the same
picture comes again and again, in one call after another, and its vision tower costs as much as many pairs.
"""

from collections import OrderedDict
from collections.abc import Mapping

import torch

from backend import environment
from backend.models.base import Picture

VARIABLE = "FLIPSIDE_KEEP_FEATURES"
#: Bytes that stay: of BLIP's 577 patches of 768 numbers in float32 about 600 pictures.
ROOM = 1 << 30


def room() -> int:
    """What $FLIPSIDE_KEEP_FEATURES says (0 for none), else ROOM; in bytes."""
    return environment.room(VARIABLE, ROOM)


class KeptFeatures:
    """Features by picture and by what made them, at most `room` bytes; those that were used longest ago go first."""

    def __init__(self, room: int) -> None:
        self.room, self.bytes = room, 0
        #: The digest of each picture of the present call, by the identity of its object.
        self.digests: Mapping[int, str] = {}
        self._known: OrderedDict[tuple[str, str], torch.Tensor] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def get(self, maker: str, picture: Picture) -> torch.Tensor | None:
        """What a picture brings; None where it is not there, or nobody has said which picture it is."""
        digest = self.digests.get(id(picture), "")
        found = self._known.get((maker, digest)) if digest else None
        if found is not None:
            self._known.move_to_end((maker, digest))
        return found

    def put(self, maker: str, picture: Picture, features: torch.Tensor) -> None:
        """Keep a copy: a part of a batch's result would keep all of it."""
        digest = self.digests.get(id(picture), "")
        size = features.nbytes
        if not digest or size > self.room or (maker, digest) in self._known:
            return
        self._known[maker, digest] = features.clone()
        self.bytes += size
        while self.bytes > self.room:
            self.bytes -= self._known.popitem(last=False)[1].nbytes

    def let_go(self) -> bool:
        """Memory has run out: keep none of it, and half as much from now on. Whether there was any."""
        held = self.bytes > 0
        self._known.clear()
        self.bytes, self.room = 0, self.room // 2
        return held
