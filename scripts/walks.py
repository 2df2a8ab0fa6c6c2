"""On how many files the three walks of docs/architecture.md go: `python -m scripts.walks`.

    upload   a picture and two captions on Try it, until the matrix is drawn
    stored   `flipside run` of a bundled model on twelve items of the world, until Failures lists them
    click    one click on a filter of Failures, until the page is drawn again

Each walk runs in a process of its own, with a cache of its own, after it has been gone once, so that nothing is
imported any more. Counted are the files of ours, and their lines that are not blank, of which a function was called
meanwhile. `--tree FOLDER` counts in another checkout, an older one, too.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from inspect import CO_OPTIMIZED
from io import BytesIO, StringIO
from pathlib import Path
from types import FrameType
from typing import Any

MODEL, SECONDS = "bundled:clip", 300


@contextmanager
def called(tree: Path) -> Iterator[dict[Path, None]]:
    """Files of a checkout in which a function is called while it lasts, in the order of the first call, all threads."""
    found: dict[Path, None] = {}
    seen: dict[str, Path | None] = {}

    def look(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_flags & CO_OPTIMIZED:  # a module or the body of a class
            return
        if code.co_filename not in seen:
            path = Path(code.co_filename)
            ours = path.is_relative_to(tree) and ".venv" not in path.parts and path.parts[-2] != "scripts"
            seen[code.co_filename] = path.relative_to(tree) if ours else None
        if (path_of := seen[code.co_filename]) is not None:
            found[path_of] = None

    threading.setprofile(look)
    sys.setprofile(look)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def page(tree: Path, address: str, **query: str) -> Any:
    """A page before its first run."""
    from streamlit.testing.v1 import AppTest
    from streamlit.util import calc_hash

    app = AppTest.from_file(str(tree / "app.py"), default_timeout=SECONDS)
    app._page_hash = calc_hash(address)
    for key, value in query.items():
        app.query_params[key] = value
    return app


def drawn(app: Any) -> Any:
    """The page after a run. RuntimeError where it shows an exception."""
    app.run()
    if app.exception:
        raise RuntimeError(app.exception[0].value)
    return app


def flipside(*words: str) -> None:
    """One command, as typed."""
    from backend.cli import main

    with redirect_stdout(StringIO()):
        if code := main(list(words)):
            raise RuntimeError(f"{' '.join(words)} ended with {code}")


def upload(tree: Path) -> dict[Path, None]:
    """A picture from the uploader's field to the matrix of its scores."""
    from PIL import Image

    def scored(colour: str) -> None:
        file = BytesIO()
        Image.new("RGB", (64, 64), colour).save(file, "PNG")
        app.file_uploader[0].set_value([(f"{colour}.png", file.getvalue(), "image/png")])
        drawn(app)
        app.text_area[0].set_value(f"a {colour} circle\na white circle")
        next(button for button in app.button if button.label == "Score").click()
        drawn(app)

    app = drawn(page(tree, "try-it"))
    scored("blue")
    with called(tree) as found:
        scored("red")
    return found


def stored(tree: Path) -> dict[Path, None]:
    """A score from the model to the list of failures."""
    words = ("run", "--model", MODEL, "--benchmark", "world", "--kinds", "itc", "--limit")
    flipside(*words, "11")
    drawn(page(tree, "failures"))
    with called(tree) as found:
        flipside(*words, "12")
        drawn(page(tree, "failures"))
    return found


def click(tree: Path) -> dict[Path, None]:
    """A filter of Failures."""
    app = drawn(drawn(page(tree, "failures")))
    with called(tree) as found:
        wanted = [each for each in [*app.multiselect, *app.selectbox] if each.label.startswith("Concept")]
        field = wanted[0]
        field.set_value([field.options[0]] if hasattr(field, "indices") else field.options[1])
        drawn(app)
    return found


WALKS: dict[str, Callable[[Path], dict[Path, None]]] = {"upload": upload, "stored": stored, "click": click}


def lines(path: Path) -> int:
    """Lines that are not blank."""
    return sum(1 for line in path.read_text(encoding="utf-8").splitlines() if line.strip())


def main() -> None:
    """Print a table, or with --files also each file in the order of its first call."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tree", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--files", action="store_true")
    parser.add_argument("--one", choices=WALKS, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    tree = asked.tree.resolve()
    if asked.one:
        os.chdir(tree)
        sys.path.insert(0, str(tree))
        found = WALKS[asked.one](tree)
        print(json.dumps([str(path) for path in found]), flush=True)
        os._exit(0)  # older checkouts abort at their end, where a thread still imports
    for name in WALKS:
        with tempfile.TemporaryDirectory() as cache:
            words = [sys.executable, str(Path(__file__).resolve()), "--tree", str(tree), "--one", name]
            done = subprocess.run(
                words, env=os.environ | {"FLIPSIDE_CACHE": cache}, capture_output=True, text=True, check=False
            )
        if done.returncode:
            sys.exit(f"walks: {name}: {done.stderr.strip().splitlines()[-1]}")
        files = [Path(path) for path in json.loads(done.stdout.splitlines()[-1])]
        print(f"{name}\t{len(files)} files\t{sum(lines(tree / path) for path in files)} lines")
        if asked.files:
            print("\n".join(f"    {path}" for path in files))


if __name__ == "__main__":
    main()
