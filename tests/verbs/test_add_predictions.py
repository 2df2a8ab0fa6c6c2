"""`flipside add-predictions`: files of other systems, matched, committed and reported like any model's."""

import csv
import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from backend import paths
from backend.engine.storage import shards
from backend.intake.predictions import specs
from tests.benchmarks.samples import eqben
from tests.engine.samples import mixed
from tests.verbs.adding import file


@pytest.mark.slow
def test_verdicts_by_id(add, own, accuracy):
    said = file(own.parent, "v.csv", "item_id,correct\nset/1,true\n2,0\nset/3,1\nset/4,no\nset/9,true\nset/1,false\n")
    done = add(said).json
    assert (done["matched"], done["n_items"], done["parts"]["verdict"]) == (
        4, 4, {"rows": 5, "items": 4, "items_without": 0, "items_incomplete": 0}
    )  # fmt: skip
    assert done["unmatched"] == [
        {"file": "v.csv", "line": 6, "reason": "there is no item 'set/9'"},
        {"file": "v.csv", "line": 7, "reason": "says wrong where right was said before; the first one is kept"},
    ]
    assert json.loads((Path(done["folder"]) / "unmatched.json").read_text()) == done["unmatched"]
    assert accuracy() == (0.5, 4, 0)


@pytest.mark.slow
def test_a_list_of_failures_has_no_margin_of_verdicts_alone(add, own, flipside, monkeypatch):
    """It printed -1, which is how a wrong verdict stands in the store."""
    monkeypatch.setenv("COLUMNS", "160")
    add(file(own.parent, "v.csv", "item_id,correct\nset/1,true\nset/2,false\n"))
    said = flipside("failures", "--model", "predictions:sys", "--benchmark", "custom:set")
    (line,) = [each for each in said.out.splitlines() if each.startswith("set/2")]
    assert line.split()[1:3] == ["accuracy", "–"]
    found = flipside("failures", "--model", "predictions:sys", "--benchmark", "custom:set", "--json").json
    assert [item["margin"] for item in found["items"]] == [None]
    assert "In the benchmark's order: verdicts alone have no margins." in said.err


ONE_BY_ONE = "item_id,kind,image_index,text_index,text_index_b,value\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "p1_n", "is_bound"),
    [
        ("item_id,correct\n1,true\n2,false\n", 0.5, True),
        ("item_id,correct\n1,true\n2,true\n", 1.0, False),
        (f"{ONE_BY_ONE}1,verdict,0,0,2,1\n1,verdict,0,1,2,1\n2,verdict,0,0,2,1\n2,verdict,0,1,2,0\n", 1.0, False),
    ],
)
def test_one_verdict_for_both_paraphrases_bounds_each_of_them(flipside, tmp_path, said, p1_n, is_bound):
    """A false `correct` counts against both; contests that were judged one by one are what they are."""
    own = file(tmp_path, "tri.csv", "id,image,caption,paraphrase,negative\n1,a.png,a,b,c\n2,b.png,d,e,f\n")
    verdicts = file(tmp_path, "v.csv", said)
    flipside("add-predictions", verdicts, "--as", "sys", "--benchmark", "custom", "--data", own)
    asked = ("report", "--model", "predictions:sys", "--benchmark", "custom:tri")
    found = flipside(*asked, "--json").json
    assert found["metrics"]["i2t_p1_n_accuracy"]["value"] == p1_n
    assert set(found.get("lower_bounds", {})) == ({"i2t_p1_n_accuracy", "i2t_p2_n_accuracy"} if is_bound else set())
    assert found["metrics"]["i2t_p1_n_accuracy"]["chance"] == (None if is_bound else 0.5)
    printed = flipside(*asked).out
    assert ("are lower bounds, and not to be set against chance" in printed) == is_bound
    assert ("≥ " in printed) == is_bound


@pytest.mark.slow
def test_one_subset_alone_may_be_bounded(flipside, tmp_path):
    """Only in subset x every triplet has one verdict for both paraphrases: its rates are bounds, the others are not."""
    rows = "".join(f"{k},{k}.png,a,b{k},c{k},{'xy'[k > 1]}\n" for k in range(4))
    own = file(tmp_path, "tri.csv", f"id,image,caption,paraphrase,negative,subset\n{rows}")
    lines = [
        f"{'xy'[k > 1]}/{k},verdict,0,{i},2,{int((k, i) in ((2, 0), (3, 1)))}\n" for k in range(4) for i in range(2)
    ]
    verdicts = file(tmp_path, "v.csv", ONE_BY_ONE + "".join(lines))
    flipside("add-predictions", verdicts, "--as", "sys", "--benchmark", "custom", "--data", own)
    asked = ("report", "--model", "predictions:sys", "--benchmark", "custom:tri")
    found = flipside(*asked, "--json").json
    bounded = {name: ["lower_bound" in table[f"i2t_p{p}_n_accuracy"] for p in (1, 2)] for name, table in
               found["by"].items()}  # fmt: skip
    assert "lower_bounds" not in found
    assert bounded == {"x": [True, True], "y": [False, False]}
    printed = flipside(*asked).out
    assert printed.count("≥ 0.0 %") == 2 or printed.count("≥ 0 of 2") == 2, printed
    assert "≥ (in x): a lower bound" in printed


@pytest.mark.slow
def test_a_lower_bound_is_no_rival_and_is_not_tested(flipside, tmp_path):
    """One system has a verdict for both paraphrases, one was judged contest by contest: P1-N is not tested."""
    rows = "".join(f"{k},{k}.png,a{k},b{k},c{k}\n" for k in range(40))
    own = file(tmp_path, "tri.csv", f"id,image,caption,paraphrase,negative\n{rows}")
    one = file(
        tmp_path, "one.csv", "item_id,correct\n" + "".join(f"{k},{'true' if k < 4 else 'false'}\n" for k in range(40))
    )
    lines = "".join(f"{k},verdict,0,0,2,1\n{k},verdict,0,1,2,{int(k > 5)}\n" for k in range(40))
    two = file(tmp_path, "two.csv", ONE_BY_ONE + lines)
    for name, verdicts in (("one", one), ("two", two)):
        flipside("add-predictions", verdicts, "--as", name, "--benchmark", "custom", "--data", own)
    both = ("--models", "predictions:one,predictions:two", "--benchmarks", "custom:tri")
    shown = flipside("table", *both, "--metrics", "i2t_p1_n_accuracy").out
    assert "≥ " in shown
    assert "**" not in shown
    assert "a lower bound, not to be set against chance" in shown
    lines = flipside("table", *both, "--metrics", "i2t_p1_n_accuracy", "--format", "csv").out.splitlines()
    assert [row["lower_bound"] for row in csv.DictReader(lines)] == ["yes", ""]
    assert "**" in flipside("table", *both, "--metrics", "i2t_accuracy").out
    pair = ("compare", "predictions:one", "predictions:two", "--benchmark", "custom:tri", "--metric")
    refused = flipside(*pair, "i2t_p1_n_accuracy")
    assert refused.code == 2
    assert "of predictions:one it is a lower bound, which no test can compare" in refused.err
    assert flipside(*pair, "i2t_accuracy", "--json").json["overall"]["p"] < 0.05


@pytest.mark.slow
@pytest.mark.usefixtures("shipped_imported")
def test_numbers_that_pandas_made_decimal_are_the_same_choice(add, own, flipside):
    """A blank among whole numbers makes them 0.0 and 1.0; 0.0 must not be taken for a blank."""
    said = pd.DataFrame({"item_id": ["1", "2", "4"], "chosen": [0.0, 1.0, None]})
    for name in ("v.csv", "v.jsonl", "v.parquet"):
        path = own.parent / name
        if name == "v.csv":
            said.to_csv(path, index=False)
        elif name == "v.jsonl":
            path.write_text(
                '{"item_id": "1", "chosen": 0.0}\n{"item_id": "2", "chosen": 1.0}\n{"item_id": "4", "chosen": ""}\n'
            )
        else:
            said.to_parquet(path)
        done = add(path, name=path.suffix[1:]).json
        assert (done["matched"], done["unmatched"]) == (3, [])
        found = flipside("export", "--model", f"predictions:{path.suffix[1:]}", "--benchmark", "custom:set", "--what",
                         "scores", "--format", "csv", "--out", own.parent / "out.csv")  # fmt: skip
        assert found.code == 0
        assert pd.read_csv(own.parent / "out.csv")["value"].tolist() == [1.0, 0.0, 0.5]


@pytest.mark.slow
def test_verdicts_by_content_and_a_refusal_is_a_failure_and_a_tie(add, own, accuracy):
    rows = [
        {"image": "pictures/a.jpg", "caption": "a red cube", "negative_caption": "a blue cube", "chosen": "a red cube"},
        {"image": "b.png", "caption": "two cups", "negative_caption": "three cups", "chosen": ""},
        {"image": "d.png", "caption": "left", "negative_caption": "up", "chosen": "left"},
    ]
    done = add(file(own.parent, "v.json", rows)).json
    assert done["parts"]["verdict"]["items"] == 2
    assert [entry["item"] for entry in done["unmatched"]] == ["3"]
    assert "no item has the image 'd.png' with these captions" in done["unmatched"][0]["reason"]
    assert accuracy() == (0.5, 2, 1)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["export", "content", "wide", "words"])
def test_scores_in_every_shape_are_the_same_run(add, own, accuracy, form):
    scores = {("1", 0): 0.9, ("1", 1): 0.1, ("2", 0): 0.2, ("2", 1): 0.2, ("4", 0): -1.0, ("4", 1): 3.0}
    texts = {"1": ("a red cube", "a blue cube"), "2": ("two cups", "three cups"), "4": ("left", "right")}
    pictures = {"1": "a.png", "2": "b.png", "4": "d.png"}
    if form == "export":
        lines = [f"set/{k},itc,0,{t},,,{v}," for (k, t), v in scores.items()]
        said = "item_id,kind,image_index,text_index,text_index_b,sample,value,n_tokens\n" + "\n".join(lines)
    elif form == "content":
        said = "image,caption,score\n" + "\n".join(f"{pictures[k]},{texts[k][t]},{v}" for (k, t), v in scores.items())
    elif form == "wide":
        said = "item_id,score_0,score_1\n" + "\n".join(f"set/{k},{scores[k, 0]},{scores[k, 1]}" for k in texts)
    else:
        said = "item_id,caption,score\n" + "\n".join(f"{k},{texts[k][t]},{v}" for (k, t), v in scores.items())
    done = add(file(own.parent, "s.csv", said + "\n")).json
    assert done["unmatched"] == []
    assert done["parts"] == {"itc": {"rows": 6, "items": 3, "items_without": 1, "items_incomplete": 0}}
    assert accuracy() == (pytest.approx(1 / 3), 3, 1)
    again = add(file(own.parent, "s.csv", said + "\n"))
    assert again.json["run"] == done["run"]
    assert again.json["unchanged"]


@pytest.mark.long
@pytest.mark.usefixtures("shipped_imported")
def test_an_item_that_lacks_a_text_is_not_complete_and_named(add, own, accuracy, flipside):
    """Only the truth of one item has a score: it is neither right nor wrong, and nobody has to find that out alone."""
    lines = "item_id,caption,score\n1,a red cube,0.9\n1,a blue cube,0.1\n2,two cups,0.8\n"
    done = add(file(own.parent, "s.csv", lines))
    part = done.json["parts"]["itc"]
    assert (part["items"], part["items_without"], part["items_incomplete"]) == (2, 2, 1)
    assert done.json["incomplete"] == {"itc": ["set/2"]}
    assert "1 item is not complete and is not judged" in done.err
    assert accuracy() == (1.0, 1, 0)
    report = flipside("report", "--model", "predictions:sys", "--benchmark", "custom:set")
    assert "1 items of itc are not complete" in report.err
    assert "set/2" in report.err
    manifest = json.loads((Path(done.json["folder"]) / "manifest.json").read_text())
    assert manifest["parts"]["itc"]["left_out"] == {
        "no prediction": 2, "a score of one of its texts or images is missing": 1,
    }  # fmt: skip
    whole = add(file(own.parent, "more.csv", "item_id,caption,score\n2,three cups,0.9\n")).json
    assert (whole["parts"]["itc"]["items_incomplete"], whole["incomplete"]) == (0, {})
    assert accuracy() == (0.5, 2, 0)


@pytest.mark.slow
def test_more_files_extend_and_what_is_said_anew_replaces(add, own, accuracy):
    first = add(file(own.parent, "a.csv", "item_id,correct\n1,1\n2,0\n")).json
    second = add(file(own.parent, "b.csv", "item_id,correct\n2,1\n4,1\n"))
    assert second.json["extends"] == first["run"] != second.json["run"]
    assert second.json["replaced"] == 1
    assert f"Added to what run {first['run']} had, of which 1 rows gave way" in second.err
    assert accuracy() == (1.0, 3, 0)
    assert add(file(own.parent, "c.csv", "item_id,correct\n2,0\n"), replace=True).json["extends"] is None
    assert accuracy() == (0.0, 1, 0)
    back = add(file(own.parent, "a.csv", "item_id,correct\n1,1\n2,0\n"), replace=True)
    assert (back.json["run"], back.json["unchanged"]) == (first["run"], False), "it is another one that counts now"
    assert accuracy() == (0.5, 2, 0)
    assert f"what run {back.json['gave_way']} had is left out of every page" in back.err
    again = add(file(own.parent, "a.csv", "item_id,correct\n1,1\n2,0\n"), replace=True).json
    assert (again["unchanged"], again["gave_way"]) == (True, None)
    assert specs() == ["predictions:sys"]


@pytest.mark.slow
def test_what_would_not_count_is_not_added(add, own, monkeypatch):
    """A run by a clock that was ahead stays the latest for as long, whatever is added after it."""
    monkeypatch.setattr("backend.intake.predictions._PATIENCE", 0.1)
    done = add(file(own.parent, "a.csv", "item_id,correct\n1,1\n2,0\n")).json
    record = Path(done["folder"]) / shards.RECORD
    record.write_text(json.dumps(json.loads(record.read_text()) | {"updated": "2999-01-01T00:00:00+00:00"}))
    for more in ({}, {"replace": True}):
        said = add(file(own.parent, "b.csv", "item_id,correct\n2,1\n4,1\n"), **more)
        assert said.code == 1
        assert f"run {done['run']} of this system is dated 2999-01-01" in said.err
    assert len(shards.run_dirs(paths.cache_dir())) == 1


def test_a_kind_for_scores_is_said_to_change_nothing_of_verdicts(add, own):
    said = add(file(own.parent, "v.csv", "item_id,correct\nset/1,true\nset/2,false\n"), kind="itm")
    assert "--kind itm changes nothing: it is for scores that name no kind" in said.err


@pytest.mark.parametrize(
    ("name", "content", "code", "says"),
    [
        ("x.csv", "item_id,caption\n1,a red cube\n", 2, "no predictions are recognised. Columns: 'item_id'"),
        ("x.csv", "correct\n1\n", 2, "no predictions are recognised"),
        ("x.txt", "1", 2, "expected CSV, TSV, JSON"),
        ("x.csv", "item_id,correct\n9,1\n", 1, "none of the predictions belongs to an item of custom:set"),
        ("x.csv", "item_id,correct\n1,maybe\n", 1, "'correct' is 'maybe', expected true or false"),
        ("x.csv", "item_id,score\n1,0.5\n", 1, "says neither text_index nor caption"),
        (
            "x.csv",
            "item_id,text_index,score\n1,7,0.5\n",
            1,
            "set/1 has no image 0, text 7: it has 1 image and 2 texts",
        ),
        ("x.csv", "item_id,text_index,score\n1,0,nan\n", 1, "no finite number"),
        ("x.csv", "item_id,text_index,kind,score\n1,0,gen,-3\n", 1, "needs their number, n_tokens"),
        (
            "x.csv",
            "item_id,text_index,kind,score,n_tokens\n1,0,gen,3,2\n",
            1,
            "a sum of log-probabilities, and 3 is above",
        ),
        ("x.csv", "item_id,text_index,kind,score,n_tokens\n1,0,gen,-3,40000\n", 1, "more than the 32,767 that fit"),
        ("x.csv", "item_id,text_index,score\n1,0,1e39\n", 1, "1e+39 is too large for a score"),
        ("x.jsonl", '{"item_id": "1", "chosen": false}\n', 1, "expected the caption's words or its number"),
        ("x.csv", "item_id,text_index,kind,score\n1,0,cosine,1\n", 1, "the kind 'cosine' is unknown"),
    ],
)
def test_what_cannot_be_used_says_why_and_leaves_no_run(add, own, name, content, code, says):
    done = add(file(own.parent, name, content))
    assert done.code == code
    assert says in done.err
    assert shards.run_dirs(paths.cache_dir()) == []


@pytest.mark.slow
def test_it_is_a_model_like_any_other_but_cannot_be_run(add, own, flipside, tmp_path):
    add(file(own.parent, "v.csv", "item_id,correct\n1,1\n2,0\n3,0\n"))
    ran = flipside("run", "--model", "predictions:sys", "--benchmark", "world", "--kinds", "itc")
    assert (ran.code, "has no weights, so it cannot be run" in ran.err) == (2, True)
    assert flipside("models", "--json").json["predictions"] == ["predictions:sys"]
    out = tmp_path / "outcomes.csv"
    flipside("export", "--model", "predictions:sys", "--benchmark", "custom", "--what", "outcomes", "--out", out)
    assert pd.read_csv(out)["correct"].tolist() == [True, False, False]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_exported_scores_of_a_model_come_back_as_predictions(tmp_path, flipside):
    from backend.engine.runner import run

    benchmark = mixed(tmp_path / "pictures")
    run("fake:ok", benchmark, ["itc", "itm", "gen", "prior", "vqa", "verdict", "t2t"], priors=["noise:1"])
    items, scores = tmp_path / "pictures" / "items.jsonl", tmp_path / "scores.parquet"
    for what, out in (("items", items), ("scores", scores)):
        assert flipside("export", "--model", "fake:ok", "--benchmark", "mixed", "--what", what, "--format",
                        out.suffix[1:], "--out", out).code == 0  # fmt: skip
    done = flipside("add-predictions", scores, "--as", "copy", "--benchmark", "custom", "--data", items, "--json").json
    assert done["unmatched"] == []
    for kind in ("itc", "itm", "gen", "vqa", "verdict", "t2t"):
        both = [
            flipside("report", "--model", model, "--benchmark", name, "--kind", kind, "--json").json["metrics"]
            for model, name in (("fake:ok", "mixed"), ("predictions:copy", "custom:items"))
        ]
        values = [{name: entry["value"] for name, entry in each.items() if "median" not in name} for each in both]
        assert values[0] == values[1], kind
    debiased = [
        flipside("report", "--model", model, "--benchmark", name, "--alpha", 1, "--json").json["metrics"]["accuracy"]
        for model, name in (("fake:ok", "mixed"), ("predictions:copy", "custom:items"))
    ]
    assert debiased[0]["value"] == debiased[1]["value"] is not None


@pytest.mark.slow
def test_eqbens_array_in_the_order_of_the_shuffled_list(tmp_path, flipside):
    eqben.write_pairs(tmp_path)
    pairs = json.loads((tmp_path / "ann_json_finegrained_random.json").read_text())
    whole = {(r[f"image{k}"], r[f"caption{k}"]) for r in eqben.all_quads() for k in (0, 1)}
    scores = np.array([float((pair["image"], pair["caption"]) in whole) for pair in pairs], np.float32)
    wrong = next(at for at, pair in enumerate(pairs) if pair["image"].startswith("eqbensd/video0"))
    scores[wrong] = 1 - scores[wrong]
    np.save(tmp_path / "score.npy", scores)
    call = (
        "add-predictions",
        tmp_path / "score.npy",
        "--as",
        "clip",
        "--benchmark",
        "eqben",
        "--data",
        tmp_path,
        "--json",
    )
    done = flipside(*call).json
    assert (done["matched"], done["unmatched"], done["n_items"]) == (56, [], 14)
    found = flipside("report", "--model", "predictions:clip", "--benchmark", "eqben", "--json").json
    assert found["metrics"]["group_score"]["value"] == pytest.approx(13 / 14)
    assert found["by"]["eqbensd"]["group_score"]["value"] == 0.5
    np.save(tmp_path / "score.npy", np.where(np.arange(len(scores)) == 2, np.nan, scores))
    done = flipside(*call, "--replace").json
    assert (done["matched"], done["parts"]["itc"]["rows"]) == (55, 55)
    assert done["unmatched"] == [{"file": "score.npy", "item": "3", "reason": "number 3 is nan, no finite number"}]
    np.save(tmp_path / "score.npy", scores[:-1])
    short = flipside(*call)
    assert (short.code, "55 numbers, but" in short.err, "56 pairs" in short.err) == (1, True, True)
    np.save(tmp_path / "score.npy", scores.reshape(7, 8))
    assert "expected one row of numbers" in flipside(*call).err
    np.save(tmp_path / "score.npy", np.array([{}], dtype=object), allow_pickle=True)
    assert "cannot be read as an array of numbers (it holds no plain numbers)" in flipside(*call).err
    (tmp_path / "score.npy").write_bytes(b"no array at all")
    refused = flipside(*call)
    assert (refused.code, "pickle" in refused.err) == (1, False)


def test_only_files_are_read_whatever_else_lies_in_a_folder(add, tmp_path):
    """A pipe and a device have no end; a link goes by its own name, for in a hub's cache its target has no ending."""
    folder, kept = tmp_path / "folder", file(tmp_path, "0a1b", "id,score_0,score_1\n1,0.9,0.1\n2,0.2,0.8\n")
    folder.mkdir()
    os.mkfifo(folder / "pipe.csv")
    (folder / "gone.csv").symlink_to(tmp_path / "nowhere")
    (folder / "device.csv").symlink_to("/dev/zero")
    (folder / "loop").symlink_to(folder)
    (folder / "scores.csv").symlink_to(kept)
    assert add(folder).json["matched"] == 4
    for path in (folder / "pipe.csv", folder / "device.csv", Path("/dev/zero")):
        answer = add(path)
        assert answer.code == 2
        assert "is a device or a pipe and no file; expected CSV" in answer.err
    assert "no such file" in add(folder / "gone.csv").err


@pytest.mark.parametrize(
    "name", ["", " x", "x ", "../x", "a/b", "a\0b", "a\n", "\x1b[31mx", "\u202ex", "-", ".", "x" * 81]
)
def test_a_name_that_is_none_is_refused(add, tmp_path, name):
    answer = add(file(tmp_path, "a.csv", "id,score_0,score_1\n1,0.9,0.1\n"), name=name)
    assert answer.code == 2
    assert "a system's name has 1 to 80 letters" in answer.err
    assert "\x1b" not in answer.err
    assert answer.err.count("\n") == 1


def test_rows_that_a_quote_took_are_counted_and_what_may_be_a_text_is_told(add, tmp_path):
    """Failed before: of two columns one row was missed, and of three none."""
    swallowed = add(file(tmp_path, "a.csv", 'id,correct\n1,1\n2,"1\n3,0\n4,1"\n')).json
    assert swallowed["matched"] == 1
    assert [(each["line"], each["reason"][:24]) for each in swallowed["unmatched"]] == [
        (3, "has a cell of 3 lines, 3"), (4, "is in a cell that a quot"), (5, "is in a cell that a quot"),
    ]  # fmt: skip
    note = file(tmp_path, "b.csv", 'id,correct,note\n1,1,"a crowd\nof 1,000,000"\n2,1,x\n')
    answer = add(note, name="other")
    assert (answer.json["matched"], answer.json["unmatched"]) == (2, [])
    (said,) = [said for said in answer.json["guessed"] if "line break" in said]
    assert said.startswith("b.csv: the cell from line 2 to line 3 holds a line break and was read as one text.")
