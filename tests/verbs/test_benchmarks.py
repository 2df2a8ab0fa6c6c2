from backend.benchmarks import names


def test_files_that_each_needs(flipside):
    found = {each["name"]: each for each in flipside("benchmarks", "--json").json["benchmarks"]}
    assert list(found) == names()
    assert found["visla"]["files"] == {"generic": "Generic_VISLA.tsv", "spatial": "Spatial_VISLA.tsv"}
    assert found["visla"]["expected"] == {"generic": 973, "spatial": 640}
    assert not found["world"]["needs_data"]


def test_the_table_names_them_all(flipside):
    out = flipside("benchmarks").out
    for name in names():
        assert f"\n{name} " in out


def test_what_is_kept_is_listed_and_a_damaged_one_hides_nothing(flipside, flipside_cache):
    assert flipside("benchmarks", "--json").json["kept"] == []
    made = flipside("perturb", "--benchmark", "world", "--limit", 3, "--kinds", "nearby_key,missing_character")
    assert made.code == 0, made.err
    (flipside_cache / "own" / "world~missing_character" / "benchmark.json").write_text("{")
    (kept,) = flipside("benchmarks", "--json").json["kept"]
    assert (kept["name"], kept["n_items"], kept["parent"]["name"]) == ("world~nearby_key", 3, "world")
    assert kept["perturbation"]["effect"] == "meaning-preserving"
    assert "world~nearby_key" in flipside("benchmarks").out
