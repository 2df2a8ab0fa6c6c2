"""A bounded memory of what has been computed, so that what many items share is computed once.

It keeps what was used last. Where a benchmark reuses something only after more other things than fit, that is computed
again: memory stays bounded, scores stay the same.
"""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Any, Generic, TypeVar

from backend.engine.inputs.kept_pictures import KeptPictures

Value = TypeVar("Value")

#: Embeddings kept of images, and as many of texts: at 768 float32 numbers 200 MB each.
VECTORS = 65_536
#: Class-name matrices kept, one a subset of class names: 1,000 names x 768 numbers are 3 MB.
CLASSIFIERS = 64
#: Scores of pairs, or of texts alone, that are kept for the next item with the same; with tokens about 1 kB each.
SCORES = 65_536


class Cache(Generic[Value]):
    """At most `size` values by key, the least recently used one dropped first.

    >>> c = Cache[int](2)
    >>> c["a"], c["b"] = 1, 2
    >>> c.get("a"), c.get("x")
    (1, None)
    >>> c["c"] = 3
    >>> "b" in c, "a" in c
    (False, True)
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._values: OrderedDict[Hashable, Value] = OrderedDict()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return len(self._values)

    def __setitem__(self, key: Hashable, value: Value) -> None:
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self.size:
            self._values.popitem(last=False)

    def get(self, key: Hashable) -> Value | None:
        """The value, marked as used; None where there is none."""
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value


class Memory:
    """What one model has encoded, kept from benchmark to benchmark: `run(memory=…)`. texts: by text. images: by the
    digest of their pixels (image_bytes.py), for a key names a picture within its benchmark only.
    """

    def __init__(self, pictures: KeptPictures | None = None) -> None:
        """pictures: what the models of one study have decoded, for all of them."""
        self.pictures = pictures
        self.texts = Cache[Any](VECTORS)
        self.images = Cache[Any](VECTORS)
