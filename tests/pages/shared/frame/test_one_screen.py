"""What one-screen pages are made of: folds that remember, choices under More that are told, facts, the next step."""

from typing import Any

import pytest
from markupsafe import Markup
from streamlit.testing.v1 import AppTest

from pages.shared.drawing.facts import facts, told
from pages.shared.frame.next_step import next_step
from tests.pages.shared.drawing.test_html import ATTACKS, Shape


def page() -> None:
    import streamlit as st

    from pages.shared.frame import address
    from pages.shared.frame.fold import fold, more

    if st.session_state.get("away"):
        st.text("another page")
        st.stop()
    address.begin(("size", "seed"))
    with more("size", "seed", key="more-test"):
        st.selectbox("Size", ["s", "l"], key=address.option("size", ["s", "l"], "s"), index=address.index("size"))
        st.selectbox("Seed", [0, 1], key=address.option("seed", [0, 1], 0), index=address.index("seed"))
    with fold("Every number", "test-table") as box:
        if box.open:
            st.text("heavy")
    address.end()


def lines(app: AppTest) -> list[str]:
    return [str(block.proto.body) for block in app.get("html")]


def test_a_choice_under_more_is_told_and_a_default_is_not() -> None:
    app = AppTest.from_function(page).run()
    assert not app.exception
    assert lines(app) == []
    app.selectbox(key="size").set_value("l").run()
    assert lines(app) == ['<p class="fs-more-set">Set under More: size</p>']
    app.selectbox(key="seed").set_value(1).run()
    assert lines(app) == ['<p class="fs-more-set">Set under More: size and seed</p>']
    app.selectbox(key="size").set_value("s").run()
    app.selectbox(key="seed").set_value(0).run()
    assert lines(app) == []


def test_a_link_s_choices_under_more_are_told_at_once() -> None:
    app = AppTest.from_function(page)
    app.query_params["seed"] = "1"
    app.run()
    assert app.selectbox(key="seed").value == 1
    assert lines(app) == ['<p class="fs-more-set">Set under More: seed</p>']


@pytest.mark.parametrize("opened", [True, False])
def test_a_fold_is_drawn_as_it_was_left_on_coming_back(opened: bool) -> None:
    app = AppTest.from_function(page).run()
    assert not app.text
    app.session_state["_folds_open"] = {"test-table": opened}
    app.session_state["away"] = True
    app.run()
    app.session_state["away"] = False
    app.run()
    assert [text.value for text in app.text] == (["heavy"] if opened else [])
    assert app.session_state["test-table"] is opened


def test_what_is_heavy_is_not_drawn_in_a_closed_fold_and_controls_are() -> None:
    app = AppTest.from_function(page).run()
    assert not app.text
    assert len(app.selectbox) == 2


@pytest.mark.parametrize("attack", ATTACKS)
def test_facts_keep_every_text_a_text(attack: str) -> None:
    made, plain = (Shape(str(facts(text, n=3, note=text))) for text in (attack, "x"))
    assert made.tags == plain.tags


def test_facts_are_told_where_they_are_known() -> None:
    nan = float("nan")
    assert told(low=nan, high=1.0, p=nan) == ""
    assert told(n=1000, low=-1.25, high=2.0, unit="points") == "1,000 items · 95 % interval −1.3 to 2.0 points"
    assert facts("5", n=None) == Markup("5")
    assert "n = " not in facts("5", n=2)
    assert 'tabindex="0"' in facts("5", n=2)


def test_two_next_steps_of_one_label_stand_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[dict[str, Any]] = []
    monkeypatch.setattr(
        "pages.shared.frame.next_step.st.page_link", lambda page, **what: made.append({"page": page, **what})
    )
    next_step("Open *these* [1]", "failures", model="a", tags=["x", "y"], subset="")
    next_step("Open *these* [1]", "failures", model="b")
    assert [what["page"] for what in made] == ["pages/failures/page.py"] * 2
    assert [what["query_params"] for what in made] == [{"model": "a", "tags": ["x", "y"]}, {"model": "b"}]
    assert made[0]["label"] != "Open *these* [1]"  # as text, not as Markdown
