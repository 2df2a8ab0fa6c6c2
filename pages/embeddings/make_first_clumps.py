"""Finds the clumps of the maps of the results that ship, and what else Embeddings asks of them: `python -m
pages.embeddings.make_first_clumps`, a step of set-up. So neither the first visit nor another model's map need load what
finds them, which takes half a second. It is of this machine: another processor's arithmetic may give a place another
last digit, and so a key.
"""

import os
import shutil
import tempfile
from pathlib import Path

from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from backend.live.maps import clumped, maps
from pages.embeddings import kept, prepared
from pages.embeddings.answer_ahead import MOST, answer
from pages.shared.data import stored

APP = Path(__file__).parents[2] / "app.py"


def make(most: int = MOST) -> list[Path]:
    """Open the page once, on an empty cache, then ask what a server would have asked behind it, of `most` maps; the
    files that were kept, none where it shows no map."""
    targets = clumped.set_up(), kept.set_up()
    for target in targets:  # or all would be read from what an earlier set-up has kept, and nothing kept anew
        shutil.rmtree(target, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="flipside-first-") as cache:
        os.environ["FLIPSIDE_CACHE"] = cache
        app = AppTest.from_file(str(APP), default_timeout=300)
        app._page_hash = calc_hash("embeddings")
        app.run()
        name = str(app.session_state["benchmark"]) if "benchmark" in app.session_state else ""
        benchmark = stored.chosen().get(name)
        if benchmark is None:
            return []
        answer(benchmark, most)
        made = []
        for target in targets:
            target.mkdir(parents=True)
            made += [
                Path(shutil.copyfile(path, target / path.name))
                for path in sorted((maps.folder() / target.name).glob("*.npz"))
            ]
        prepared.finish(name, kept.set_up())
        return made


if __name__ == "__main__":
    make()
