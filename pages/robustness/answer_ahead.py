"""`pages.robustness.answer_ahead` (see `paths.module_command`): imports the example that ships beside the cache, where
it is new, and says on standard output, pickled, what Robustness will ask of it (`prepared.py`)."""

import pickle
import signal
import sys
from collections.abc import Hashable
from pathlib import Path
from typing import Final

from backend.errors import FlipsideError
from backend.live import working_ahead
from backend.paths import bundled_editions_dir
from backend.store.examples import ahead, shown_once

#: Begins the keys of what other answers were made of, which nobody asks for again.
_NOT_AGAIN: Final = ("('items of a protocol'", "('robustness pools'", "('drawn")


def answers(path: Path) -> tuple[str, dict[Hashable, tuple[object, int]]]:
    """(name of the generation, what Robustness asks of it as it opens: by the keys of `Store.cached`, with bytes)."""
    from pages.robustness import ahead as asked
    from pages.robustness import data
    from pages.shared.data import stored

    store = ahead.read(path)
    stored.read_instead(store)
    family = next((each for name, each in data.families().items() if name.partition("@")[0] == "world"), None)
    if family is not None:
        asked.prepare(family)
        for _ in asked.more(family):
            pass
    kept = {key: value for key, value in store.kept().items() if not str(key).startswith(_NOT_AGAIN)}
    build = store.reading
    store.close()
    return build, kept


def main() -> int:
    """Work; 0 also where there is nothing to do."""
    working_ahead.give_way()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that what it makes is swept away
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
