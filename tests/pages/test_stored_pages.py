"""Overview, Failures, Debias, Equivariance and the item page, without a browser: empty and bad states come first."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from backend import called
from pages.shared.data.stored import chosen as stored_chosen
from pages.shared.frame.plain import plain
from tests.pages import results
from tests.pages.opening import unfolded
from tests.store.writer import write_run

PAGES = ["overview", "failures", "debias", "equivariance", "item", "runs"]
Visit = Callable[..., AppTest]


def html(page: AppTest) -> str:
    return "".join(element.proto.body for element in page.get("html"))


@pytest.mark.usefixtures("nothing_shipped")
@pytest.mark.parametrize("name", PAGES)
def test_an_empty_store_says_what_to_do(name: str, visit: Visit) -> None:
    page = visit(name)
    assert not page.exception
    assert "Nothing has been computed yet" in html(page)
    assert f"{called.on_pages()} run" in html(page)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", PAGES)
def test_a_bad_address_is_ignored(name: str, visit: Visit) -> None:
    bad = {
        "benchmark": "<b>", "model": "nobody", "kind": "42", "subset": ["x", "<script>"], "concept": "-",
        "alpha": "nan", "margin": ["a", "b"], "page": "-3", "by": "", "quads": "!", "score": "?", "stratum": "7",
        "metric": "no",
        "prior": "lm:", "norm": "x", "wide": "maybe", "sort": "drop", "view": "x", "other": "y", "category": "z",
        "scale": "s", "worst": "w", "text": "<script>", "item": "no/such",
    }  # fmt: skip
    page = visit(name, **bad)
    assert not page.exception
    assert "<script>" not in html(page)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_missing_item_gets_one_sentence(visit: Visit) -> None:
    page = visit("item", item="relation/9999")
    assert not page.exception
    assert plain("There is no item “relation/9999” in small.") in page.error[0].value
    said = "".join(element.proto.body for element in page.get("html"))
    assert "What does every model make" in said
    assert "First why" not in said, "there is nothing to be read so"
    (link,) = [each.proto for each in page.get("page_link") if "items of small" in each.proto.label]
    assert "benchmark=small" in link.query_string
    there = visit("item", item="relation/1")
    assert "First why" in "".join(element.proto.body for element in there.get("html"))


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_overview_says_what_to_notice_and_lists_all_rates(visit: Visit) -> None:
    page = visit("overview")
    assert not page.exception
    said = html(page)
    assert "separates the models most" in said
    page.session_state["all-rates"] = True
    table = page.run().dataframe[0].value
    assert {"rate", "n", "ties", "chance"} <= set(table.columns)
    assert "Group score" in set(table["metric"])


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_overview_regroups_by_concept(visit: Visit) -> None:
    page = visit("overview", by="concept")
    page.session_state["all-rates"] = True
    assert {"attribute", "relation"} <= set(page.run().dataframe[0].value["group"])
    assert page.segmented_control(key="by").value == "concept"


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_failures_counts_follow_the_filters(visit: Visit) -> None:
    page = visit("failures", model=results.WEAK)
    everything = int(html(page).split("<b>")[1].split("</b>")[0].replace(",", ""))
    page.multiselect(key="subset").select("relation").run()
    fewer = int(html(page).split("<b>")[1].split("</b>")[0].replace(",", ""))
    assert 0 < fewer < everything
    assert page.query_params["subset"] in ("relation", ["relation"])
    assert "model" in page.query_params


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_failures_offers_a_right_and_b_wrong(visit: Visit) -> None:
    page = visit("failures", model=results.STRONG, kind="itc", show="right", other=results.WEAK, other_is="wrong")
    assert not page.exception
    assert "against weak" in html(page) or "against fake:weak" in html(page)
    assert page.selectbox(key="other").value == results.WEAK


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_shipped")
def test_failures_as_a_table_without_images(visit: Visit, flipside_cache: Path) -> None:
    results.write(flipside_cache, results.without_images(), "texts")
    page = visit("failures", model=results.WEAK, view="table")
    assert not page.exception
    assert len(page.dataframe[0].value)
    one = visit("item", item="triplet/1")
    assert not one.exception
    assert "image missing" in html(one)
    assert "<script>" not in html(one)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_filter_that_leaves_nothing_says_so(visit: Visit) -> None:
    page = visit("failures", text="zebra crossing")
    assert not page.exception
    assert "Nothing is left under these filters" in html(page)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_debias_reports_alpha_from_the_dev_half_on_the_test_half(visit: Visit) -> None:
    page = unfolded(visit("debias"), "debias-star", "debias-sure")
    assert not page.exception
    said = html(page)
    assert "α* of the dev half" in said
    assert "against prior" in said
    assert "the blind language model fake:blind" in said


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_debias_says_where_alpha_cancels(visit: Visit) -> None:
    page = visit("debias", subset="relation", metric="image_score")
    assert not page.exception
    assert "Here α cancels" in html(page)
    assert "the same text stands on both sides" in html(page)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_debias_lists_the_items_that_flip(visit: Visit) -> None:
    page = unfolded(visit("debias", alpha="0.9"), "debias-flips")
    assert not page.exception
    assert "Won" in html(page)
    assert "right at α = 0.900" in html(page)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_equivariance_sets_rates_beside_deviations(visit: Visit) -> None:
    page = unfolded(visit("equivariance", category="relation"), "equivariance-table")
    assert not page.exception
    said = html(page)
    assert "group score" in said
    assert "|v2, text side|" in said
    assert page.selectbox(key="scale").value == "raw"


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_no_page_loads_torch() -> None:
    code = (
        "import sys\nfrom tests.pages.opening import opened\n"
        f"for name in {PAGES!r}:\n"
        "    page = opened(name, 100).run()\n"
        "    assert not page.exception, name\n"
        "    assert 'torch' not in sys.modules, f'torch was imported by {name}'"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_failures_of_all_benchmarks_together(small: Path, visit: Visit) -> None:
    items = results.world(80)[:30]
    write_run(small, items, "5" * 16, ["itc"], model=results.STRONG, skill=0.0, seed=9, name="other")
    page = visit("failures", benchmark="all", model=results.STRONG, show="all", view="table")
    assert not page.exception
    table = page.dataframe[0].value
    assert set(table["benchmark"]) == {"small", "other"}
    both = {line.name: line for line in stored_chosen().values()}
    assert both["other"].runs == {results.STRONG: "5" * 16}
    assert [widget.label for widget in page.multiselect][:1] == ["Benchmarks"]
    assert "Compare with" not in [widget.label for widget in page.selectbox]
    only = visit("failures", benchmark="all", of=both["other"].hash, model=results.STRONG, show="all", view="table")
    assert set(only.dataframe[0].value["benchmark"]) == {"other"}
    gallery = visit("failures", benchmark="all", of=both["other"].hash, model=results.STRONG, show="all")
    assert not gallery.exception


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_changes_can_be_chosen_by_their_family(visit: Visit) -> None:
    page = visit("failures", show="all", view="table", perturbation="swap/*")
    assert not page.exception
    change = next(widget for widget in page.multiselect if widget.label == "Change")
    assert any(option.startswith("any swap · ") for option in change.options)
    found = page.dataframe[0].value
    assert len(found)
    assert all(any("swapped" in part for part in cell.split(" · "))
               for cell in found["perturbation"])  # fmt: skip
