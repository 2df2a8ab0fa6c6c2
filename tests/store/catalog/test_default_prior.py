"""Which prior is taken where none is named: one rule for every output, and every output says which it was."""

import duckdb
import pandas as pd
import pytest

import backend.results
from backend.store.build.stored_run import rank
from tests.store import writer

ARGS = ("--model", "fake:speaker", "--benchmark", "toy")
BLIND = "fake:blind"


@pytest.fixture
def stored(flipside_cache, monkeypatch):
    """A captioner with priors whose names sort the wrong way round, and no others."""
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: flipside_cache / "nothing")
    items = writer.items(4)
    writer.write_run(
        flipside_cache, items, "aaaa000011112222", ["gen", "prior@images:1", "prior@images:20", "prior@noise:5"],
        model="fake:speaker",
    )  # fmt: skip
    return flipside_cache, items


@pytest.fixture
def blind(stored):
    root, items = stored
    writer.write_run(root, items, "bbbb000011112222", ["prior@self"], model=BLIND)
    return root


@pytest.mark.long
@pytest.mark.usefixtures("stored")
def test_more_samples_go_before_fewer_and_images_before_noise(flipside):
    answer = flipside("report", *ARGS, "--alpha", "0.5", "--json")
    assert answer.json["setting"]["prior"] == "images:20"
    assert answer.json["priors"] == ["images:20", "images:1", "noise:5"]
    assert "Prior images:20" in answer.err
    assert "--prior takes images:1, noise:5 instead" in answer.err


@pytest.mark.slow
@pytest.mark.usefixtures("blind")
def test_a_blind_model_that_has_scored_the_benchmark_goes_first_everywhere(flipside):
    """report, its sections, frames and curves agree; a source that was named is taken and named."""
    found = flipside("report", *ARGS, "--alpha", "0.5", "--json").json
    assert found["setting"]["prior"] == f"lm:{BLIND}"
    assert {line["prior"] for line in found["alpha_star"].values()} == {f"lm:{BLIND}"}
    assert found["monte_carlo"]["prior"] == f"lm:{BLIND}"
    results = backend.results.open()
    mine = results.outcomes({"kind": "gen", "alpha": 0.5}, model="fake:speaker", benchmark="toy")
    named = results.outcomes(
        {"kind": "gen", "alpha": 0.5, "prior": f"lm:{BLIND}"}, model="fake:speaker", benchmark="toy"
    )
    pd.testing.assert_frame_equal(mine, named)
    assert results.runs().set_index("model")["priors"]["fake:speaker"][0] == f"lm:{BLIND}"
    other = flipside("report", *ARGS, "--alpha", "0.5", "--prior", "noise:5", "--json").json
    assert other["setting"]["prior"] == "noise:5"


@pytest.mark.long
@pytest.mark.usefixtures("blind")
def test_a_blind_model_is_judged_by_itself(flipside):
    found = flipside("report", "--model", BLIND, "--benchmark", "toy", "--json").json
    assert found["setting"]["prior"] == "self"


@pytest.mark.slow
@pytest.mark.usefixtures("stored")
def test_at_alpha_0_the_prior_of_the_sections_is_named_too(flipside):
    answer = flipside("report", *ARGS)
    first = answer.out.splitlines()[0]
    assert "prior images:20" in first
    assert "other priors here: images:1, noise:5" in first
    refused = flipside("report", *ARGS, "--prior", "noise:7")
    assert refused.code == 2
    assert "no prior 'noise:7'; it has images:20, images:1, noise:5" in refused.err


@pytest.mark.long
@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("asked", [None, "noise:5"])
def test_an_export_of_scores_says_its_prior_each_time(flipside, tmp_path, asked):
    out = tmp_path / "scores.parquet"
    option = ("--prior", asked) if asked else ()
    answer = flipside("export", *ARGS, "--what", "scores", "--format", "parquet", "--out", out, *option)
    taken = asked or "images:20"
    assert f"Rows of kind prior are log P(t) from {taken}" in answer.err
    table = duckdb.sql(f"SELECT * FROM '{out}'").df()
    assert list(table)[:2] == ["item_id", "kind"]
    assert table.loc[table["kind"] == "prior", "sample"].nunique() == int(taken.rpartition(":")[2])
    about = dict(duckdb.sql(f"SELECT key, value FROM parquet_kv_metadata('{out}')").fetchall())
    assert about[b"flipside.prior"].decode() == taken
    assert about[b"flipside.run"] == b"aaaa000011112222"


@pytest.mark.long
@pytest.mark.usefixtures("stored")
def test_an_export_of_outcomes_says_its_setting_each_time(flipside, tmp_path):
    out = tmp_path / "o'clock.parquet"
    answer = flipside("export", *ARGS, "--what", "outcomes", "--format", "parquet", "--alpha", "1", "--out", out)
    assert "gen, α = 1, prior images:20, norm token" in answer.err
    about = duckdb.sql(f"SELECT value FROM parquet_kv_metadata({neutral_path(out)}) WHERE key = 'flipside.setting'")
    assert about.fetchall()[0][0].decode() == "gen, α = 1, prior images:20, norm token"
    answer = flipside("export", *ARGS, "--what", "outcomes", "--out", tmp_path / "all.csv")
    assert "Every kind at its default: gen, α = 0, norm token." in answer.err


def neutral_path(path):
    """The path as SQL writes it."""
    return "'" + str(path).replace("'", "''") + "'"


def test_the_order_of_sources():
    names = ["noise:3", "noise:5", "images:4", "images:20", "predicted", "lm:hf:x", "lm:bundled:lm", "self"]
    assert sorted(names, key=rank) == [
        "self", "lm:bundled:lm", "lm:hf:x", "images:20", "images:4", "predicted", "noise:5", "noise:3",
    ]  # fmt: skip
    assert rank("lm:hf:x", own=True) < rank("lm:bundled:lm", own=False)
