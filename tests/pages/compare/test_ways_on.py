"""What compares with what: the pair that Compare opens on, next steps to it, and ways on where it does not."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.compare import opening, sides
from pages.shared.data import partners, stored
from tests.pages.compare.asked import BENCHMARK, ONCE, OTHER, SCORED, TWICE, add

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("nothing_shipped")]


def labels(page: AppTest) -> list[str]:
    return [str(link.proto.label) for link in page.get("page_link")]


def held(page: AppTest) -> tuple[str, str]:
    assert not page.exception
    return page.session_state["a"], page.session_state["b"]


def test_the_pair_that_compare_opens_on_compares(
    flipside: Callable[..., object], tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    """Failed before: the best, asked in two orders, stood against the next, asked once, on “These do not compare”."""
    add(flipside, tmp_path, ONCE, TWICE, SCORED)
    benchmark = stored.chosen()[BENCHMARK]
    known = sides.options(benchmark)
    assert not opening.fits(benchmark, known, f"verdict {ONCE}", f"verdict {TWICE}")
    assert not opening.fits(benchmark, known, f"verdict {ONCE}", f"verdict {ONCE}")
    assert opening.fits(benchmark, known, f"verdict {TWICE}", f"itc {SCORED}")
    for model in (ONCE, TWICE, SCORED):
        (kind,) = benchmark.kinds[model]
        page = visit("compare", benchmark=BENCHMARK, a=f"{kind} {model}")
        assert held(page)[0] == f"{kind} {model}"
        assert opening.fits(benchmark, known, *held(page))
        page = visit("compare", benchmark=BENCHMARK, a=f"{kind} {model}", b=f"{kind} {model}")
        assert opening.fits(benchmark, known, *held(page)), "a pair of one system with itself"
    assert opening.fits(benchmark, known, *held(visit("compare", benchmark=BENCHMARK)))


def test_sides_that_do_not_compare_lead_to_what_does(
    flipside: Callable[..., object], tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    add(flipside, tmp_path, ONCE, OTHER, TWICE, SCORED)
    page = visit("compare", benchmark=BENCHMARK, a=f"verdict {TWICE}", b=f"verdict {ONCE}", subset="a")
    ways = [button for button in page.button if str(button.key).startswith("compare-way-")]
    assert [button.label for button in ways] == [
        "Compare twice · verdict with scored · itc", "Compare once · verdict with scored · itc"
    ]  # fmt: skip
    page = ways[0].click().run()
    assert held(page) == (f"verdict {TWICE}", f"itc {SCORED}")
    assert page.session_state["subset"] == []
    page = visit("compare", benchmark=BENCHMARK, a=f"verdict {TWICE}", b=f"itc {SCORED}", metric="accuracy_at_half")
    assert [str(button.key) for button in page.button if "compare-way" in str(button.key)] in ([], ["compare-way-0"])


def test_where_nobody_compares_no_next_step_says_so(
    flipside: Callable[..., object], tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    """Failed before: “Compare twice with once” was the next step, and “Compare it” stood there with nobody."""
    add(flipside, tmp_path, ONCE, TWICE)
    asked = {"benchmark": BENCHMARK, "model": TWICE, "kind": "verdict"}
    assert partners.partner(stored.chosen()[BENCHMARK], TWICE, "verdict") is None
    for name in ("failures", "model"):
        page = visit(name, **asked)
        assert not page.exception
        assert not [label for label in labels(page) if label.startswith("Compare ")], name
    page = visit("compare", benchmark=BENCHMARK)
    assert not [button for button in page.button if str(button.key).startswith("compare-way-")]


def test_next_steps_name_a_partner_that_compares(
    flipside: Callable[..., object], tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    add(flipside, tmp_path, ONCE, TWICE, SCORED)
    asked = {"benchmark": BENCHMARK, "model": TWICE, "kind": "verdict"}
    for name, label in (("failures", "Compare twice with scored"), ("model", "Compare it")):
        page = visit(name, **asked)
        assert [each for each in labels(page) if each.startswith("Compare ")] == [label]
    page = visit("failures", **asked, other=ONCE)
    assert "Compare twice with scored" in labels(page)
