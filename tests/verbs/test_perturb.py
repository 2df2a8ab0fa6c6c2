"""`flipside perturb` and what comes after it, as a researcher goes."""

import json

import pytest

from backend.benchmarks.items_folder.folder import own_names
from backend.perturb import get, names


def test_without_a_benchmark_it_lists_what_there_is(flipside):
    found = flipside("perturb", "--json").json["perturbations"]
    assert [entry["name"] for entry in found] == names()
    assert {entry["effect"] for entry in found} == {"meaning-preserving", "meaning-changing"}
    assert "character_swap" in flipside("perturb").out


@pytest.mark.slow
def test_an_edition_is_a_benchmark_like_any_other(flipside, tmp_path):
    made = flipside("perturb", "--benchmark", "world", "--subset", "choice", "--limit", 12, "--kinds",
                    "character_swap,swap_attributes", "--json")  # fmt: skip
    assert made.code == 0, made.err
    document = made.json
    assert (document["benchmark"], document["n_items"]) == ("world", 12)
    typo = document["editions"][0]
    assert (typo["name"], typo["n_items"], typo["as"]) == ("world~character_swap", 12, "replace")
    assert typo["coverage"]["items"] == 12
    imported = flipside("import", "world~character_swap", "--json").json
    assert (imported["n_items"], imported["hash"]) == (12, typo["hash"])
    assert imported["n_images_missing"] == 0
    run = flipside("run", "--model", "fake:ok", "--benchmark", "world~character_swap", "--kinds", "itc", "--json")
    assert run.code == 0, run.err
    report = flipside("report", "--model", "fake:ok", "--benchmark", "world~character_swap", "--json")
    assert report.code == 0, report.err
    assert report.json["metrics"]["accuracy"]["n"] == 12
    rows = flipside("export", "--model", "fake:ok", "--benchmark", "world~character_swap", "--what", "items",
                    "--format", "jsonl", "--out", tmp_path / "items.jsonl")  # fmt: skip
    assert rows.code == 0, rows.err
    first = json.loads((tmp_path / "items.jsonl").read_text().splitlines()[0])
    assert "origin" in str(first["tags"])


@pytest.mark.long
def test_seeds_make_editions_and_a_pattern_runs_them_all(flipside):
    made = flipside("perturb", "--benchmark", "world", "--subset", "triplet", "--limit", 5, "--kinds", "nearby_key",
                    "--seeds", 3, "--seed", 4, "--json").json  # fmt: skip
    expected = [f"world~nearby_key@{seed}" for seed in (4, 5, 6)]
    assert [each["name"] for each in made["editions"]] == expected == own_names()
    done = flipside("run", "--model", "fake:ok", "--benchmark", "world~near*", "--kinds", "itc", "--json")
    assert done.code == 0, done.err
    assert [each["benchmark"] for each in done.json["runs"]] == expected
    none = flipside("run", "--model", "fake:ok", "--benchmark", "visla~*", "--kinds", "itc")
    assert none.code == 2
    assert "no kept benchmark" in none.err


@pytest.mark.slow
def test_out_writes_elsewhere(flipside, tmp_path):
    out = tmp_path / "editions"
    assert flipside("perturb", "--benchmark", "world", "--limit", 3, "--kinds", "nearby_key", "--out", out).code == 0
    assert own_names() == []
    folder = out / "world~nearby_key"
    assert sorted(path.name for path in folder.iterdir()) == ["benchmark.json", "items.jsonl"]
    assert flipside("import", "world~nearby_key", "--data", folder, "--json").json["n_items"] == 3
    assert flipside("perturb", "--benchmark", "world", "--limit", 3, "--kinds", "distraction", "--out", out).code == 0
    both = flipside("import", "custom", "--data", out)
    assert both.code == 2
    assert "holds 2 kept benchmarks (world~distraction, world~nearby_key). Give one of these folders" in both.err
    pattern = flipside("run", "--model", "fake:ok", "--benchmark", "world~*", "--data", out, "--kinds", "itc")
    assert (pattern.code, "leave --data out" in pattern.err) == (2, True)


def test_a_kind_that_applies_nowhere_fails_and_leaves_nothing(flipside):
    done = flipside("perturb", "--benchmark", "world", "--subset", "count", "--limit", 3, "--kinds",
                    "nearby_key,negative_material", "--json")  # fmt: skip
    assert done.code == 1
    assert "applies to none of 3 items" in done.err
    assert [each["failed"] is None for each in done.json["editions"]] == [True, False]
    assert own_names() == ["world~nearby_key"]


@pytest.mark.slow
def test_another_edition_of_the_same_name_replaces_the_first_and_says_so(flipside, flipside_cache):
    words = ("perturb", "--benchmark", "world", "--kinds", "nearby_key", "--limit")
    assert "replaces" not in flipside(*words, 3).err
    assert "replaces" not in flipside(*words, 3).err
    assert "world~nearby_key replaces another edition" in flipside(*words, 4).err
    assert flipside("import", "world~nearby_key", "--json").json["n_items"] == 4
    (flipside_cache / "own" / "world~nearby_key" / "benchmark.json").write_text("{")
    damaged = flipside("import", "world~nearby_key")
    assert damaged.code == 1
    assert "benchmark.json" in damaged.err
    assert flipside(*words, 2).code == 0
    assert flipside("import", "world~nearby_key", "--json").json["n_items"] == 2


def test_groups_of_kinds(flipside):
    done = flipside("perturb", "--benchmark", "world", "--limit", 2, "--kinds", "typo", "--json").json
    assert [each["kind"] for each in done["editions"]] == [n for n in names() if get(n).family == "typo"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--kinds", "charcter_swap"], "Did you mean character_swap"),
        (["--kinds", ""], "name at least one"),
        (["--kinds", "nearby_key", "--seeds", 0], "--seeds 0"),
        (["--kinds", "nearby_key", "--texts", "none"], "--texts none"),
        (["--kinds", "nearby_key", "--as", "foils"], "keeps the meaning"),
        (["--kinds", "nearby_key", "--as", "x"], "--as x"),
        (["--kinds", "nearby_key", "--subset", "chioce"], "Did you mean choice"),
    ],
)
def test_wrong_use(flipside, options, said):
    done = flipside("perturb", "--benchmark", "world", *options)
    assert done.code == 2
    assert said in done.err
    assert own_names() == []


def test_a_name_that_is_not_there_says_how_to_make_it(flipside):
    done = flipside("import", "world~nearby_key@3")
    assert done.code == 2
    assert "flipside perturb --benchmark world --kinds nearby_key" in done.err
    assert flipside("import", "a/b~c").code == 2
