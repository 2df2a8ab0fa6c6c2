"""`runs`, `failures`, `compare` and `table` on the command line."""

import json

import pytest

from backend.benchmarks import winoground_stub
from backend.engine.inputs.selection import Selection
from backend.intake.survey import survey

pytestmark = pytest.mark.usefixtures("shipped_imported")


def run_two(flipside):
    for spec, name in (("fake:ok", "One"), ("fake:constant", "Two")):
        done = flipside("run", "--model", spec, "--benchmark", "world", "--limit", 4, "--kinds", "itc",
                        "--name", name, "--counterfactual", 0, "--json")  # fmt: skip
        assert done.code == 0, done.err
        yield done.json["run"]


@pytest.mark.long
def test_runs_are_listed_found_by_prefix_deleted_and_put_back(flipside, flipside_cache):
    one, two = run_two(flipside)
    listed = flipside("runs", "--benchmark", "world", "--json").json
    assert {one, two} < {row["run"] for row in listed}
    assert next(row for row in listed if row["run"] == one)["name"] == "One"
    shown = flipside("runs", one[:6], "--json").json
    assert (shown["run"], shown["record"]["name"]) == (one, "One")
    assert shown["parts"] == {"itc": True, "vectors:image": True, "vectors:text": True}
    assert flipside("runs", one[:3]).code == 2
    assert "no run's id begins so" in flipside("runs", "zzzz").err
    gone = flipside("runs", one, "--delete", "--json").json
    assert not (flipside_cache / "runs" / one).exists()
    assert one not in {row["run"] for row in flipside("runs", "--json").json}
    key = gone["deleted"][0]["key"]
    assert "Put back" in flipside("runs", "--restore", key).out
    assert one in {row["run"] for row in flipside("runs", "--json").json}
    refused = flipside("runs", next(row["run"] for row in listed if row["origin"] == "shipped"), "--delete")
    assert (refused.code, "ships with Flipside" in refused.err) == (2, True)
    assert flipside("runs", "--delete").code == 2


@pytest.mark.long
def test_a_run_that_cannot_be_read_is_named_and_deleted(flipside, flipside_cache):
    """No run's id began so, though `doctor` sent here."""
    one, two = run_two(flipside)
    record = flipside_cache / "runs" / one / "run.json"
    record.write_text(record.read_text()[:200])
    shown = flipside("runs", one[:8])
    assert shown.code == 2
    assert f"run {one} cannot be read" in shown.err
    assert f"`flipside runs {one} --delete` takes it away" in shown.err
    assert f"flipside runs {one} --delete" in flipside("doctor").out
    gone = flipside("runs", one[:8], "--delete", "--json")
    assert gone.code == 0, gone.err
    assert [each["title"] for each in gone.json["deleted"]] == ["a run that cannot be read"]
    assert not record.exists()
    assert two in {row["run"] for row in flipside("runs", "--json").json}


@pytest.mark.long
def test_failures_and_compare_and_table_by_name(flipside):
    found = flipside("failures", "--model", "bundled:clip", "--benchmark", "world", "--subset", "relation",
                     "--limit", 3, "--json").json  # fmt: skip
    margins = [item["margin"] for item in found["items"]]
    assert len(margins) == 3
    assert margins == sorted(margins)
    assert not any(item["correct"] for item in found["items"])
    assert found["total"] > 3
    assert flipside("failures", "--model", "bundled:clip", "--benchmark", "world", "--reason", "tired").code == 2
    told = flipside("compare", "bundled:clip", "bundled:clip-bag", "--benchmark", "world", "--json").json
    assert 0 <= told["a"]["within_noise"] < told["n"]
    assert told["a"]["noise"]
    assert told["overall"]["gain"] < 0
    assert told["reasons"]["changed"] > 0
    printed = flipside("table", "--models", "bundled:clip,bundled:clip-bag", "--benchmarks", "world", "--metrics",
                       "group_score").out  # fmt: skip
    report = flipside("report", "--model", "bundled:clip", "--benchmark", "world", "--json").json
    value = report["metrics"]["group_score"]["value"]
    assert f"**{100 * value:.1f}**" in printed
    assert flipside("table", "--benchmarks", "world", "--format", "html").code == 2
    assert flipside("table").code == 2
    json.dumps(told)


@pytest.mark.long
def test_names_that_nothing_has_are_wrong_use_and_the_order_of_metrics_is_kept(flipside):
    metrics = "group_score,text_score,image_score"
    words = ("table", "--models", "bundled:clip", "--benchmarks", "world")
    head = flipside(*words, "--metrics", metrics).out.splitlines()[0]
    assert [name in head for name in ("group", "text", "image")] == [True] * 3
    assert head.index("group") < head.index("text") < head.index("image")
    wrong = flipside("table", "--models", "bundled:clip,bundled:clpi", "--benchmarks", "world")
    assert (wrong.code, "no run of model 'bundled:clpi'" in wrong.err) == (2, True)
    assert flipside("table", "--benchmarks", "world,wrld").code == 2
    missing = flipside("runs", "--model", "bundled:clpi")
    assert (missing.code, "Did you mean" in missing.err) == (2, True)
    one = ("failures", "--model", "bundled:clip", "--benchmark", "world")
    typo = flipside(*one, "--concept", "relatoin")
    assert (typo.code, "Did you mean relation" in typo.err) == (2, True)
    assert flipside(*one, "--metric", "group_scor").code == 2
    assert flipside(*one, "--concept", "attribute/*,relation", "--limit", 1).code == 0
    back = flipside("runs", "--restore", "nosuch")
    assert (back.code, "--restore nosuch: nothing that was deleted is kept under this key" in back.err) == (2, True)


@pytest.fixture
def numbers(flipside_cache):
    """Winoground's 400 item numbers, as `fetch results` brings them."""
    survey(winoground_stub.stub(), Selection(), flipside_cache)


def quads(path, n):
    """Labelled scores of a stub's first n items."""
    labels = [f"{item}_c{text}_i{image}" for item in range(n) for text in (0, 1) for image in (0, 1)]
    path.write_text("".join(json.dumps({"label": label, "score": len(label) % 3}) + "\n" for label in labels))
    return path


@pytest.mark.long
@pytest.mark.usefixtures("numbers")
def test_a_system_goes_by_its_name_and_fewer_items_are_named(flipside, tmp_path):
    for name, n in (("mysys", 400), ("part", 24)):
        done = flipside("add-predictions", quads(tmp_path / f"{name}.jsonl", n), "--as", name,
                        "--benchmark", "winoground")  # fmt: skip
        assert done.code == 0, done.err
    told = flipside("table", "--models", "mysys,part", "--benchmarks", "winoground")
    assert told.code == 0
    assert "| predictions:mysys" in told.out
    assert "predictions:part on winoground: judged on 24 only, where others have 400, so never bold." in told.err
    assert [row["model"] for row in flipside("runs", "--model", "mysys", "--json").json] == ["predictions:mysys"]
    assert flipside("report", "--model", "mysys", "--benchmark", "winoground").code == 0
    assert flipside("compare", "part", "mysys", "--benchmark", "winoground").code == 0
    assert flipside("failures", "--model", "part", "--benchmark", "winoground").code == 0
    words = ("--benchmark", "winoground", "--what", "outcomes", "--out", tmp_path / "out.csv")
    assert flipside("export", "--model", "part", *words).code == 0


@pytest.mark.long
@pytest.mark.usefixtures("numbers")
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"label": "25_c0_i0", "sco', "is no JSON"),
        ('{"label": "25_c0_i0", "score": NaN}', "'score' is NaN, expected a finite number"),
        ('{"label": "25_c0_i0", "score": -Infinity}', "'score' is -Infinity, expected a finite number"),
        ('{"label": "25_c0_i0", "score": 1e300}', "too large for a score"),
        ('{"label": "0_c0_i0", "score": 9}', "the first one is kept"),
        ('{"label": "7-c0-i1", "score": 1}', "the label is '7-c0-i1', expected"),
    ],
)
def test_predictions_that_are_taken_in_part_exit_1_and_say_what_was_taken(flipside, tmp_path, line, said):
    path = quads(tmp_path / "p.jsonl", 4)
    path.write_text(path.read_text() + line + "\n")
    done = flipside("add-predictions", path, "--as", "sys", "--benchmark", "winoground")
    assert done.code == 1
    assert "16 predictions matched" in done.out
    assert "p.jsonl:17: " in done.out
    assert said in done.out


@pytest.mark.long
def test_compare_names_a_side_whose_margins_are_all_within_noise(flipside):
    one, two = run_two(flipside)
    asked = ("compare", "fake:ok", "fake:constant", "--benchmark", "world", "--run-a", one, "--run-b", two)
    told = flipside(*asked, "--json").json
    assert told["b"]["within_noise"] == told["n"] > told["a"]["within_noise"]
    said = [line for line in flipside(*asked).out.splitlines() if "lie within what batching can change" in line]
    assert len(said) == 1
    assert said[0].startswith(f"B, Two: all {told['n']} margins lie within what batching can change")


@pytest.mark.usefixtures("shipped_imported")
def test_a_reason_of_the_other_verdicts_is_told_of(flipside):
    words = (
        "failures",
        "--model",
        "bundled:clip",
        "--benchmark",
        "world",
        "--subset",
        "choice",
        "--limit",
        "1",
        "--reason",
    )
    grounded = flipside(*words, "grounded")
    assert (grounded.code, "0 verdicts are wrong" in grounded.out) == (0, True)
    assert "Of those that are right, " in grounded.err
    assert "of this reason fit: --right lists them." in grounded.err
    assert "--right" not in flipside(*words, "grounded", "--right").err
