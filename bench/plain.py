"""What no wait of a Streamlit application can be shorter than: two pages of a line each, and a list on one of them."""

import statistics
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page

from scripts.dashboard import browsing, serving, settle

#: How this is named beside a figure.
NAME = "a Streamlit page of one line"
#: How often each is waited for.
ROUNDS = 7
_APP = """import streamlit as st
st.navigation([st.Page("one.py", title="One"), st.Page("two.py", title="Two")]).run()
"""
_PAGES = {
    "one.py": 'import streamlit as st\nst.title("One")\nst.write(st.selectbox("Which", ["first", "second"]))\n',
    "two.py": 'import streamlit as st\nst.title("Two")\n',
}


@dataclass(frozen=True)
class Waits:
    """Medians in milliseconds: a switch between the pages, and another choice in the list."""

    switch: float
    choice: float


def waits(watch: str, wait: Callable[[Page, Callable[[], None]], float], choose: Callable[[Page], None]) -> Waits:
    """Measure them as other pages are measured. watch: the script that looks at changes; wait: milliseconds to the last
    change that an action makes; choose: sets the list of a page to another value."""
    with tempfile.TemporaryDirectory() as scratch:
        for name, text in {"app.py": _APP, **_PAGES}.items():
            (Path(scratch) / name).write_text(text, encoding="utf-8")
        with serving(Path(scratch), root=Path(scratch)) as address, browsing() as browser:
            page = browser.new_page(viewport={"width": 1440, "height": 1000})
            page.goto(f"{address}/")
            settle(page)
            page.evaluate(watch)
            choices = [wait(page, lambda: choose(page)) for _ in range(ROUNDS)]
            links = page.get_by_test_id("stSidebarNavLink")
            switches = [wait(page, links.nth((k + 1) % 2).click) for k in range(2 * ROUNDS)]
    return Waits(statistics.median(switches), statistics.median(choices))
