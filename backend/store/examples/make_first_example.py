"""Imports the example that ships on top of what else does: `python -m backend.store.examples.make_first_example`, a
step of set-up. Does nothing where that was done (first_example.py)."""

import os
from pathlib import Path

from backend.paths import bundled_editions_dir
from backend.store.build import first, importer
from backend.store.examples import ahead, first_example


def make() -> Path | None:
    """Import the example that ships into a cache of its own and keep the database; None where nothing ships."""
    place = bundled_editions_dir()
    target = first_example.target(place)
    if not place.is_dir():
        return None
    with first.scratch() as scratch:
        if target.is_file():  # another set-up was at it
            return target
        os.environ["FLIPSIDE_CACHE"] = str(scratch / "cache")
        importer.refresh(wait=True)
        made = ahead.make(place)
        if made is None:
            return None
        first.keep(made, target, scratch)
    return target


if __name__ == "__main__":
    if first_example.found(bundled_editions_dir()) is None:
        make()
