"""The form that scores a model, where another place opens it."""

from streamlit.testing.v1 import AppTest


def test_a_cell_of_history_asks_for_all_items_whatever_the_form_held() -> None:
    """A sample of 200 that was chosen before, and folded away, was what its Start scored."""

    def app() -> None:
        from pages.runs import start

        start.afresh("bundled:clip", "world (bundled)")

    test = AppTest.from_function(app)
    test.session_state["score-how"] = "a random sample of"
    test.session_state["score-subsets-world (bundled)"] = ["color"]
    test.session_state["score-split-visla"] = "generic"
    test.session_state["score-priors-self"] = ["self"]
    test.run()
    assert not test.exception
    state = test.session_state
    assert (state["score-model"], state["score-benchmark"], state["score-how"]) == (
        "bundled:clip", "world (bundled)", "all items",
    )  # fmt: skip
    assert not [key for key in ("score-subsets-world (bundled)", "score-split-visla") if key in state]
    assert state["score-priors-self"] == ["self"]
