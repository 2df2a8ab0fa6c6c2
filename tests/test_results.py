"""The researcher's door, and the recipes that go through it."""

import contextlib
import io
import json
import re
from pathlib import Path

import pytest

import backend.results
from backend.engine.runner import run
from backend.errors import FlipsideError
from tests.store import writer

pytestmark = pytest.mark.long

RECIPES = sorted((Path(__file__).parent.parent / "docs" / "recipes").glob("*.md"))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The fake family on a small edition of the world, through the engine."""
    with pytest.MonkeyPatch.context() as patch:
        root = tmp_path_factory.mktemp("results")
        patch.setenv("FLIPSIDE_CACHE", str(root / "cache"))
        patch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: root / "nothing")
        from backend.world import benchmark, edition

        edition.write(root / "world", benchmark.make(160, 3), 3)
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


@pytest.mark.slow
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


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """A whole run, and after it everything that must not be taken for one: a subset, the first items, a sample, picked
    items, all with fewer kinds and priors, and the run of a perturbed edition."""
    root = tmp_path_factory.mktemp("crowded")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: root / "nothing")
        items = writer.items(6)
        none = {"split": None, "subset": None, "limit": None, "sample": None, "seed": 0}
        some = [
            none | {"subset": "choice"},
            none | {"limit": 5},
            none | {"sample": 5},
            none | {"items": {"n": 2, "sha256": "0" * 16}},
        ]
        for number, (model, kinds) in enumerate(
            [("fake:ok", ["itc", "gen", "prior@noise:3", "prior@images:2"]), ("fake:other", ["itc"])]
        ):
            for k, selection in enumerate([none, *some]):
                writer.write_run(
                    root, items, f"{number}{k}00000000000000", kinds if k == 0 else ["gen", "prior@noise:3"],
                    model=model, seed=number, selection=selection, updated=f"2026-01-0{k + 1}T00:00:00+00:00",
                )  # fmt: skip
        for number in range(3):
            writer.write_run(
                root, items[1:], f"e{number}00000000000000", ["itc", "gen", "prior@noise:3"],
                model=f"fake:ok/{number}", name="toy~typo", updated="2026-02-01T00:00:00+00:00",
            )  # fmt: skip
        for head in root.glob("benchmarks/*/benchmark.json"):
            known = json.loads(head.read_text())
            about = {
                "parent": {"name": "toy", "hash": "f" * 64},
                "perturbation": {"name": "typo", "effect": "preserving"},
            }
            head.write_text(json.dumps(known | ({"about": about} if known["name"] == "toy~typo" else {})))
        patch.setenv("FLIPSIDE_CACHE", str(root))
        yield backend.results.open()


@pytest.mark.slow
@pytest.mark.usefixtures("shipped_imported")
def test_a_run_of_a_part_is_not_whole(crowded):
    runs = crowded.runs().set_index("run_id")
    assert sorted(runs.index[runs["whole"] & (runs["edition_of"] == "")]) == ["0000000000000000", "1000000000000000"]
    assert set(runs["edition_of"]) == {"", "f" * 16}


def test_frames_take_whole_runs_and_a_subset_s_run_for_that_subset_alone(crowded):
    everything = crowded.outcomes({"kind": "gen"}, benchmark="toy")
    assert set(everything["run_id"]) == {"0000000000000000"}  # fake:other has gen of parts only
    of_choice = crowded.outcomes({"kind": "gen"}, benchmark="toy", subset="choice")
    assert set(of_choice["run_id"]) == {"0100000000000000", "1100000000000000"}
    assert set(crowded.outcomes({"kind": "gen"}, benchmark="toy", subset="choice,triplet")["model"]) == {"fake:ok"}
    limited = crowded.rates("fake:other", "toy", kind="gen", run="1200000000000000")
    assert len(limited)
    with pytest.raises(FlipsideError, match="No complete run of fake:other covers kind gen"):
        crowded.rates("fake:other", "toy", kind="gen")


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_recipes_take_no_part_and_no_edition_for_the_whole(recipe, crowded, monkeypatch):
    said = play(recipe, crowded, monkeypatch)
    assert "typo" not in said
    expected = {
        "which-pairs-fail": "fake:other on toy as itc",
        "how-much-is-prior": "fake:ok on toy has the priors images:2, noise:3",
        "compare-two-models": "fake:ok against fake:other",
    }
    assert expected[recipe.stem] in said


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_recipes_say_what_is_missing(recipe, flipside_cache, monkeypatch):
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: flipside_cache / "nothing")
    writer.write_run(flipside_cache, writer.items(3), "a" * 16, ["t2t"], selection={"limit": 5})
    with pytest.raises(SystemExit, match="yet"):
        play(recipe, backend.results.open(), monkeypatch)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_recipes_run(recipe, results, monkeypatch):
    assert play(recipe, results, monkeypatch)


def play(recipe, results, monkeypatch):
    """What a recipe prints on these results."""
    monkeypatch.setattr(backend.results, "open", lambda: results)
    code = re.findall(r"^```python\n(.*?)^```", recipe.read_text(encoding="utf-8"), flags=re.M | re.S)
    assert code
    space: dict = {"__name__": recipe.stem}
    with contextlib.redirect_stdout(io.StringIO()) as said:
        for block in code:
            exec(compile(block, str(recipe), "exec"), space)  # noqa: S102
    return said.getvalue()


def test_there_are_three_recipes():
    assert len(RECIPES) == 3
