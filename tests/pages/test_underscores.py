"""Names with two underscores, as COCO_val2014__1 and models--x__y have them: every page opens with them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.drawing import component
from tests.pages import results

Visit = Callable[..., AppTest]
ODD = {name: f"fake:{name}__of__{name}_" for name in ("strong", "weak", "speaker", "blind")}


def test_no_two_names_become_one_and_nothing_else_changes() -> None:
    names = ["a__b", "a_b", "a___b", "a_b_", "a_b__", "__a_b", "_a_b"]
    known = [component.known_by(f"heat-{name}") for name in names]
    assert len(set(known)) == len(names)
    assert not any("__" in key or key.endswith("_") for key in known)
    assert [component.known_by(key) for key in known] == known
    assert component.known_by("heat-a_b") == "heat-a_b"


@pytest.fixture
def odd(flipside_cache: Path, nothing_shipped: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small results whose benchmark, models, subsets and items all have such names."""
    for constant, name in (("STRONG", "strong"), ("WEAK", "weak"), ("SPEAKER", "speaker"), ("BLIND", "blind")):
        monkeypatch.setattr(results, constant, ODD[name])
    items = [
        replace(item, item_id=f"{item.subset}__s/{item.item_id.partition('/')[2]}__1", subset=f"{item.subset}__s")
        for item in results.world(60)
    ]
    results.write(flipside_cache, items, "my__data")
    return flipside_cache


@pytest.mark.slow
@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("overview", {}), ("model", {"model": ODD["strong"]}), ("failures", {"model": ODD["weak"]}),
        ("item", {"item": "attribute__s/0__1", "model": ODD["weak"]}), ("compare", {}), ("equivariance", {}),
        ("debias", {"model": ODD["speaker"]}), ("embeddings", {}), ("runs", {}),
    ],
)  # fmt: skip
def test_every_page_opens_with_such_names(visit: Visit, name: str, address: dict[str, str]) -> None:
    """“This app has encountered an error”: Streamlit refuses two underscores in a component's key."""
    page = visit(name, benchmark="my__data", **address)
    assert not page.exception
