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
