"""`pages.robustness.ahead` (see `paths.module_command`): imports the example that ships beside the cache, where it is
new, and says on standard output, pickled, what Robustness will ask of it (`prepared.py`)."""

import os
import pickle
import sys
from collections.abc import Hashable
from contextlib import suppress
from pathlib import Path

import duckdb

from backend.errors import FlipsideError
from backend.paths import bundled_editions_dir
from backend.store.build import importer
from backend.store.build.store import Opened, Store
from backend.store.examples import ahead, shown_once

#: How far every other process goes before this one (see nice).
POLITE = 15


class _Ahead:
    """A generation that no page reads yet."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def newest(self) -> Opened:
        """That generation, called as it will be in its place."""
        connection = importer.connect(self.path, read_only=True)
        return Opened(connection, self.path, f"{self.path.stem}-{importer.build_id(connection)}")

    def is_current(self, _: duckdb.DuckDBPyConnection) -> bool:
        """Whether it holds all there is: nobody asks, for it is never moved on from."""
        return True

    def refresh(self) -> None:
        """Nothing is imported into it."""

    refresh_quietly = refresh


def answers(path: Path) -> tuple[str, dict[Hashable, object]]:
    """(name of the generation, what Robustness asks of it as it opens, by the keys of `Store.cached`)."""
    from backend.store.robustness.robustness import HEADLINE
    from pages.robustness import data
    from pages.shared.data import stored

    store = Store(_Ahead(path), follow=False)
    stored.read_instead(store)
    family = next((each for name, each in data.families().items() if name.partition("@")[0] == "world"), None)
    if family is not None and not data.pairs(family.hash).empty:
        data.metrics(family.hash)
        data.verdicts(family.hash, HEADLINE, None)
        data.matrix(family.hash, HEADLINE, None)
        data.originals(family.hash, HEADLINE, None)
    kept = {key: value for key, value in store.kept().items() if _can_be_said(value)}
    build = store.reading
    store.close()
    return build, kept


def _can_be_said(value: object) -> bool:
    try:
        pickle.dumps(value)
    except (pickle.PicklingError, TypeError, AttributeError):
        return False
    return True


def main() -> int:
    """Work; 0 also where there is nothing to do."""
    with suppress(OSError):
        os.nice(POLITE)
    place = bundled_editions_dir()
    try:
        path = ahead.make(place) if shown_once.is_new(place) else None
        if path is not None:
            sys.stdout.buffer.write(pickle.dumps(answers(path), protocol=5))
    except FlipsideError:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
