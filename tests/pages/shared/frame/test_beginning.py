"""A page that begins leaves no fragment of the page before behind, however it ends."""

import sys
from types import ModuleType

import pytest
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.testing.v1 import AppTest

from pages.shared.frame import beginning


def _script() -> None:
    import streamlit as st

    from pages.shared.frame import beginning

    class Page:
        url_path = st.session_state.get("chosen", "one")

        def run(self) -> None:
            st.text_input("first", key="first")
            if st.session_state.get("stopping"):
                st.stop()
            st.text_input("second", key="second", value="its own")

    @st.fragment
    def outside() -> None:
        st.write("every page has it")

    outside()
    beginning.run(Page())


@pytest.fixture
def cleared(monkeypatch) -> list[int]:
    """How many fragments each clearing was told to keep."""
    calls: list[int] = []
    before = MemoryFragmentStorage.clear

    def clear(self, new_fragment_ids=None):
        calls.append(len(new_fragment_ids or ()))
        before(self, new_fragment_ids)

    monkeypatch.setattr(MemoryFragmentStorage, "clear", clear)
    return calls


def test_fragments_of_the_page_before_are_forgotten_though_the_page_stops_early(cleared):
    app = AppTest.from_function(_script)
    app.session_state["stopping"] = True
    app.run()
    assert not app.exception
    assert cleared == [1]  # as the page began; what this run had made by then is kept
    app.run()
    assert cleared == [1]  # the same page: its own fragments are not touched
    app.session_state["chosen"] = "two"
    app.run()
    assert cleared == [1, 1]


def test_a_page_that_comes_to_its_end_is_cleared_by_streamlit_too(cleared):
    app = AppTest.from_function(_script)
    app.run()
    assert cleared == [1, 1]
    assert len(app.text_input) == 2


def test_a_stop_keeps_the_values_of_the_widgets_below_it():
    app = AppTest.from_function(_script)
    app.run()
    app.text_input(key="second").input("typed").run()
    app.session_state["stopping"] = True
    app.run()
    app.session_state["stopping"] = False
    app.run()
    assert app.text_input(key="second").value == "typed"


def test_a_run_that_is_stopped_does_not_forget_what_the_next_one_has_made(cleared):
    """Streamlit ends a run whose place another has taken by the same exception as `st.stop()`."""
    app = AppTest.from_function(_script)
    app.session_state["stopping"] = True
    app.run()
    assert len(cleared) == 1  # at the beginning only: the end of a stopped run clears nothing


def test_a_module_that_is_only_being_imported_tells_no_generation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failed before: a page that was opened while another thread imported the store's door ended in an error."""
    monkeypatch.setitem(sys.modules, "pages.shared.data.stored", ModuleType("half of it"))
    assert beginning._generation() == ""
