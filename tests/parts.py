"""Which tests continuous integration runs on which commit: all quick and long ones, every journey and the kept pages
each time; of the slow ones, and of the other browser tests, one third after the other, from commit to commit.

All of them together take more than the 75 minutes that a run may take on two cores, and half of them took more than
that on a machine of half the usual speed (docs/gate.md). `make test-all` runs every test.
"""

import zlib
from collections.abc import Collection
from typing import Final

#: Holds the number of the part that is wanted, from 0; every test runs without it.
VARIABLE: Final = "FLIPSIDE_TEST_PART"
PARTS: Final = 3
#: Their visits share one store, and a test there counts what all of them have drawn: they stay together.
_WHOLE: Final = ("tests/golden/pages/",)


def part_of(node_id: str, marks: Collection[str]) -> int | None:
    """The part that a test is in, below `PARTS`; None for one that always runs.

    A file of browser tests stays together, for its tests share a server and what they do on it. node_id: as pytest
    names it, from the root of the checkout.

    >>> part_of("tests/a/test_b.py::test_c", {"long"}), part_of("tests/a/test_b.py::test_c", {"browser", "journey"})
    (None, None)
    >>> {part_of(f"tests/a/test_b.py::test_{n}", {"slow"}) for n in range(9)} == {0, 1, 2}
    True
    """
    if "journey" in marks or node_id.startswith(_WHOLE):
        return None
    if "browser" in marks:
        return zlib.crc32(node_id.partition("::")[0].encode()) % PARTS
    return zlib.crc32(node_id.encode()) % PARTS if "slow" in marks else None
