import pytest


def test_an_edition_of_any_size_is_written_and_imported_again(flipside, tmp_path):
    written = flipside("world", "--items", 20, "--seed", 7, "--out", tmp_path / "w", "--json").json
    assert written["n_items"] == sum(written["subsets"].values()) == 20
    found = flipside("import", "world", "--data", tmp_path / "w", "--json").json
    assert found["subsets"] == written["subsets"]
    assert (found["n_images"], found["n_images_missing"]) == (written["n_images"], 0)
    again = flipside("world", "--items", 20, "--seed", 7, "--out", tmp_path / "again", "--json").json
    assert again["content_hash"] == written["content_hash"]


def test_a_probe_differs_in_one_thing(flipside, tmp_path):
    answer = flipside("world", "--items", 3, "--out", tmp_path / "p", "--differ-only-in", "colour")
    assert answer.out.startswith("3 items with")
    assert flipside("import", "world", "--data", tmp_path / "p", "--json").json["subsets"] == {"probe_colour": 3}


@pytest.mark.long
def test_the_bundled_world_is_mixed(flipside):
    found = flipside("import", "world", "--json").json
    assert found["protocol"] == "mixed"
    assert set(found["protocols"].values()) == {"quad", "triplet", "choice", "retrieval"}
    assert found["n_items"] == sum(found["subsets"].values()) > 4000
    assert found["n_images_missing"] == 0
    assert flipside("import", "world", "--subset", "count,size", "--json").json["protocol"] == "quad"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--items", "0"], "--items 0: expected a whole number from 1 to 10,000,000."),
        (["--differ-only-in", "taste"], "unknown difference 'taste'"),
    ],
)
def test_wrong_use(flipside, tmp_path, arguments, says):
    answer = flipside("world", "--out", tmp_path / "w", *arguments)
    assert answer.code == 2
    assert says in answer.err


def test_a_folder_that_holds_something_else_is_left_alone(flipside, tmp_path):
    (tmp_path / "thesis.tex").touch()
    assert flipside("world", "--out", tmp_path).code == 2
    assert flipside("import", "world", "--data", tmp_path).code == 2
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]


def test_another_world_is_not_replaced(flipside, tmp_path):
    words = ("world", "--items", 6, "--out", tmp_path / "w")
    before = flipside(*words, "--differ-only-in", "colour", "--json").json
    for other in (("--seed", 0), ("--seed", 1, "--differ-only-in", "colour"), ("--differ-only-in", "size")):
        refused = flipside(*words, *other)
        assert refused.code == 2, other
        assert f"{tmp_path / 'w'}: holds another world (6 items, seed 0, probe_colour). Name another" in refused.err
    assert (tmp_path / "w" / "manifest.json").is_file()
    picture = next((tmp_path / "w" / "images").iterdir())
    picture.unlink()
    assert flipside(*words, "--differ-only-in", "colour", "--json").json == before
    assert picture.is_file(), "the same world is written again"


def test_an_unfinished_one_goes_on_for_the_same_words_alone(flipside, tmp_path):
    words = ("world", "--items", 6, "--out", tmp_path / "w")
    assert flipside(*words).code == 0
    (tmp_path / "w" / "manifest.json").unlink()
    (tmp_path / "w" / ".unfinished").write_text('{"items": 6, "differ_only_in": "colour", "seed": 0}')
    refused = flipside(*words)
    assert refused.code == 2
    assert "holds an unfinished world of something else (items 6, differ_only_in colour, seed 0)" in refused.err
    assert flipside(*words, "--differ-only-in", "colour").code == 0
