"""Where one verdict stands for both paraphrases of a triplet, every place that gives a rate of one of them says "at
least"."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import backend.results
from backend.store.build.reader import open_store
from backend.store.queries import Setting
from pages.embeddings import data as map_data
from pages.overview import facts
from pages.shared.data import stored
from pages.static_site import charts
from pages.static_site.tables import Side

P1_N = "i2t_p1_n_accuracy"


def html(page: AppTest) -> str:
    return "".join(element.proto.body for element in page.get("html"))


@pytest.fixture
def one_verdict(flipside: Callable[..., Any], nothing_shipped: None, flipside_cache: Path, tmp_path: Path) -> str:
    """A system that is right on 12 of 40 triplets, asked of both paraphrases at once; the name of the benchmark."""
    own, verdicts = tmp_path / "tri.csv", tmp_path / "v.csv"
    rows = "".join(f"{k},{k}.png,a{k},b{k},c{k}\n" for k in range(40))
    own.write_text(f"id,image,caption,paraphrase,negative\n{rows}")
    verdicts.write_text("item_id,correct\n" + "".join(f"{k},{'true' if k < 12 else 'false'}\n" for k in range(40)))
    flipside("add-predictions", verdicts, "--as", "verd", "--benchmark", "custom", "--data", own)
    return "custom:tri"


@pytest.mark.slow
def test_rates_of_one_paraphrase_are_marked_in_frames_tables_and_files(one_verdict: str) -> None:
    found = backend.results.open().rates("predictions:verd", one_verdict).set_index("metric")["lower_bound"]
    assert found.to_dict() == {"i2t_accuracy": False, P1_N: True, "i2t_p2_n_accuracy": True}
    benchmark = stored.chosen()[one_verdict]
    listed = facts.as_table(stored.rates(benchmark, "subset")).set_index("metric")
    assert list(listed)[-2:] == ["lower bound", "of items"]
    assert listed["lower bound"].to_dict() == {"i2t_accuracy": "", P1_N: "yes", "i2t_p2_n_accuracy": "yes"}
    store = open_store(follow=False)
    side = Side("predictions:verd", "verdict", benchmark.runs["predictions:verd"], "verd")
    site = charts.clustered(store, [side], {"i2t_accuracy": "triplet", P1_N: "triplet"})[side.key]
    assert site["i2t_accuracy"][""][4] == ""
    assert site[P1_N][""][4].startswith("every triplet has one verdict for both paraphrases")


@pytest.mark.slow
def test_the_table_of_every_number_and_failures_say_at_least_and_at_most(
    one_verdict: str, visit: Callable[..., AppTest]
) -> None:
    def every_number(name: str) -> None:
        from pages.overview import facts
        from pages.shared.data import stored

        facts.table(stored.rates(stored.chosen()[name], "subset"), "rates.csv")

    table = AppTest.from_function(every_number, kwargs={"name": one_verdict}, default_timeout=60).run()
    shown = table.dataframe[0].value
    assert shown["≥"].tolist() == ["", "≥", "≥"]
    assert list(shown).index("≥") == list(shown).index("rate") - 1
    assert "of verd): a lower bound, not to be set against chance or another model" in table.caption[0].value
    asked = {"benchmark": one_verdict, "model": "predictions:verd", "kind": "verdict", "metric": P1_N}
    page = visit("failures", **asked)
    assert not page.exception
    said = html(page)
    assert "at most <b>28</b> of 40 verdicts (metric: P1-N" in said
    assert "fail (≤ 70.0 %)" in said
    assert "Bounds, not to be set against chance or another model: every triplet has one verdict" in said
    right = html(visit("failures", **asked, show="right"))
    assert "at least <b>12</b> of 40 verdicts" in right
    assert "are right (≥ 30.0 %)" in right
    assert "at least 12 right and at most 28 wrong" in html(visit("failures", **asked, show="all"))
    both = html(visit("failures", **(asked | {"metric": "i2t_accuracy"})))
    assert "at most" not in both
    assert "<b>28</b> of 40 verdicts" in both


@pytest.mark.slow
def test_a_map_is_judged_by_no_bound(one_verdict: str) -> None:
    benchmark = stored.chosen()[one_verdict]

    class Points:
        frame = pd.DataFrame({"subset": list(benchmark.subsets)})

    run = benchmark.runs["predictions:verd"]
    assert map_data.metrics(Points, run, Setting("verdict")) == ["i2t_accuracy"]  # type: ignore[arg-type]
