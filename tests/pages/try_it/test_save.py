"""Try it: the item on the page is saved under a name, once."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from backend.benchmarks import load_benchmark

APP = Path(__file__).resolve().parents[3] / "app.py"


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("FLIPSIDE_LIVE_MODELS", "fake:ok")
    opened = AppTest.from_file(str(APP), default_timeout=60)
    opened.switch_page("pages/try_it/page.py")
    opened.session_state["try-save"] = True
    return opened.run()


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
