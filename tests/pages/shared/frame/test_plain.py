"""Text for places that read Markdown; tests/browser/test_hostile.py sees what a browser makes of it."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.frame.plain import JOINER, plain

LATER = [
    ("https://evil.example", "https://"), ("HTTP://evil.example", "HTTP://"), ("www.evil.example", "www."),
    ("pay@evil.example", "pay@"), (":material/home:", ":material"), (":smile:", ":smile"),
    (":streamlit:", ":streamlit"),
    ("a -> b", "->"), ("a <- b", "<-"), ("a -- b", "--"), ("a >= b", ">="), ("a <-> b", "<->"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "mark"), LATER)
def test_what_is_read_after_the_escapes_is_kept_apart_by_a_joiner(text, mark):
    shown = plain(text).replace("\\", "")
    assert mark not in shown
    assert shown.replace(JOINER, "") == text


@pytest.mark.parametrize("text", ["bundled:clip", "flipside run --kinds itc,t2t", "a-b", "12:30", "hf:owner/name"])
def test_what_is_copied_from_a_page_holds_nothing_invisible(text):
    assert plain(text).replace("\\", "") == text


def test_an_error_quotes_what_it_names():
    def page() -> None:
        from pages.shared.frame.header import trouble

        trouble("There is no item “[pay here](https://evil.example) ![x](https://evil.example/x.png)”.")

    (shown,) = AppTest.from_function(page).run().error
    assert "](" not in shown.value
    assert "https://" not in shown.value.replace("\\", "")
