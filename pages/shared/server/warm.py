"""What the first page needs, brought and imported while the browser still loads the interface itself."""

import importlib
import threading
from pathlib import Path
from typing import Final

#: Plotly builds its classes at the first import, a good quarter of a second; no first picture needs them.
LATER: Final = ("plotly.graph_objects",)
#: The folder of the page that a server is opened at.
FIRST: Final = "overview"


def modules_of(page: str) -> list[str]:
    """What a page's script imports of its own folder, and by it nearly all else that it needs."""
    folder = Path(__file__).parents[2] / page
    return [
        f"pages.{page}.{path.stem}" for path in sorted(folder.glob("*.py")) if path.stem not in ("page", "__init__")
    ]


def begin() -> threading.Thread:
    """Begin at once, in a thread of its own."""

    def work() -> None:
        # Imported here, not above: the server gives the browser its first files as soon as app.py is there.
        from backend.store.build.reader import prepare

        prepare()
        for name in (*modules_of(FIRST), *LATER):
            importlib.import_module(name)

    # No daemon: a server stopped in its first seconds waits for the import instead of tearing DuckDB down under it.
    thread = threading.Thread(target=work, name="prepare the store", daemon=False)
    thread.start()
    return thread
