import json

import numpy as np
import pytest

from backend.benchmarks import crepe, load_benchmark
from backend.benchmarks.base import Judged
from backend.benchmarks.reading.literals import LONGEST, MOST, list_literal
from backend.benchmarks.reading.malformed import Malformed
from backend.errors import FlipsideError, UsageError
from backend.images import open_image
from tests.benchmarks.samples import crepe as sample


@pytest.fixture
def folder(tmp_path):
    sample.write(tmp_path)
    return tmp_path


def test_each_kind_of_hard_negatives_is_a_subset_of_its_own(folder):
    items = list(load_benchmark("crepe", folder))
    assert [item.item_id for item in items] == [
        "systematicity/seen_compounds/cc12m/atom/1",
        "systematicity/seen_compounds/cc12m/comp/1",
        "systematicity/seen_compounds/cc12m/combined/1",
        "systematicity/seen_compounds/cc12m/atom/2",
        "systematicity/seen_compounds/cc12m/combined/2",
        "systematicity/seen_compounds/laion/atom/1",
        "systematicity/seen_compounds/laion/comp/1",
        "systematicity/seen_compounds/laion/combined/1",
        "productivity/atom/complexity_4/1",
        "productivity/atom/complexity_4/3",
        "productivity/negate/complexity_12/1",
    ]
    assert items[0].texts == ("a cup and a plate on a table", "a cup and a fork on a table", "a cook's cup and a plate")
    assert items[1].texts[1] == 'a "red" mall and a blue cup'
    assert items[0].texts == items[5].texts
    assert len(items[9].texts) == 13
    assert items[10].tags["perturbation"] == ("negate",)
    assert items[10].tags["original"] == ("productivity", "negate", "complexity_12")


def test_what_is_no_choice_is_skipped_with_its_line(folder):
    first, second = load_benchmark("crepe", folder).skipped()
    assert (first.line, first.reason) == (3, "no hard negative in 'valid_hard_negs_comp'")
    assert (second.file, second.line) == ("prod_vg_hard_negs_atom_complexity_4.csv", 3)
    assert second.reason == "'hard_negs' is no list of quoted texts: it does not begin with '['"


def test_images_are_cropped_from_either_folder(folder):
    items = {item.item_id: item for item in load_benchmark("crepe", folder)}
    one, two = (
        items["productivity/atom/complexity_4/1"].images[0],
        items["productivity/negate/complexity_12/1"].images[0],
    )
    assert (one.key, two.key) == ("1111.jpg#10,5,30,20", "2222.jpg#10,5,30,20")
    assert open_image(one.uri).size == open_image(two.uri).size == (30, 20)
    assert "VG_100K_2" in two.uri
    assert items["productivity/atom/complexity_4/3"].images[0].missing


def test_one_table_of_all_complexities_serves_where_the_single_ones_are_missing(folder):
    (folder / "prod" / "atom" / "prod_vg_hard_negs_atom_complexity_4.csv").unlink()
    assert "productivity/atom/all/1" in [item.item_id for item in load_benchmark("crepe", folder)]


def test_a_broken_region_or_id_is_said(folder):
    path = folder / "syst_vg_hard_negs_seen_compounds_in_laion.json"
    record = json.loads(path.read_text())[0]
    path.write_text(json.dumps([record | {"width": "0"}, record | {"image_id": "../1"}, record | {"caption": 7}, 3]))
    found = [entry.reason for entry in load_benchmark("crepe", folder).skipped() if entry.file == path.name]
    assert found[0] == "the region is 0 x 20 pixels; it needs a width and a height"
    assert found[3] == "'image_id' is '../1', expected a whole number"
    assert found[-1] == "is no object with 'image_id' and 'caption'"
    assert "7" in [item.texts[0] for item in load_benchmark("crepe", folder)]  # forced to text, as in the original


def test_json_records_without_negatives_are_named(tmp_path):
    path = tmp_path / "syst_vg_hard_negs_seen_compounds_in_laion.json"
    bare = {"image_id": "1", "caption": "a cup", "x": "1", "y": "1", "width": "9", "height": "9"}
    atom, comp = {"valid_hard_negs_atom": ["n"]}, {"valid_hard_negs_comp": ["c"]}
    path.write_text(json.dumps([bare | atom, bare | atom | comp]))
    benchmark = load_benchmark("crepe", tmp_path)
    assert [item.item_id.split("/")[-2:] for item in benchmark] == [["atom", "1"], ["atom", "2"], ["comp", "2"]]
    assert [(entry.item, entry.reason) for entry in benchmark.skipped()] == [
        ("1", "has no 'valid_hard_negs_comp', which others have")
    ]
    path.write_text(json.dumps([bare, bare]))
    assert [entry.item for entry in load_benchmark("crepe", tmp_path).skipped()] == ["1", "2"]


def test_a_packed_or_foreign_folder_says_what_to_do(tmp_path):
    (tmp_path / "prod_hard_negatives.zip").touch()
    with pytest.raises(UsageError, match=r"Unpack prod_hard_negatives\.zip there first"):
        load_benchmark("crepe", tmp_path)
    path = tmp_path / "prod_vg_hard_negs_swap_complexity_5.csv"
    sample.table(path, ("image_id", "caption", "x", "y", "width", "height"), [])
    with pytest.raises(FlipsideError, match="no column 'hard_negs'"):
        list(load_benchmark("crepe", tmp_path))


@pytest.mark.parametrize(
    "texts", [[], ["a"], ["it's", 'say "no"'], ["both ' and \"", "tab\t, line\n, ä, \\"], ["]", "[", ","]]
)
def test_python_lists_are_read_as_python_writes_them(texts):
    assert list_literal(repr(texts)) == texts
    assert list_literal(f" {texts!r}\n") == texts


@pytest.mark.parametrize(
    "cell",
    ["", "nan", "('a',)", "['a'", "['a' 'b']", "[['a']]", "[1]", "['a'] * 9", "[__import__('os')]", "['a', b'c']",
     "[f'{1}']", "['\\xzz']", "[" * 5000, "[" + "-" * 100_000 + "1]", "[,]"],
)  # fmt: skip
def test_nothing_else_in_a_cell_is_read_or_run(cell):
    with pytest.raises(Malformed):
        list_literal(cell)


def test_lists_are_bounded():
    with pytest.raises(Malformed, match="more than any list"):
        list_literal("['" + "a" * LONGEST + "']")
    with pytest.raises(Malformed, match="more than 10,000 texts"):
        list_literal(repr(["a"] * (MOST + 1)))


def test_recall_is_the_evaluators():
    generator = np.random.default_rng(0)
    scores = generator.normal(size=(60, 13)).round(1)  # rounded, so that there are ties
    scores[30:, 5:] = np.nan
    subset = ["a"] * 30 + ["b"] * 30
    correct = np.array([float(row[0] > np.nanmax(row[1:])) for row in scores])
    correct[0] = np.nan
    found = crepe.scores(Judged([""] * 60, subset, [{}] * 60, correct, "accuracy", scores))
    values = {line.name: (line.value, line.n) for line in found}
    for part, rows in (("a", range(1, 30)), ("b", range(30, 60))):
        for k in (1, 3, 5, 10):
            hits = [sum(foil >= scores[row, 0] for foil in scores[row, 1:]) < k for row in rows]
            assert values[f"{part}: recall_at_{k}"] == (pytest.approx(np.mean(hits)), len(hits))
    assert values["b: recall_at_5"] == (1.0, 30)
