"""The app with one of its pages open, as a browser opens it: by the page's address.

Not by `AppTest.switch_page`, which takes a page's file and, before a first run, guesses the address from its name.
"""

from pathlib import Path

from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

APP = Path(__file__).resolve().parents[2] / "app.py"


def turn(app: AppTest, folder: str) -> AppTest:
    """The same app, its next run on the page of this folder of pages/."""
    if folder != "overview":  # the first page: what opens without a name
        app._page_hash = calc_hash(folder.replace("_", "-"))
    return app


def opened(folder: str, seconds: float = 120) -> AppTest:
    """The app before its first run, on the page of this folder of pages/."""
    return turn(AppTest.from_file(str(APP), default_timeout=seconds), folder)


def unfolded(app: AppTest, *keys: str) -> AppTest:
    """The same page with these folds (`pages.shared.frame.fold`) open, run again."""
    app.session_state["_folds_open"] = dict.fromkeys(keys, True)
    return app.run()
