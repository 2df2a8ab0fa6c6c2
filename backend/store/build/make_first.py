"""Makes the generation of what ships: `python -m backend.store.build.make_first`, a step of set-up. Does nothing where
there is one that fits."""

import os
import shutil
from pathlib import Path

from backend.errors import FlipsideError
from backend.store.build import first, generations, importer


def make() -> Path:
    """Import what ships into a cache of its own and keep the database; those of other code go."""
    target = first.folder() / f"{first.PREFIX}{first.key()}{first.SUFFIX}"
    with first.scratch() as scratch:
        if target.is_file():  # another set-up was at it
            return target
        os.environ["FLIPSIDE_CACHE"] = str(scratch / "cache")
        importer.refresh(wait=True)
        made = generations.current()
        if made is None:
            raise FlipsideError(f"{generations.db_dir()}: what ships was not imported.")
        for old in first.folder().glob(f"{first.PREFIX}*"):
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        first.keep(made, target, scratch)
    return target


if __name__ == "__main__":
    if first.found() is None:
        make()
