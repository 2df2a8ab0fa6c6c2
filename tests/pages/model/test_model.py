"""The model page: its numbers against the store, its sentences, and what is said where there is nothing to show."""

import doctest
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from backend.metrics.core.registry import by_name
from backend.store.queries import Setting
from backend.store.scores import matrices
from pages.item import why
from pages.model import chosen, data, lines, prior, typical
from pages.shared.data import stored
from pages.shared.drawing import signs
from pages.shared.drawing.numbers import count
from pages.shared.frame import model_link
from tests.pages import results
from tests.store.writer import write_run

Visit = Callable[..., AppTest]
#: Model -> the kind that its page shows first here.
SHOWN = {results.STRONG: "itc", results.WEAK: "itc", results.SPEAKER: "gen"}


def html(page: AppTest) -> str:
    return "".join(element.proto.body for element in page.get("html"))


@pytest.mark.parametrize("module", [chosen, model_link])
def test_examples_in_the_docstrings(module: object) -> None:
    found = doctest.testmod(module)  # type: ignore[arg-type]
    assert (found.failed, found.attempted > 0) == (0, True)


@pytest.mark.long
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("by", ["subset", "perturbation"])
@pytest.mark.parametrize("model", SHOWN)
def test_every_line_is_what_the_stored_verdicts_come_to(model: str, by: str) -> None:
    benchmark = stored.chosen()["small"]
    shown = data.grid(benchmark, model, SHOWN[model], by)
    drawn = lines.of_grid(shown)
    assert len(drawn) > 4
    counted = 0
    for line in drawn:
        row, _, column = line.key.partition("\n")
        group, _, metric = column.partition("\t")
        if "recall" in line.key:
            continue
        kind = shown.kinds[row, column]
        own = stored.outcomes(benchmark.runs[model], Setting(kind))
        own = own[(own["metric"] == metric) & (own["query"] == -1) & own["correct"].notna()]
        names = own["perturbation"].str.split(matrices.JOIN)
        inside = own["subset"] == group if by == "subset" else [group in said for said in names]
        verdicts = own[inside]["correct"].astype(float)
        assert line.n == len(verdicts), line
        assert line.value == pytest.approx(verdicts.mean())
        assert line.low is not None
        assert line.high is not None
        assert line.low <= line.value <= line.high
        assert count(line.n, "item") in line.tip
        assert f"{100 * line.value:.1f} %" in line.tip or f"of {line.n}" in line.tip
        below = line.chance is not None and line.high < line.chance
        assert (line.sign == signs.DOWN) == below
        if by_name(metric).protocol == "quad":
            assert line.chance == pytest.approx(1 / 6)
        counted += 1
    assert counted > 3


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_what_the_prior_decides_is_what_verdicts_under_both_settings_come_to() -> None:
    benchmark = stored.chosen()["small"]
    moved, why_none = prior.found(benchmark, results.SPEAKER)
    source = benchmark.priors[results.SPEAKER][0]
    if why_none:
        assert "Nothing is said of its prior" in why_none
        assert moved == []
        return
    assert {each.subset for each in moved} >= {"attribute", "choice", "triplet"}
    run = benchmark.runs[results.SPEAKER]
    for each in moved:
        rates = []
        for setting in (Setting("gen"), Setting("gen", 1.0, source)):
            own = stored.outcomes(run, setting)
            own = own[(own["metric"] == each.metric) & (own["subset"] == each.subset) & own["correct"].notna()]
            rates.append(float(own["correct"].mean()))
        assert (each.of.before, each.of.after) == (pytest.approx(rates[0]), pytest.approx(rates[1]))
        assert each.of.won - each.of.lost == round(each.of.n * (rates[1] - rates[0]))
    for line, each in zip(prior.as_lines(moved), moved, strict=True):
        assert (line.before, line.value) == (each.of.before, each.of.after)
        assert f"{count(each.of.won, 'item')} won, {each.of.lost:,} lost" in line.tip


@pytest.mark.usefixtures("small")
def test_few_effective_samples_are_said_instead_of_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark = stored.chosen()["small"]
    monkeypatch.setattr(prior, "prior_samples", lambda *_: {"effective_median": 1.9})
    moved, said = prior.found.__wrapped__(benchmark, results.SPEAKER)  # type: ignore[attr-defined]
    assert moved == []
    assert "count as 1.9 (the median item; 5 are needed)" in said


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_a_typical_failure_has_the_sentence_of_its_item_and_its_reason() -> None:
    benchmark = stored.chosen()["small"]
    for model, kind in SHOWN.items():
        for one in typical.found(benchmark, model, kind):
            drawn = typical.html(benchmark, model, kind, one)
            detail = stored.item(benchmark.hash, one.item_id)
            assert why.claim(detail, model, kind) in drawn
            own = detail.outcomes[(detail.outcomes["model"] == model) & (detail.outcomes["kind"] == kind)]
            assert not own[own["metric"].isin(["group_score", "accuracy", "i2t_accuracy"])]["correct"].any()
            assert f"{one.items:,} of {one.wrong:,} failures" in drawn


@pytest.mark.usefixtures("small")
def test_the_line_of_what_is_seen_claims_no_more_than_the_intervals() -> None:
    benchmark = stored.chosen()["small"]
    strong, weak = (
        (shown, lines.of_grid(shown))
        for shown in (data.grid(benchmark, model, "itc", "subset") for model in (results.STRONG, results.WEAK))
    )
    said = lines.seen("strong", *strong)
    assert lines.rivals(strong[1])  # most of its rates lie close together
    assert said.startswith("No subset stands out as what strong does best on: the highest above chance, ")
    best = max(
        (line for line in strong[1] if line.chance is not None and line.low > line.chance),
        key=lambda line: signs.around(line.value, line.chance),
    )
    assert f"the highest above chance, {best.named} (" in said
    assert "less often than chance" in lines.seen("weak", *weak)
    assert lines.seen("nobody", strong[0], []) == ""
    (alone,) = strong[1][:1]
    assert lines.seen("m", strong[0], [alone], "winoground").startswith("m is right on ")


@pytest.mark.long
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("model", [results.STRONG, results.SPEAKER, results.BLIND])
def test_the_page_of_each_sort_of_model(visit: Visit, model: str) -> None:
    page = visit("model", model=model, benchmark="small")
    assert not page.exception
    assert page.selectbox(key="model").value == model
    assert "Its place in the Atlas" not in html(page)  # not fetched here, as a line says
    assert "Place in the Atlas.</b>" in html(page)
    assert ("What does its language prior decide?" in html(page)) == (model == results.SPEAKER)
    assert "react to the meaning" not in html(page)  # no editions here


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_another_model_kind_and_sort_of_line_are_kept_in_the_address(visit: Visit) -> None:
    page = visit("model", model=results.STRONG, benchmark="small", by="perturbation")
    assert page.session_state["by"] == "perturbation"
    page.selectbox(key="kind").set_value("itm").run()
    assert page.query_params["kind"] == ["itm"] or page.query_params["kind"] == "itm"
    page.selectbox(key="model").set_value(results.WEAK).run()
    assert not page.exception
    assert page.query_params["model"] in (results.WEAK, [results.WEAK])


@pytest.mark.usefixtures("small")
def test_an_unknown_model_and_a_benchmark_without_its_run_get_clear_sentences(visit: Visit, small: Path) -> None:
    page = visit("model", model="<script>alert(1)</script>", benchmark="small")
    assert not page.exception
    assert "is known here" in html(page)
    assert "small has runs of 4 models" in html(page)
    assert "<script>" not in html(page)
    write_run(small, results.world(60), "7" * 16, ["itc"], model="fake:other", name="elsewhere")
    stored.store().refresh()
    page = visit("model", model="fake:other", benchmark="small")
    assert not page.exception
    assert "other has no run on small" in html(page).replace("fake:other", "other")
    assert "It has runs on elsewhere" in html(page)
    page.button(key="model-go-elsewhere-fake:other").click().run()
    assert not page.exception
    assert (page.selectbox(key="model").value, page.selectbox(key="benchmark").value) == ("fake:other", "elsewhere")


@pytest.mark.usefixtures("nothing_shipped")
def test_a_taught_model_says_how_it_came_about_and_on_what_it_was_trained(visit: Visit, flipside_cache: Path) -> None:
    results.write(flipside_cache, results.world(60))
    folder = write_run(flipside_cache, results.world(60), "8" * 16, ["itc"], model="hf:/taught", name="small")
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    source = {"benchmark": "small", "hash": record["benchmark"]["hash"], "items": 40}
    record["model"]["taught"] = {"base": "fake:strong", "recipe": "svlc", "step": 300, "trained_on": [source]}
    (folder / "run.json").write_text(json.dumps(record), encoding="utf-8")
    stored.store().refresh()
    page = visit("model", model="hf:/taught", benchmark="small")
    assert not page.exception
    assert "Taught from fake:strong by the recipe svlc, 300 steps." in html(page)
    assert "was taught on 40 of its items" in html(page)


@pytest.mark.usefixtures("nothing_shipped")
def test_without_any_run_the_page_says_what_to_do(visit: Visit) -> None:
    page = visit("model", model="bundled:clip")
    assert not page.exception
    assert "Nothing has been computed yet" in html(page)


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_an_alpha_that_is_taken_along_judges_the_lines(visit: Visit) -> None:
    benchmark = stored.chosen()["small"]
    source = benchmark.priors[results.SPEAKER][0]
    judged = ((results.SPEAKER, Setting("gen", 1.0, source)),)
    drawn = lines.of_grid(data.grid(benchmark, results.SPEAKER, "gen", "subset", judged))
    own = stored.outcomes(benchmark.runs[results.SPEAKER], judged[0][1])
    for line in drawn:
        group, _, metric = line.key.partition("\n")[2].partition("\t")
        verdicts = own[(own["metric"] == metric) & (own["subset"] == group) & own["correct"].notna()]["correct"]
        if "recall" not in line.key:
            assert line.value == pytest.approx(verdicts.astype(float).mean())
    page = visit("model", model=results.SPEAKER, benchmark="small", alpha="1.0")
    assert not page.exception
    (chip,) = [link for link in page.get("page_link") if "α = 1" in link.proto.label]
    assert "debias" in chip.proto.page
    assert "Typical failures" not in html(page) or "as scored (α = 0)" in html(page)


@pytest.mark.usefixtures("small")
def test_the_best_kind_comes_first_and_text_alone_only_where_there_is_nothing_else() -> None:
    benchmark = stored.chosen()["small"]
    assert set(data.kinds(benchmark, results.STRONG)) == {"itc", "itm"}
    assert data.kinds(benchmark, results.BLIND) == benchmark.kinds[results.BLIND]
    assert np.isfinite(
        [line.value for line in lines.of_grid(data.grid(benchmark, results.STRONG, "itm", "subset"))]
    ).all()
