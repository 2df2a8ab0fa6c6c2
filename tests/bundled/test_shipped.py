"""What ships: sizes, that recomputing gives the same scores, and that the models differ as docs/models.md says."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.engine.inputs.selection import Selection
from backend.engine.storage import shards
from backend.models import packed
from backend.paths import BUNDLED, bundled_models_dir, bundled_runs_dir, bundled_taught_dir
from backend.verbs.checking import checks
from backend.verbs.checking import results as checks_results

MODELS = ("clip-bag", "clip-young", "clip", "clip-relational", "captioner", "matcher", "sentence", "lm")
#: With a weakness planted, and without results.
PLANTED = ("clip-no-pink-heart", "captioner-blind")
#: Taught, with results that are taken over on request.
TAUGHT = ("clip-plain", "clip-eqsim", "clip-svlc")
KEYS = ["item_no", "image_index", "text_index", "text_index_b", "sample"]


def run_dir(model: str) -> Path:
    """The shipped run of a bundled model."""
    found = [
        folder
        for folder in shards.run_dirs(bundled_taught_dir() if model in TAUGHT else bundled_runs_dir())
        if json.loads((folder / "run.json").read_text())["model"]["spec"] == f"bundled:{model}"
    ]
    assert len(found) == 1, f"{model}: {len(found)} shipped runs, expected one"
    return found[0]


def files_below(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def test_sizes_stay_within_what_a_clone_may_weigh() -> None:
    assert sum(path.stat().st_size for path in files_below(bundled_models_dir())) < 8e6
    assert sum(path.stat().st_size for path in files_below(bundled_runs_dir())) < 8e6


def test_every_recipe_is_of_a_model_that_ships_and_the_other_way_round() -> None:
    from backend.bundled.train.recipes import MODELS as TRAINED

    assert {path.name for path in bundled_models_dir().iterdir() if path.is_dir()} == set(TRAINED)
    assert set(TRAINED) == {*MODELS, *PLANTED, *TAUGHT}
    assert set(checks.BUNDLED) == set(TRAINED)


@pytest.mark.parametrize("model", TAUGHT)
def test_a_taught_model_ships_as_a_small_adapter_of_its_base(model: str) -> None:
    tensors, base = packed.read(bundled_models_dir() / model / packed.FILE)
    assert base == "clip"
    assert all(name.endswith((packed.OUT, packed.IN)) for name in tensors)
    assert sum(path.stat().st_size for path in files_below(bundled_models_dir() / model)) < 0.5e6
    record = json.loads((run_dir(model) / shards.RECORD).read_text())
    assert record["model"]["taught"]["base"] == "bundled:clip"
    assert record["model"]["taught"]["step"] == 300


@pytest.mark.parametrize("model", [*MODELS, *TAUGHT])
def test_every_model_ships_with_a_card_and_whole_results(model: str) -> None:
    folder = bundled_models_dir() / model
    card = json.loads((folder / "card.json").read_text())
    assert card["name"] == model
    assert 0 < card["steps"] <= sum(stage["steps"] for stage in card["stages"])
    assert shards.verify(run_dir(model)) == []
    parts = shards.read_manifest(run_dir(model))["parts"]
    assert parts
    assert all(part["complete"] for part in parts.values())


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("model", "kinds"),
    [
        ("clip", ["itc", "t2t"]),
        ("clip-relational", ["itc"]),
        ("captioner", ["gen", "prior"]),
        ("matcher", ["itc", "itm", "t2t"]),
        ("sentence", ["t2t"]),
        ("lm", ["prior"]),
        ("clip-svlc", ["itc"]),
    ],
)
def test_recomputing_gives_the_shipped_scores(model: str, kinds: list[str], tmp_path: Path) -> None:
    """A sample of items, scored again here with the shipped seed (of the noise images), to 1e-4; retrieval's cosines
    follow from float16 embeddings."""
    from backend.engine.runner import run

    priors = ["noise:3"] if model == "captioner" else []
    fresh = run(
        f"bundled:{model}", "world", kinds, priors=priors, selection=Selection(sample=60, seed=0), root=tmp_path,
        device="cpu", dtype="float32", reuse=False,
    )  # fmt: skip
    assert fresh.exit_code == 0
    shipped = run_dir(model)
    there = shards.read_manifest(shipped)["parts"]
    compared = 0
    for part in shards.read_manifest(fresh.run_dir)["parts"]:
        if part.startswith("tokens:"):
            continue
        if part not in there:
            # Vectors of quads, choices and triplets do not ship, nor those of taught models' pools.
            assert part.startswith("vectors:") or (model in TAUGHT and part.startswith("embeddings:"))
            continue
        new, old = (shards.read_part(folder, part).to_pandas() for folder in (fresh.run_dir, shipped))
        if part.startswith("embeddings:"):
            both = new.merge(old, on=["item_no", "index"], suffixes=("", "_old"))
            a, b = (np.stack(list(both[column])).astype(np.float64) for column in ("vector", "vector_old"))
            assert np.abs(a @ a.T - b @ b.T).max() < 1e-4
        else:
            both = new.merge(old, on=KEYS, suffixes=("", "_old"))
            # A sample's retrieval items form a smaller pool, so only cells that both have can be compared.
            assert np.abs(both["value"] - both["value_old"]).max() < 1e-4, part
            assert (both["n_tokens"] == both["n_tokens_old"]).all()
        assert len(both) > 0, part
        compared += len(both)
    assert compared > 20


@pytest.fixture(scope="module")
def rates(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """(model, kind, metric, subset) -> value, from the shipped results alone."""
    from backend.store import queries
    from backend.store.build.reader import open_store

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(tmp_path_factory.mktemp("shipped")))
        store = open_store(follow=False, wait=True)
        runs = {row.model.removeprefix("bundled:"): row.run_id for row in queries.runs(store).itertuples()}

        def value(model: str, kind: str, metric: str, group: str, by: str = "subset", alpha: float = 0.0) -> float:
            setting = queries.Setting(kind, alpha, "lm:bundled:lm" if alpha else None)
            found = queries.rates(store, runs[model], setting, by)
            return float(found[(found["metric"] == metric) & (found["group"] == group)]["value"].iloc[0])

        yield value
        store.close()


@pytest.mark.slow
def test_the_models_fail_differently(rates: Any) -> None:
    assert rates("clip", "itc", "group_score", "relation") < 0.05
    assert rates("clip", "itc", "group_score", "attribute") > 0.5 < rates("clip", "itc", "group_score", "size") - 0.2
    assert rates("clip-relational", "itc", "group_score", "relation") > 0.88
    ladder = [rates(model, "itc", "group_score", "size") for model in ("clip-bag", "clip-young")]
    assert ladder[1] > ladder[0] + 0.1
    assert rates("captioner", "gen", "group_score", "attribute") > 0.6
    assert rates("captioner", "gen", "group_score", "relation") < 0.01


@pytest.mark.slow
def test_alpha_wins_against_the_prior_and_loses_with_it(rates: Any) -> None:
    """Under the blind model's prior: with likelier foils accuracy rises with alpha, with implausible ones it falls."""
    by = "perturbation"
    likelier, implausible = (
        [rates("captioner", "gen", "accuracy", stratum, by, alpha) for alpha in (0.0, 1.0)]
        for stratum in ("against_prior", "implausible")
    )
    assert likelier[1] > likelier[0] + 0.05
    assert implausible[1] < implausible[0] - 0.02
    assert (
        rates("lm", "prior", "accuracy", "against_prior", by)
        < 0.25
        < rates("lm", "prior", "accuracy", "implausible", by)
    )


def test_the_list_of_what_ships_is_that_of_this_version():
    """`doctor` compares with it. `python -m backend.verbs.checking.results` makes it anew."""
    listed = dict(reversed(line.split()) for line in (BUNDLED / checks_results.LISTED).read_text().splitlines())
    assert listed == checks_results.digests(BUNDLED)


def test_an_altered_file_of_what_ships_is_noticed(tmp_path, monkeypatch):
    shutil.copytree(BUNDLED / "results", tmp_path / "results")
    for name in ("editions", "taught"):
        shutil.copytree(BUNDLED / name, tmp_path / name)
    shutil.copyfile(BUNDLED / checks_results.LISTED, tmp_path / checks_results.LISTED)
    monkeypatch.setattr("backend.paths.BUNDLED", tmp_path)
    assert checks_results.shipped_results().status == "ok"
    record = next((tmp_path / "results" / "runs").glob("*/run.json"))
    record.write_text(record.read_text().replace("bundled:", "bundled:my-"))
    found = checks_results.shipped_results()
    assert (found.status, record.parent.name in found.detail) == ("failed", True)
