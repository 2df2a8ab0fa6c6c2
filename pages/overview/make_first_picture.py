"""Makes the picture (first_picture.py) of the results that ship: `python -m pages.overview.make_first_picture`, after
`backend.store.build.make_first` the last step of set-up. Does nothing where there is one that fits."""

import os
import sys
import tempfile
from pathlib import Path

from streamlit.testing.v1 import AppTest

from backend.store.build import first
from pages.overview import first_picture

APP = Path(__file__).parents[2] / "app.py"


def make() -> Path | None:
    """Draw Overview once, on an empty cache; where the picture lies, None where no results that ship are
    kept, or they could not be drawn."""
    kept = first.found()
    if kept is None:
        return None
    target = kept.with_suffix(first_picture.SUFFIX)
    with first.scratch() as scratch:
        os.environ["FLIPSIDE_CACHE"] = str(scratch / "cache")
        AppTest.from_file(str(APP), default_timeout=300).run()
        drawn = first_picture.found()
    if drawn is None:
        return None
    first_picture.write(target, drawn)
    return target


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="flipside-first-") as empty:
        os.environ["FLIPSIDE_CACHE"] = empty
        there = first_picture.found()
    if there is None and make() is None:
        sys.exit("the picture of Overview could not be drawn")  # set-up says so, and what that means
