"""Makes the generation of what ships: `python -m backend.store.build.make_first`, the last step of set-up. Does nothing
where there is one that fits."""

import os
import shutil
import tempfile
from pathlib import Path

from backend.durable import sync_dir
from backend.errors import FlipsideError
from backend.store.build import attached, first, generations, importer


def make() -> Path:
    """Import what ships into a cache of its own and keep the database; those of other code go."""
    target = first.folder() / f"{first.PREFIX}{first.key()}{first.SUFFIX}"
    first.folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="flipside-first-") as cache:
        os.environ["FLIPSIDE_CACHE"] = cache
        importer.refresh(wait=True)
        made = generations.current()
        if made is None:
            raise FlipsideError(f"{generations.db_dir()}: what ships was not imported.")
        aside, rows = target.with_name(f".{target.name}"), attached.folder_of(target)
        for old in (*first.folder().glob(f"{first.PREFIX}*"), *first.folder().glob(f".{first.PREFIX}*")):
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        aside.write_bytes(made.read_bytes())
        sync_dir(aside)
        shutil.copytree(attached.folder_of(made), rows)
    aside.replace(target)
    return target


if __name__ == "__main__":
    if first.found() is None:
        make()
