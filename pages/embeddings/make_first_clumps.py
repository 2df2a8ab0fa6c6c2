"""Finds the clumps of the maps of the results that ship, and what else Embeddings asks of them: `python -m
pages.embeddings.make_first_clumps`, a step of set-up; does nothing where that was done. So neither the first visit nor
another model's map need load what finds them, which takes half a second. It is of this machine: another processor's
arithmetic may give a place another last digit, and so a key.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from backend.live.maps import clumped, maps
from backend.store.build import first
from pages.embeddings import kept, prepared
from pages.embeddings.answer_ahead import MOST, answer
from pages.shared.data import stored

APP = Path(__file__).parents[2] / "app.py"


def make(most: int = MOST) -> list[Path]:
    """Open the page once, on an empty cache, then ask what a server would have asked behind it, of `most` maps; the
    files that were kept, none where it shows no map. Where it goes wrong, what an earlier set-up has kept stays."""
    with first.scratch() as scratch, _without_earlier(clumped.set_up(), kept.set_up()):
        os.environ["FLIPSIDE_CACHE"] = str(scratch / "cache")
        app = AppTest.from_file(str(APP), default_timeout=300)
        app._page_hash = calc_hash("embeddings")
        app.run()
        name = str(app.session_state["benchmark"]) if "benchmark" in app.session_state else ""
        benchmark = stored.chosen().get(name)
        if benchmark is None:
            return []
        answer(benchmark, most)
        made = []
        for target in (clumped.set_up(), kept.set_up()):
            target.mkdir(parents=True)
            made += [
                Path(shutil.copyfile(path, target / path.name))
                for path in sorted((maps.folder() / target.name).glob("*.npz"))
            ]
        prepared.finish(name, kept.set_up())
        return made


@contextmanager
def _without_earlier(*folders: Path) -> Iterator[None]:
    """Hide what an earlier set-up has kept: all would be read from there, and nothing kept anew. It goes once there is
    something new in its place, and comes back where there is not."""
    hidden = {folder: folder.with_name(f".{folder.name}-earlier") for folder in folders}
    for folder, aside in hidden.items():
        shutil.rmtree(aside, ignore_errors=True)
        with suppress(FileNotFoundError):
            folder.rename(aside)
    try:
        yield
    except BaseException:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        for folder, aside in hidden.items():
            if not folder.exists() and aside.exists():
                aside.rename(folder)
            shutil.rmtree(aside, ignore_errors=True)


def mark() -> Path:
    """The file whose presence says that all of this was found, by this code, of what ships now; it goes with the
    generation of what ships (`backend.store.build.make_first`)."""
    return first.folder() / f"{first.PREFIX}{first.key()}-{kept.code()[:8]}.asked"


if __name__ == "__main__":
    if not (mark().is_file() and kept.set_up().is_dir()) and make():
        mark().touch()
