"""A page that is drawn anew by itself swallows no press: what a run carries reaches its button first."""

import pytest
from streamlit.testing.v1 import AppTest


def _script() -> None:
    import streamlit as st

    from pages.shared.frame import beginning, news

    class Page:
        url_path = "one"

        def run(self) -> None:
            @st.fragment
            def looks() -> None:
                if st.session_state.pop("came", False):
                    news.draw_anew()

            st.session_state.setdefault("runs", 0)
            st.session_state.runs += 1
            looks()
            if st.session_state.get("stopping"):
                st.stop()
            if st.button("Start"):
                st.session_state.started = st.session_state.get("started", 0) + 1
                if st.session_state.get("and_again"):
                    st.rerun()

    beginning.run(Page())  # type: ignore[arg-type]


@pytest.fixture
def opened() -> AppTest:
    return AppTest.from_function(_script).run()


def of(app: AppTest, key: str) -> int:
    return int(app.session_state.get(key, 0))


def test_a_press_arrives_though_something_came_about_in_the_same_run(opened: AppTest) -> None:
    opened.session_state["came"] = True
    opened.button[0].click().run()
    assert of(opened, "started") == 1
    assert of(opened, "runs") == 3  # opened, pressed, drawn anew
    opened.run()
    assert (of(opened, "started"), of(opened, "runs")) == (1, 4)


def test_a_page_that_stops_early_leaves_nothing_due_for_the_next_run(opened: AppTest) -> None:
    opened.session_state["came"] = opened.session_state["stopping"] = True
    opened.run()
    assert of(opened, "runs") == 2
    opened.session_state["stopping"] = False
    opened.run()
    assert of(opened, "runs") == 3


def test_a_page_that_draws_itself_again_for_a_press_does_so_once(opened: AppTest) -> None:
    opened.session_state["came"] = opened.session_state["and_again"] = True
    opened.button[0].click().run()
    assert (of(opened, "started"), of(opened, "runs")) == (1, 3)
