"""`flipside teach` as it is typed."""

import json
import os
import signal
from pathlib import Path

import pytest
from PIL import Image

pytest.importorskip("peft", reason="the extra flipside[teach] is not installed")

from backend.teach.pairs.generated import read
from backend.teach.training import following
from backend.teach.training.recipes import recipe
from backend.verbs.shared import teaching

FRESH = ("--fresh", 8, "--concepts", "attribute,size", "--batch", 6, "--device", "cpu")
SHORT = ("--steps", 3, "--checkpoint-every", 1, "--learning-rate", "1e-3", *FRESH)


@pytest.mark.long
def test_what_is_missing_or_does_not_fit_is_said(flipside, tmp_path):
    asked = ("teach", "--model", "bundled:clip", "--recipe", "binding", "--out", tmp_path / "x")
    (tmp_path / "own").mkdir()
    (tmp_path / "thesis.txt").write_text("not ours")
    plain = tmp_path / "own" / "own.csv"
    Image.new("RGB", (8, 8)).save(tmp_path / "own" / "a.png")
    plain.write_text("image,caption\n" + "a.png,a dog\n" * 4)
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
        ((*asked, *FRESH, "--held-out", 1.5), "--held-out 1.5: a share of the items, from 0 (none) to below 1"),
        ((*asked, *FRESH, "--seed", -1), "--seed -1: expected a whole number from 0 to 2,147,483,647"),
        ((*asked, *FRESH, "--steps", 10**20), "steps go from 1 to 10,000,000"),
        ((*asked, *FRESH, "--rank", 999), "adapters of rank 999: no layer of bundled:clip has a rank above"),
        ((*asked, *FRESH, "--set", "name=x"), "recipe binding has no 'name'; it has alpha, analogies"),
        ((*asked, *FRESH, "--set", "k=1.5"), "--set k=1.5: '1.5' is no whole number"),
        ((*asked, *FRESH, "--set", "margin=1,margin=2"), "margin stands in it twice; leave one out"),
        ((*asked, *FRESH, "--series", "x" * 99), "a name of up to 80 letters and a step from 0"),
        ((*asked, *FRESH, "--steps", 3, "--steps", 4), "--steps was given twice: 3 and 4"),
        ((*asked[:-1], tmp_path, *FRESH), "holds other files (own) and no training"),
        ((*asked[:-1], tmp_path / "thesis.txt", *FRESH), "is a file. Give a folder."),
        (
            ("teach", "--fresh", 4, "--generate", tmp_path),
            f"--generate {tmp_path}: is a folder. Give the name of a file",
        ),
        ((*asked, "--file", plain, "--batch", 4), "recipe binding needs minimal pairs of two images and two captions"),
        ((*asked[:4], "neg", *asked[5:], "--file", plain, "--batch", 4), "recipe neg needs pairs with negatives"),
    ):
        answer = flipside(*words)
        assert answer.code == 2, words
        assert said in " ".join(answer.err.split()), words
    assert not (tmp_path / "x").exists()


@pytest.mark.long
def test_a_place_that_may_not_be_written_is_refused_before_a_model_is_loaded(flipside, tmp_path, monkeypatch):
    monkeypatch.setattr("backend.verbs.shared.teaching.os.access", lambda path, mode: Path(path) != tmp_path)
    monkeypatch.setattr("backend.teach.lesson.Prepared", lambda lesson: pytest.fail("a model is loaded"))
    answer = flipside("teach", "--model", "bundled:clip", "--recipe", "baseline", "--out", tmp_path / "x", "--fresh", 8)
    assert answer.code == 2
    assert f"--out {tmp_path / 'x'}: {tmp_path} may not be written by you." in " ".join(answer.err.split())
    assert not (tmp_path / "x").exists()


@pytest.mark.long
def test_captions_are_generated_to_a_file_and_taken_from_it(flipside, tmp_path):
    path = tmp_path / "made.jsonl"
    found = flipside("teach", "--fresh", 8, "--ways", "negative_colour,synonym_adjective", "--generate", path, "--json")
    assert found.code == 0, found.err
    assert found.json["captions"] == len(read(path).rows) > 0
    assert {row["how"] for row in found.json["ways"]} <= {"negative_colour", "synonym_adjective"}
    before = path.read_bytes()
    again = flipside("teach", "--fresh", 8, "--generate", path)
    assert (again.code, "there is such a file already" in again.err, path.read_bytes()) == (2, True, before)
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
    without = flipside("teach", "--fresh", 8, "--ways", "fill_mask", "--generate", tmp_path / "other.jsonl")
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


@pytest.mark.long
def test_a_disk_that_is_full_when_the_model_is_saved_is_told_as_that(flipside, tmp_path, monkeypatch):
    """safetensors has an error of its own for it."""
    import safetensors.torch

    asked = ("teach", "--model", "bundled:clip", "--recipe", "baseline", *SHORT, "--out", tmp_path / "mine")

    def full(*_, **__):
        raise safetensors.SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)")

    with monkeypatch.context() as patch:
        patch.setattr("peft.peft_model.safe_save_file", full)
        done = flipside(*asked)
    assert done.code == 1
    said = done.err.splitlines()[-1]
    assert said.startswith(f"flipside: No space is left on the disk of {tmp_path / 'mine' / 'adapter'}. Free some,")
    assert "FLIPSIDE_CACHE" not in said
    assert flipside(*asked, "--json").json["steps"] == 3


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


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_it_says_where_it_stands_and_the_same_command_goes_on(flipside, tmp_path, monkeypatch, number):
    asked = ("teach", "--model", "bundled:clip", "--recipe", "baseline", *SHORT, "--out", tmp_path / "mine")
    original = teaching.Told.__call__

    def told(self, entry):
        original(self, entry)
        if entry["step"] == 2:
            os.kill(os.getpid(), number)

    with monkeypatch.context() as patch:
        patch.setattr(teaching.Told, "__call__", told)
        stopped = flipside(*asked)
    assert (stopped.code, stopped.out) == (130, "")
    last = stopped.err.splitlines()[-1]
    assert last.startswith(f"flipside: {tmp_path / 'mine'}: stopped after step 2 of 3, which its checkpoint has.")
    assert last.endswith("The same command goes on from there, as if nothing had happened.")
    found = following.training(tmp_path / "mine")
    assert (found.done, found.steps, found.running, found.finished) == (2, 3, False, False)
    done = flipside(*asked, "--json")
    assert (done.code, done.json["steps"]) == (0, 3)
    again = following.training(tmp_path / "mine")
    assert (again.done, again.finished, again.created) == (3, True, found.created)
    assert again.merged == f"hf:{done.json['merged']}"
    assert again.document["data"]["about"] == [{"world": {"pairs": 8, "concepts": ["attribute", "size"], "seed": 0}}]
    assert again.document["held_out"] == 200
    assert again.document["estimate"]["numbers"] > 10_000


@pytest.mark.long
def test_the_dashboard_gets_its_progress_as_json_lines(flipside, tmp_path, monkeypatch):
    monkeypatch.setenv("FLIPSIDE_PROGRESS", "json")
    asked = ("teach", "--model", "bundled:clip", "--recipe", "baseline", *SHORT, "--out", tmp_path / "mine", "--json")
    done = flipside(*asked)
    assert (done.code, done.json["steps"]) == (0, 3)
    told = [json.loads(line)["progress"] for line in done.err.splitlines() if line.startswith('{"progress":')]
    assert (told[0]["done"], told[-1]["done"]) == (1, 3)
    assert {(each["title"], each["total"], each["unit"]) for each in told} == {("bundled:clip, baseline", 3, "steps")}
    assert "step 3 of 3" not in done.err


def test_a_training_that_goes_on_has_its_true_time_left(monkeypatch, capsys):
    """Steps 201 to 300 at two seconds each: at 251 fifty are left, 100 seconds."""
    clock = [1000.0]
    monkeypatch.setattr(teaching.time, "monotonic", lambda: clock[0])
    monkeypatch.setenv("FLIPSIDE_PROGRESS", "json")
    lesson = type("Asked", (), {"model": "bundled:clip", "recipe": recipe("eqsim"), "plan": {"steps": 300}})()
    told = teaching.Told(lesson, quiet=True)
    clock[0] += 500  # until the model is loaded and the first step is done
    for step in range(201, 251):
        told({"step": step, "loss": 1.0, "seconds": 2.0})
        clock[0] += 2.0
    said = json.loads(capsys.readouterr().err.splitlines()[-1])["progress"]
    assert said["done"] == 250
    assert said["seconds"] / said["done"] * (300 - said["done"]) == pytest.approx(100)


@pytest.mark.long
def test_a_dry_run_says_what_it_takes_on_standard_output(flipside, tmp_path):
    asked = ("teach", "--model", "bundled:clip", "--recipe", "baseline", *SHORT, "--out", tmp_path / "m", "--dry-run")
    told = flipside(*asked)
    assert (told.code, told.out.count("\n")) == (0, 1)
    assert "numbers are trained on" in told.out
    assert "numbers are trained on" not in told.err
    assert flipside(*asked, "--json").json["estimate"]["numbers"] > 0
