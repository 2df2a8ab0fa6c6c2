import itertools
import subprocess
import sys
from pathlib import Path

import pytest

from backend.perturb.granularity import measure
from backend.perturb.words import lexicon
from backend.perturb.words.dictfiles import FILES, DictFiles, installed


def test_known_depths():
    """WordNet 3.0's own: dog.n.01 has min_depth 8 in nltk's documentation."""
    assert lexicon.find("entity", "n").depth == 0
    assert lexicon.find("dog", "n").depth == 8
    assert lexicon.find("red", "a").depth is None


def test_kinds_of():
    dog, animal, cat = (lexicon.find(word, "n") for word in ("dogs", "animal", "cat"))
    assert dog.same_or_kind_of(animal)
    assert dog.same_or_kind_of(dog)
    assert not animal.same_or_kind_of(dog)
    assert not dog.same_or_kind_of(cat)


@pytest.mark.parametrize(
    ("plural", "lemma"), [("women", "woman"), ("boxes", "box"), ("berries", "berry"), ("knives", "knife")]
)
def test_plurals(plural, lemma):
    assert lexicon.find(plural, "n").lemma == lemma


def test_outside_is_undefined_and_counted():
    assert lexicon.table()[0].get(("qwrt", "n")) is None
    found = measure(["a qwrt dog", "a red qwrt"]).coverage
    assert (found.nouns + found.adjectives, found.nouns_known + found.adjectives_known) == (4, 2)
    assert found.share == 0.5
    assert measure([]).coverage.share is None


def test_the_table_is_small_and_its_licence_lies_beside_it():
    assert lexicon.TABLE.stat().st_size < 400_000
    assert len(lexicon.table()[0]) > 6000
    assert "Princeton University" in (lexicon.TABLE.parent / "LICENSE.wordnet").read_text()


def test_table_and_wordnet_agree():
    place = installed()
    if place is None:
        pytest.skip("no WordNet on this machine ($WNHOME, /usr/share/wordnet, nltk's data)")
    real = DictFiles(place)
    if real.version != lexicon.VERSION:
        pytest.skip(f"WordNet {real.version} is installed; the table is cut out of {lexicon.VERSION}")
    for (word, pos), entry in itertools.islice(lexicon.table()[0].items(), 0, None, 7):
        assert real.entry(word, pos) == entry


LICENCE = "  1 This software and database ... WordNet 3.0 Copyright 2006 by Princeton University.\n"


def dict_folder(folder: Path) -> Path:
    """Three noun synsets: entity, thing (also "object"), box; one adjective; as wndb(5) lays them out."""
    first = len(LICENCE)
    lines = [
        "{0:08d} 03 n 01 entity 0 000 | that which is\n",
        "{1:08d} 03 n 02 thing 0 object 0 001 @ {0:08d} n 0000 | a thing\n",
        "{2:08d} 06 n 01 box 0 001 @ {1:08d} n 0000 | a box\n",
    ]
    offsets = list(itertools.accumulate([first, *(len(line.format(0, 0, 0)) for line in lines[:2])]))
    folder.mkdir()
    (folder / "data.noun").write_text(LICENCE + "".join(line.format(*offsets) for line in lines))
    index = "".join(
        f"{word} n 1 1 @ 1 {counted} {offsets[k]:08d}  \n"
        for word, k, counted in (("box", 2, 1), ("entity", 0, 1), ("object", 1, 1), ("thing", 1, 1))
    )
    (folder / "index.noun").write_text(LICENCE + index)
    (folder / "data.adj").write_text(f"{LICENCE}{first:08d} 00 a 01 big(a) 0 000 | large\n")
    (folder / "index.adj").write_text(f"{LICENCE}big a 1 0 1 0 {first:08d}  \n")
    (folder / "noun.exc").write_text("boxen box\n")
    return folder


def test_dict_files_are_read_as_wordnet_lays_them_out(tmp_path):
    real = DictFiles(dict_folder(tmp_path / "dict"))
    box = real.entry("box", "n")
    assert (real.version, box.depth, box.top, len(box.above)) == ("3.0", 2, "artifact", 2)
    assert real.entry("thing", "n").synonyms == ("object",)
    assert real.entry("big", "a").depth is None
    assert real.entry("zebra", "n") is None
    assert real.irregular == {"boxen": "box"}


def test_a_folder_that_lacks_files_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"lacks index\.noun"):
        DictFiles(tmp_path)


@pytest.mark.parametrize("variable", ["WNHOME", "NLTK_DATA"])
def test_wordnet_is_found_where_people_put_it(variable, tmp_path, monkeypatch):
    folder = tmp_path / "corpora" / "wordnet"
    folder.parent.mkdir()
    dict_folder(folder)
    monkeypatch.setenv("WNHOME", "")
    monkeypatch.setenv(variable, str(folder if variable == "WNHOME" else tmp_path))
    assert installed() == folder
    assert all((folder / name).is_file() for name in FILES)


@pytest.mark.long
def test_words_beyond_the_table_come_from_the_installed_one(tmp_path):
    folder = dict_folder(tmp_path / "dict")
    code = (
        "from backend.perturb.words import lexicon\n"
        "print(lexicon.find('boxen', 'n').lemma, 'then WordNet 3.0' in lexicon.description())"
    )
    for extra, expected in (({}, "box True"), ({"FLIPSIDE_LEXICON": "table"}, None)):
        environment = {"WNHOME": str(folder), "PATH": "", **extra}
        root = Path(__file__).parents[2]
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
        assert (done.stdout.strip() or None) == expected, done.stderr
