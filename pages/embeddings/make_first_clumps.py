"""Finds the clumps of the map that Embeddings shows first of the results that ship: `python -m
pages.embeddings.make_first_clumps`, a step of set-up. So the first visit need not load what finds them, which takes
half a second. It is of this machine: another processor's arithmetic may give a place another last digit, and so a key.
"""

import os
import shutil
import tempfile
from pathlib import Path

from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from backend.live.maps import clumped, maps

APP = Path(__file__).parents[2] / "app.py"


def make() -> list[Path]:
    """Open the page once, on an empty cache; the files that were kept, none where it shows no map or none is
    searched."""
    with tempfile.TemporaryDirectory(prefix="flipside-first-") as cache:
        os.environ["FLIPSIDE_CACHE"] = cache
        app = AppTest.from_file(str(APP), default_timeout=300)
        app._page_hash = calc_hash("embeddings")
        app.run()
        kept = []
        for path in sorted((maps.folder() / clumped.FOLDER).glob("*.npz")):
            clumped.set_up().mkdir(parents=True, exist_ok=True)
            kept.append(Path(shutil.copyfile(path, clumped.set_up() / path.name)))
    return kept


if __name__ == "__main__":
    make()
