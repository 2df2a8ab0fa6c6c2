"""The researcher's door, and the recipes that go through it."""

import contextlib
import io
import re
from pathlib import Path

import pytest

import backend.results
from backend.engine.runner import run

RECIPES = sorted((Path(__file__).parent.parent / "docs" / "recipes").glob("*.md"))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The fake family on a small edition of the world, through the engine."""
    with pytest.MonkeyPatch.context() as patch:
        root = tmp_path_factory.mktemp("results")
        patch.setenv("FLIPSIDE_CACHE", str(root / "cache"))
        patch.setattr("backend.store.sources.bundled_runs_dir", lambda: root / "nothing")
        from backend.world import benchmark

        benchmark.write(root / "world", 160, 3)
        kinds = ["itc", "gen", "prior", "t2t"]
        run("fake:ok", "world", kinds, data_dir=root / "world", priors=["noise:2", "images:4"])
        run("fake:constant", "world", ["itc", "t2t"], data_dir=root / "world")
        yield backend.results.open()


@pytest.mark.slow
def test_everything_is_a_frame(results):
    runs = results.runs().set_index("model")
    assert runs["kinds"]["fake:ok"] == ["itc", "gen", "t2t"]
    assert runs["complete"].all()
    assert results.benchmarks()["n_items"].tolist() == [160]
    assert len(results.items("fake:ok", "world")) == 160
    gen = results.scores("fake:ok", "world", "gen", subset="choice")
    assert set(gen["part"]) == {"gen"}
    assert (gen["value"] < 0).all()
    assert set(results.scores("fake:ok", "world", "prior")["part"]) == {"prior@noise:2", "prior@images:4"}
    assert results.sql("SELECT count(*) AS n FROM runs")["n"].tolist() == [2]


def test_outcomes_under_any_setting(results):
    default = results.outcomes(benchmark="world")
    assert set(default["model"]) == {"fake:ok", "fake:constant"}
    assert set(default["kind"]) == {"itc"}
    t2t = results.outcomes({"kind": "t2t"}, model="fake:ok", benchmark="world")
    assert set(t2t["metric"]) == {"t2t_accuracy", "p1_n_accuracy", "p2_n_accuracy"}
    debiased = results.outcomes({"kind": "gen", "alpha": 0.7, "prior": "images:4"}, subset="choice")
    assert set(debiased["alpha"]) == {0.7}
    assert set(debiased["model"]) == {"fake:ok"}
    rates = results.rates("fake:ok", "world", by="subset", kind="gen")
    assert {"group_score", "accuracy", "i2t_recall_at_1"} <= set(rates["metric"])
    with pytest.raises(TypeError, match="not temperature"):
        results.outcomes({"temperature": 1})


def test_a_constant_model_ties_and_fails(results):
    rates = results.rates("fake:constant", "world").set_index("metric")
    assert rates["value"]["group_score"] == 0
    assert rates["ties"]["group_score"] == rates["n"]["group_score"]
    # A pool's cosines come from embeddings: all candidates tie there too.
    assert rates["value"]["i2t_recall_at_1"] == 0


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_recipes_run(recipe, results, monkeypatch):
    monkeypatch.setattr(backend.results, "open", lambda: results)
    code = re.findall(r"^```python\n(.*?)^```", recipe.read_text(encoding="utf-8"), flags=re.M | re.S)
    assert code
    space: dict = {"__name__": recipe.stem}
    with contextlib.redirect_stdout(io.StringIO()) as said:
        for block in code:
            exec(compile(block, str(recipe), "exec"), space)  # noqa: S102
    assert said.getvalue()


def test_there_are_three_recipes():
    assert len(RECIPES) == 3
