"""Which tests continuous integration runs on which commit: all quick and long ones, every journey and the kept pages
each time; of the slow ones, and of the other browser tests, one half on even commits and the other on odd ones.

All of them together take more than the 75 minutes that a run may take on two cores. `make test-all` runs every test.
"""

import zlib
from collections.abc import Collection
from typing import Final

#: Holds 0 or 1 where one half is wanted; every test runs without it.
VARIABLE: Final = "FLIPSIDE_HALF"
#: Their visits share one store, and a test there counts what all of them have drawn: they stay together.
_WHOLE: Final = ("tests/golden/pages/",)


def half_of(node_id: str, marks: Collection[str]) -> int | None:
    """0 or 1 for a test that is in one half; None for one that always runs.

    A file of browser tests stays together, for its tests share a server and what they do on it. node_id: as pytest
    names it, from the root of the checkout.

    >>> half_of("tests/a/test_b.py::test_c", {"long"}), half_of("tests/a/test_b.py::test_c", {"browser", "journey"})
    (None, None)
    >>> {half_of(f"tests/a/test_b.py::test_{n}", {"slow"}) for n in range(9)} == {0, 1}
    True
    """
    if "journey" in marks or node_id.startswith(_WHOLE):
        return None
    if "browser" in marks:
        return zlib.crc32(node_id.partition("::")[0].encode()) % 2
    return zlib.crc32(node_id.encode()) % 2 if "slow" in marks else None
