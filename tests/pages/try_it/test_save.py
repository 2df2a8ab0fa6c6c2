"""Try it: the item on the page is saved under a name, once."""

import pytest
from streamlit.testing.v1 import AppTest

from backend.benchmarks import load_benchmark
from tests.pages.opening import opened


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("FLIPSIDE_LIVE_MODELS", "fake:ok")
    linked = opened("try_it", 60)
    linked.session_state["try-more"] = True
    return linked.run()


def test_an_example_becomes_an_item_and_only_once(page: AppTest) -> None:
    assert not page.exception
    page.multiselect(key="try-save-concepts").set_value(["colour"]).run()
    page.button(key="try-save-now").click().run()
    assert not page.exception
    assert "Saved as" in page.success[0].value
    (item,) = load_benchmark("custom:mine")
    assert item.tags == {"concept": ("colour",)}
    assert "\n".join(item.texts) == page.text_area[0].value
    page.button(key="try-save-now").click().run()
    assert "has this item already" in " ".join(info.value for info in page.info)


def test_a_free_grid_says_what_to_choose_first(page: AppTest) -> None:
    next(c for c in page.segmented_control if c.label == "Judge as").set_value("grid").run()
    assert not page.exception
    assert "Choose quad, triplet or choice" in " ".join(caption.value for caption in page.caption)
    with pytest.raises(KeyError):
        page.button(key="try-save-now")
