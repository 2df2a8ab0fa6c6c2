"""Failures opened with picked items: only they are listed, an unknown set says so, and the set can be taken off."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from backend.store.failures import selections
from pages.shared.data.stored import chosen as stored_chosen
from pages.shared.frame.to_failures import address_of

Visit = Callable[..., AppTest]


def html(page: AppTest) -> str:
    return "".join(element.proto.body for element in page.get("html"))


@pytest.mark.slow
def test_picked_items_alone_are_listed_until_the_set_is_taken_off(small: Path, visit: Visit) -> None:
    benchmark = stored_chosen()["small"]
    picked = ["relation/1", "relation/2", "relation/3"]
    address = address_of(benchmark, picked, "picked <b>here</b>", model="fake:weak")
    page = visit("failures", **address)
    assert not page.exception
    assert "Only <b>3 items</b> picked: picked &lt;b&gt;here&lt;/b&gt;" in html(page)
    assert re.search(r"<b>3</b> of 3 verdicts \(picked: 3 items\) are listed, \d right and \d wrong", html(page))
    assert page.query_params["set"] == address["set"]
    page.button(key="set-off").click().run()
    assert "<b>3</b> of " not in html(page)
    assert "set" not in page.query_params
    assert page.query_params["show"] in ("all", ["all"])


@pytest.mark.slow
def test_a_set_that_is_unknown_or_of_another_benchmark_says_so(small: Path, visit: Visit) -> None:
    page = visit("failures", benchmark="small", set="<i>gone")
    assert not page.exception
    assert "No set of picked items is kept here under “&lt;i&gt;gone”" in html(page)
    assert "Nothing is left" in html(page)
    other = selections.keep("f" * 16, ["relation/1"], "elsewhere")
    page = visit("failures", benchmark="small", set=other.key)
    assert not page.exception
    assert "a benchmark that has no run here" in html(page)
