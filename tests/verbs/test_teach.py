"""`flipside teach` as it is typed."""

import json

import pytest

pytest.importorskip("peft", reason="the extra flipside[teach] is not installed")

from backend.teach.pairs.generated import read

FRESH = ("--fresh", 8, "--concepts", "attribute,size", "--batch", 6, "--device", "cpu")
SHORT = ("--steps", 3, "--checkpoint-every", 1, "--learning-rate", "1e-3", *FRESH)


@pytest.mark.long
def test_what_is_missing_or_does_not_fit_is_said(flipside, tmp_path):
    asked = ("teach", "--model", "bundled:clip", "--recipe", "binding", "--out", tmp_path / "x")
    for words, said in (
        (("teach", "--fresh", 4), "--model SPEC, --recipe baseline|eqsim|neg|svlc|binding and --out DIR say what"),
        (asked, "name what to train on: --benchmark NAME, --file FILE, or --fresh N"),
        ((*asked, "--fresh", 8, "--batch", 99), "16 examples do not fill a batch of 99"),
        ((*asked, *FRESH, "--set", "margin"), "--set margin: write NAME=VALUE"),
        ((*asked, *FRESH, "--set", "margin=big"), "--set margin=big: 'big' is no number"),
        ((*asked, *FRESH, "--set", "beta=1"), "recipe binding has no 'beta'; it has alpha, analogies"),
        ((*asked, *FRESH, "--ways", "negative_colour"), "--ways belongs to --generate FILE"),
        ((*asked, *FRESH, "--leave-out", "x"), "--leave-out names ways of --captions FILE"),
        ((*asked, "--benchmark", "world", "--subset", "atribute"), "world has no such part. Did you mean attribute?"),
        (("teach", "--model", "bundled:lm", *asked[3:], *FRESH), "bundled:lm cannot be taught here: it gives prior"),
        (("teach", "--model", "bundled:clip", "--recipe", "eqsym", *asked[5:], *FRESH), "Did you mean eqsim?"),
    ):
        answer = flipside(*words)
        assert answer.code == 2, words
        assert said in " ".join(answer.err.split()), words
    assert not (tmp_path / "x").exists()


@pytest.mark.long
def test_captions_are_generated_to_a_file_and_taken_from_it(flipside, tmp_path):
    path = tmp_path / "made.jsonl"
    found = flipside("teach", "--fresh", 8, "--ways", "negative_colour,synonym_adjective", "--generate", path, "--json")
    assert found.code == 0, found.err
    assert found.json["captions"] == len(read(path).rows) > 0
    assert {row["how"] for row in found.json["ways"]} <= {"negative_colour", "synonym_adjective"}
    asked = ("teach", "--model", "bundled:clip", "--recipe", "neg", "--captions", path, "--out", tmp_path / "mine")
    done = flipside(*asked, *SHORT[:6], "--fresh", 8, "--batch", 6, "--held-out", 0, "--json")
    assert done.code == 0, done.err
    assert done.json["first"]["negatives"] > 0
    assert done.json["after"] is None
    left = flipside(*asked, *SHORT, "--leave-out", "negative_size")
    assert (left.code, "has no such captions, but negative_colour" in left.err) == (2, True)


@pytest.mark.long
def test_masked_language_models_are_named_by_spec(flipside, tmp_path):
    from tests.zoo.texts.blind import masked

    masked(tmp_path / "lm", "BERT")
    path = tmp_path / "made.jsonl"
    found = flipside("teach", "--fresh", 8, "--ways", "fill_mask", "--generate", path, "--fill-mask",
                     f"lm:{tmp_path / 'lm'}", "--device", "cpu", "--json")  # fmt: skip
    assert found.code == 0, found.err
    assert read(path).about["proposers"]["fill-mask"]["family"] == "masked-lm"
    without = flipside("teach", "--fresh", 8, "--ways", "fill_mask", "--generate", path)
    assert (without.code, "fill_mask needs --fill-mask SPEC" in without.err) == (2, True)


@pytest.mark.long
def test_taught_judged_saved_gone_on_with_and_scored(flipside, tmp_path):
    asked = ("teach", "--model", "bundled:clip", "--recipe", "eqsim", "--set", "alpha=0.04,k=4", *SHORT)
    dry = flipside(*asked, "--out", tmp_path / "mine", "--dry-run", "--json")
    assert dry.code == 0, dry.err
    assert dry.json["estimate"]["numbers"] > 10_000
    assert dry.json["estimate"]["free"] > dry.json["estimate"]["disk"] > 0
    assert not (tmp_path / "mine").exists()
    done = flipside(*asked, "--out", tmp_path / "mine", "--json")
    assert done.code == 0, done.err
    found = done.json
    assert (found["steps"], found["examples"], found["quads"], found["held_out"]) == (3, 16, 8, 200)
    assert (found["recipe"]["alpha"], found["recipe"]["k"]) == (0.04, 4)
    assert found["before"]["n_quads"] == 200
    assert found["after"]["gamma"] != found["before"]["gamma"]
    assert found["last"].keys() >= {"loss", "retrieval", "eqsim", "gamma", "abs_c", "abs_r"}
    again = flipside(*asked, "--out", tmp_path / "mine", "--json")
    assert (again.code, again.json["after"]) == (0, found["after"])
    other = flipside(*asked, "--rank", 2, "--out", tmp_path / "mine")
    assert (other.code, "holds another training" in other.err) == (2, True)
    words = found["run"].split()[1:]
    scored = flipside(*words, "--benchmark", "world", "--subset", "attribute", "--limit", 5, "--kinds", "itc", "--json")
    assert scored.code == 0, scored.err


@pytest.mark.long
def test_items_of_a_benchmark_are_parted_and_known_as_trained_on(flipside, tmp_path):
    done = flipside("teach", "--model", "bundled:matcher", "--recipe", "binding", "--benchmark", "world", "--subset",
                    "attribute", "--limit", 20, "--steps", 1, "--batch", 4, "--device", "cpu", "--out",
                    tmp_path / "mine", "--series", "mine", "--json")  # fmt: skip
    assert done.code == 0, done.err
    assert (done.json["quads"], done.json["held_out"]) == (16, 4)
    record = json.loads((tmp_path / "mine" / "merged" / "teach.json").read_text())
    (about,) = record["trained_on"]
    assert (record["series"], about["benchmark"], about["items"]) == ("mine", "world", 16)
    assert len(about["item_ids"]) == 16
    assert about["hash"] == flipside("import", "world", "--json").json["hash"]


@pytest.mark.long
def test_for_people_it_prints_before_and_after_and_what_to_type_next(flipside, tmp_path):
    done = flipside("teach", "--model", "bundled:clip", "--recipe", "baseline", *SHORT, "--out", tmp_path / "mine")
    assert done.code == 0, done.err
    assert "group_score" in done.out
    assert "--series mine --step 3" in done.out
    assert "numbers are trained on 16 examples (8 quads)" in done.err
    assert "step 3 of 3: loss" in done.err


def test_two_at_once_do_not_write_into_one_folder(flipside, tmp_path):
    from backend import locks

    (tmp_path / "mine").mkdir()
    with locks.held(tmp_path / "mine" / "lock"):
        done = flipside("teach", "--model", "bundled:clip", "--recipe", "baseline", *SHORT, "--out", tmp_path / "mine")
    assert done.code == 1
    assert "another process is training into it" in done.err


def test_a_disk_without_room_is_refused_before_anything_trains(flipside, tmp_path, monkeypatch):
    import shutil

    usage = type(shutil.disk_usage(tmp_path))
    monkeypatch.setattr("backend.teach.training.estimate.shutil.disk_usage", lambda _: usage(10**6, 10**6 - 10, 10))
    done = flipside("teach", "--model", "bundled:clip", "--recipe", "baseline", *SHORT, "--out", tmp_path / "mine")
    assert done.code == 1
    assert "MB of disk and 0 MB are free" in done.err
    assert not (tmp_path / "mine").exists()
