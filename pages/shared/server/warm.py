"""Libraries that a page needs for its charts, imported while nobody waits for them."""

import importlib
import threading

#: Plotly builds its classes at the first import, a good quarter of a second.
LIBRARIES = ("plotly.graph_objects",)


def after(first: threading.Thread) -> threading.Thread:
    """Import them in the background as soon as another piece of work is over."""

    def work() -> None:
        first.join()
        for name in LIBRARIES:
            importlib.import_module(name)

    thread = threading.Thread(target=work, name="warm up")
    thread.start()
    return thread
