import csv
import json

import pytest

from backend.errors import FlipsideError, UsageError
from backend.teach.pairs import generated
from backend.teach.pairs.generated import generate, read, write

CAPTIONS = ["a small red cube left of a ball", "two dogs", "a small red cube left of a ball"]


def test_rule_based_negatives_and_positives():
    made = generate(CAPTIONS, seed=1)
    by_how = {row.how: row for row in made.rows if row.caption == CAPTIONS[0]}
    assert by_how["negative_colour"].effect == "negative"
    assert by_how["negative_colour"].concept == "colour"
    assert by_how["negative_spatial"].text != CAPTIONS[0]
    assert len({(row.caption, row.text) for row in made.rows}) == len(made.rows)
    assert all(row.keep for row in made.rows)
    assert made.about["captions"] == 2  # each text once
    assert made.about["left_out"]["negative_colour does not apply"] == 1
    assert generate(CAPTIONS, seed=1) == made
    assert generate(CAPTIONS, seed=2).rows != made.rows


def test_what_is_true_of_the_same_image_is_no_negative():
    (row,) = generate(["a red cube"], ("negative_colour",)).rows
    made = generate(["a red cube"], ("negative_colour",), true_of={"a red cube": [row.text.upper() + "."]})
    assert made.rows == ()
    assert made.about["left_out"] == {"true of the same image": 1}


def test_a_way_that_needs_a_model_says_so():
    with pytest.raises(UsageError, match="fill_mask needs a masked language model"):
        generate(CAPTIONS, ("fill_mask",))
    with pytest.raises(UsageError, match="Did you mean negative_colour"):
        generate(CAPTIONS, ("negative_color",))


def test_a_proposer_of_words_and_one_of_sentences():
    def words(texts):
        return [[("green", -0.1), ("red", -0.2), ("striped", -0.5)] for _ in texts]

    def sentences(texts):
        return [[f"it is {text}"] for text in texts]

    made = generate(
        ["a red cube"], ("fill_mask_adjective", "analogy"), proposers={"fill-mask": words, "analogy": sentences}
    )
    assert [(row.text, row.effect) for row in made.rows][1] == ("it is a red cube", "positive")
    assert made.rows[0].text in ("a green cube", "a striped cube")
    assert made.about["proposers"] == {"fill-mask": {"class": "function"}, "analogy": {"class": "function"}}


@pytest.mark.long
@pytest.mark.parametrize("name", ["BERT", "RoBERTa"])
def test_negatives_of_a_real_masked_architecture(tmp_path, name):
    pytest.importorskip("torch")
    from backend.models.proposers import load_proposer
    from tests.zoo.texts.blind import masked

    masked(tmp_path / "lm", name)
    proposer = load_proposer("fill-mask", f"lm:{tmp_path / 'lm'}", "cpu")
    captions = ["a red cat on the mat", "the blue ball under the green cube", "a dog"]
    made = generate(captions, ("fill_mask", "fill_mask_noun"), proposers={"fill-mask": proposer})
    assert made.rows
    for row in made.rows:
        assert row.effect == "negative"
        old, new = row.caption.split(), row.text.split()
        assert sum(a != b for a, b in zip(old, new, strict=True)) in (1, 2)  # the word, and perhaps its article
    write(made, tmp_path / "made.jsonl")
    again = read(tmp_path / "made.jsonl")
    assert again.rows == made.rows
    assert again.about["proposers"]["fill-mask"]["weights_sha256"]


def test_the_file_is_read_as_it_was_written_and_as_it_was_changed(tmp_path):
    made, path = generate(CAPTIONS), tmp_path / "deep" / "made.jsonl"
    write(made, path)
    assert read(path) == made
    lines = path.read_text().splitlines()
    row = json.loads(lines[1]) | {"keep": False, "text": "by hand"}
    path.write_text("\n".join([lines[0], json.dumps(row), *lines[3:]]) + "\n")
    changed = read(path)
    assert len(changed.rows) == len(made.rows) - 1
    assert changed.rows[0].text == "by hand"
    assert "by hand" not in changed.kept(changed.rows[0].effect).get(CAPTIONS[0], ())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2: is no JSON"),
        ('{"caption": "a"}', "line 2: has no 'text'"),
        ('{"caption": "a", "text": "b", "how": "x", "effect": "other"}', "line 2: 'effect' is 'other', expected"),
        ('{"caption": "a", "text": "b", "how": "x", "effect": "negative", "keep": "no"}', "line 2: 'keep' is 'no'"),
    ],
)
def test_a_line_that_is_none_is_named(tmp_path, line, said):
    head = json.dumps({"format": generated.FORMAT, "version": 1})
    (tmp_path / "made.jsonl").write_text(f"{head}\n{line}\n")
    with pytest.raises(FlipsideError, match=said):
        read(tmp_path / "made.jsonl")
    (tmp_path / "made.jsonl").write_text(f"{line}\n")
    with pytest.raises(FlipsideError, match="line 1: expected the first line"):
        read(tmp_path / "made.jsonl")


def test_filtered_summed_up_and_given_to_a_spreadsheet():
    made = generate(CAPTIONS)
    without = made.filtered(concept="colour")
    assert {row.concept for row in without.rows if not row.keep} == {"colour"}
    back = without.filtered(how="negative_colour", keep=True)
    assert back == made
    word = next(row.text.split()[-1] for row in made.rows)
    assert not all(row.keep for row in made.filtered(words=rf"\b{word}\b").rows)
    summary = {row["how"]: row for row in without.summary()}
    assert summary["negative_colour"]["kept"] == summary["negative_colour"]["n"] - 1
    rows = list(csv.DictReader(without.csv().splitlines()))
    assert [row["text"] for row in rows] == [row.text for row in made.rows]
    for wrong in ({}, {"words": "("}):
        with pytest.raises(UsageError):
            made.filtered(**wrong)


def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch):
    import errno

    from backend import durable

    path = tmp_path / "made.jsonl"
    write(generate(CAPTIONS), path)
    before = path.read_bytes()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(durable, "write_synced", full)
    with pytest.raises(FlipsideError, match="No space is left on the disk"):
        write(generate(CAPTIONS, seed=4), path)
    assert path.read_bytes() == before
