"""VSR and NaturalBench: read, scored, thresholded; by cell, question, image and group."""

import json

import numpy as np
import pytest

from backend.benchmarks import load_benchmark
from backend.errors import UsageError
from backend.items import Protocol
from tests.benchmarks.samples import naturalbench as samples

LINE = {"image": "000000170267.jpg", "caption": "The cup is on the mat.", "label": 1, "relation": "on"}


def empty(folder):
    (folder / "empty").mkdir()
    return folder / "empty"


def vsr(folder, lines):
    (folder / "zeroshot_test.jsonl").write_text("\n".join(json.dumps(line) for line in lines) + "\n")
    return folder


def test_a_statement_is_an_item_whose_truth_says_what_is_expected(tmp_path):
    lines = [LINE, LINE | {"label": 0, "caption": "The cup is under the mat."}, LINE | {"label": 2}, {"image": "x"}]
    benchmark = load_benchmark("vsr", vsr(tmp_path, lines))
    yes, no = benchmark
    assert (yes.protocol, yes.truth, no.truth) == (Protocol.ANSWERS, ((0, 0),), ())
    assert (yes.item_id, yes.tags["relation"], yes.images[0].missing) == ("zeroshot/1", ("on",), True)
    assert [skipped.line for skipped in benchmark.skipped()] == [3, 4]
    with pytest.raises(UsageError, match=r"expected zeroshot_test\.jsonl or zeroshot/test\.jsonl"):
        load_benchmark("vsr", empty(tmp_path))


def test_the_original_file(shared_data):
    if not (shared_data / "vsr").is_dir():
        pytest.skip("VSR's original file is not in ../shared/data")
    items = list(load_benchmark("vsr", shared_data / "vsr"))
    assert (len(items), sum(bool(item.truth) for item in items)) == (731, 357)
    assert len({item.images[0].key for item in items}) == 488


def naturalbench(folder, n=3):
    samples.write(folder, n)
    return folder


def test_a_group_is_four_cells(tmp_path):
    benchmark = load_benchmark("naturalbench", naturalbench(tmp_path))
    items = list(benchmark)
    assert [item.item_id for item in items[:4]] == [f"yes_no/1_{cell}" for cell in ("q0_i0", "q0_i1", "q1_i0", "q1_i1")]
    assert [bool(item.truth) for item in items[:4]] == [True, False, False, True]
    assert items[0].images[0].key == items[2].images[0].key == "1_image_0"
    assert items[0].tags == {"group": ("1",), "question": ("0",), "image": ("0",)}
    (skipped,) = benchmark.skipped()
    assert (skipped.item, skipped.reason) == ("3", "its question has options, and only yes and no are asked")
    with pytest.raises(UsageError, match="expected its Parquet file"):
        load_benchmark("naturalbench", empty(tmp_path))


@pytest.mark.long
def test_from_the_file_to_the_rates(tmp_path, flipside):
    done = flipside("run", "--model", "fake:ok", "--benchmark", "naturalbench", "--data", naturalbench(tmp_path, 9),
                    "--kinds", "vqa,itc", "--json")  # fmt: skip
    assert done.code == 0, done.err
    asked = ("--model", "fake:ok", "--benchmark", "naturalbench")
    report = flipside("report", *asked, "--kind", "vqa", "--json").json
    rows = flipside("sql", "SELECT i.item_id, s.value, i.truth FROM scores s JOIN items i USING (item_no) JOIN runs r "
                    "ON r.run_id = s.run_id AND r.benchmark = i.benchmark WHERE r.benchmark_name = 'naturalbench' AND "
                    "s.part = 'vqa'", "--json").json  # fmt: skip
    right = {row["item_id"]: (row["value"] > 0) == (row["truth"] != "[]") for row in rows}
    groups = [[right[f"yes_no/{g}_q{q}_i{i}"] for q in (0, 1) for i in (0, 1)] for g in range(1, 9)]
    found = {name: entry["value"] for name, entry in report["metrics"].items()}
    assert found["answer_accuracy"] == pytest.approx(np.mean(groups))
    assert found["group_accuracy"] == pytest.approx(np.mean([all(g) for g in groups]))
    assert found["question_accuracy"] == pytest.approx(np.mean([all(g[k : k + 2]) for g in groups for k in (0, 2)]))
    assert found["image_accuracy"] == pytest.approx(np.mean([g[k] and g[k + 2] for g in groups for k in (0, 1)]))
    said_yes = np.mean([row["value"] > 0 for row in rows])
    assert found["yes_bias"] == pytest.approx(said_yes - 0.5)
    assert report["metrics"]["answer_accuracy"]["chance"] == 0.5
    refused = flipside("report", *asked, "--kind", "itc")
    assert refused.code == 2
    assert "Answers are judged by itm or vqa, not by itc: a cosine is no probability" in refused.err
    listed = flipside("failures", *asked, "--kind", "vqa", "--json").json
    assert listed["total"] == sum(not r for g in groups for r in g)
