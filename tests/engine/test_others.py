"""Captions under other images: parts of their own, planned, deduplicated, resumed and taken over like any."""

import json
import time

import numpy as np
import pytest
from PIL import Image

from backend.engine.inputs.others import Others
from backend.engine.inputs.selection import Selection
from backend.engine.runner import run
from backend.engine.storage import files, shards
from backend.engine.storage.ledger import Pace
from backend.errors import FlipsideError, UsageError
from backend.images import open_image
from backend.intake.survey import survey
from backend.items import Benchmark, ImageRef, Kind
from backend.models import load
from tests.engine.samples import Counting, item, mixed, rows
from tests.zoo import blip

SMALL = Pace(cells=12, first_cells=12, rows=24)
KINDS = ["itc", "itm", "gen"]
UNDER_OTHERS = {f"counterfactual:{name}" for name in ("text", "image", "itm", "gen")}


def manifest(summary) -> dict:
    return shards.read_manifest(summary.run_dir)["parts"]


def record(summary) -> dict:
    return json.loads((summary.run_dir / "run.json").read_text())


def of(summary, part) -> list[tuple]:
    return rows(summary.run_dir)[part]


def judged(benchmark):
    """number -> item, of the choices and triplets of a benchmark."""
    return {n: it for n, it in enumerate(benchmark) if it.protocol in ("choice", "triplet")}


@pytest.mark.parametrize("kind", ["itm", "gen", "vqa"])
def test_every_caption_is_scored_under_the_images_that_were_drawn(tmp_path, kind):
    benchmark = mixed(tmp_path / "p")
    summary = run("fake:ok", benchmark, [kind], counterfactual=2)
    items, model = judged(benchmark), load("fake:ok")
    drawn = Others(survey(benchmark, Selection(), tmp_path), 2, 0)
    numbers = {it.images[0].key: n for n, it in reversed(items.items())}
    expected = []
    for n, it in items.items():
        same = [m for m, other in items.items() if other.subset == it.subset and m != n]
        images = drawn.wanted(n).tolist()
        assert len(images) == 2
        assert set(images) <= {numbers[items[m].images[0].key] for m in same}
        for image in images:
            (ref,) = {other.images[0].uri for other in items.values() if numbers[other.images[0].key] == image}
            scores = model.pair_scores(Kind(kind), [open_image(ref)] * len(it.texts), list(it.texts))
            expected += [(n, image, t, score.value, score.n_tokens) for t, score in enumerate(scores)]
    found = of(summary, f"counterfactual:{kind}")
    assert [row[:3] + row[4:] for row in found] == [row[:3] + row[4:] for row in sorted(expected)]
    assert [row[3] for row in found] == pytest.approx([row[3] for row in sorted(expected)], abs=1e-5)
    assert manifest(summary)[f"counterfactual:{kind}"]["complete"]


def test_of_two_vectors_the_vectors_are_kept_once_whatever_the_number(tmp_path):
    benchmark = mixed(tmp_path / "p")
    first = run("fake:ok", benchmark, ["itc"], counterfactual=1)
    texts, images = (of(first, f"counterfactual:{side}") for side in ("text", "image"))
    items = judged(benchmark)
    assert [(n, t) for n, t, _ in texts] == [(n, t) for n, it in items.items() for t in range(len(it.texts))]
    assert [(n, i) for n, i, _ in images] == [(n, 0) for n in range(4)]  # the choices show the triplets' images
    scores = {row[:3]: row[5] for row in of(first, "itc")}
    vectors = {items[n].images[0].key: np.array(vector) for n, _, vector in images}
    for n, t, vector in texts:
        cosine = np.array(vector) @ vectors[items[n].images[0].key]
        assert cosine == pytest.approx(scores[n, 0, t], abs=2e-3)
    counting = Counting()
    again = run(counting.model, benchmark, ["itc"], counterfactual=3)
    assert (again.computed, again.run_id, counting.calls) == (0, first.run_id, {})
    assert record(again)["counterfactual"]["counterfactual:text"]["images"] == "all"


def test_a_similarity_of_pairs_has_scores_of_its_own(tmp_path):
    summary = run("fake:pairwise", mixed(tmp_path / "p"), ["itc"], counterfactual=2)
    assert {"counterfactual:itc"} == {part for part in manifest(summary) if part.startswith("counterfactual")}
    assert len(of(summary, "counterfactual:itc")) == 4 * 3 * 2 + 4 * 4 * 2


def test_it_extends_a_finished_run_and_a_larger_number_adds_only_what_is_missing(tmp_path):
    benchmark = mixed(tmp_path / "p", 8)
    plain = run("fake:ok", benchmark, KINDS)
    before = rows(plain.run_dir)
    assert all(part["complete"] for part in manifest(plain).values())
    assert not UNDER_OTHERS & manifest(plain).keys()
    few = run("fake:ok", benchmark, KINDS, counterfactual=2)
    counting = Counting()
    more = run(counting.model, benchmark, KINDS, counterfactual=5)
    assert plain.run_id == few.run_id == more.run_id
    pairs = {n: len(it.texts) for n, it in judged(benchmark).items()}
    assert more.parts["counterfactual:itm"]["rows"] == 5 * sum(pairs.values())
    assert more.parts["counterfactual:itm"]["new_rows"] == 3 * sum(pairs.values())
    assert set(of(few, "counterfactual:itm")) <= set(of(more, "counterfactual:itm"))
    assert max(counting.inputs["itm_logits"].values()) == 1
    assert counting.inputs["encode_images"] == {}
    assert {part: found for part, found in rows(more.run_dir).items() if part in before} == before
    at_once = run("fake:ok", benchmark, KINDS, counterfactual=5, root=tmp_path / "other")
    assert rows(at_once.run_dir) == rows(more.run_dir)
    assert record(more)["counterfactual"]["counterfactual:itm"]["images"] == 5
    fewer = run("fake:ok", benchmark, KINDS, counterfactual=1)
    assert fewer.computed == 0
    assert record(fewer)["counterfactual"] == record(more)["counterfactual"]
    without = run("fake:ok", benchmark, KINDS)
    assert without.computed == 0
    assert record(without)["counterfactual"] == record(more)["counterfactual"]


def test_no_pair_and_no_image_is_asked_about_twice(tmp_path):
    counting = Counting()
    benchmark = mixed(tmp_path / "p", 6)
    # In the choices each caption is also that of the next one, and the triplets show the same images.
    run(counting.model, benchmark, KINDS, counterfactual=5)
    for name in ("itm_logits", "caption_logprobs", "encode_images", "encode_texts"):
        assert max(counting.inputs[name].values()) == 1, name


def test_the_record_says_how_many_and_how_they_were_chosen(tmp_path):
    summary = run("fake:ok", mixed(tmp_path / "p", 6), ["itm"], counterfactual=3)
    entry = record(summary)["counterfactual"]["counterfactual:itm"]
    assert (entry["images"], entry["least"], entry["seed"]) == (3, 3, 0)
    assert entry["may_fit"] == ["tri", "choice"]
    assert entry["largest_cluster"] == {"tri": 1, "choice": 1}
    assert entry["preferred"] == {"tri": "concept", "choice": ""}
    assert record(summary)["sessions"][-1]["counterfactual"] == 3
    world = run("fake:ok", "world", ["itm"], selection=Selection(subset="choice", limit=40), counterfactual=3)
    said = record(world)["counterfactual"]["counterfactual:itm"]
    assert (said["may_fit"], said["preferred"]) == ([], {"choice": "objects"})
    assert "fit a caption" in said["left_out"]["choice"]


@pytest.mark.parametrize("n", [-1, 1001])
def test_a_number_that_is_none_is_refused_before_anything_is_made(tmp_path, n):
    with pytest.raises(UsageError, match=f"--counterfactual {n}: expected a number of other images from 0"):
        run("fake:ok", mixed(tmp_path / "p"), ["itm"], counterfactual=n, root=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_more_than_there_are_gives_all_of_them_and_the_least_is_recorded(tmp_path):
    benchmark = mixed(tmp_path / "p")
    summary = run("fake:ok", benchmark, ["itm"], counterfactual=1000)
    found = of(summary, "counterfactual:itm")
    assert {n: len({row[1] for row in found if row[0] == n}) for n in judged(benchmark)} == dict.fromkeys(
        judged(benchmark), 3
    )
    entry = record(summary)["counterfactual"]["counterfactual:itm"]
    assert (entry["images"], entry["least"]) == (1000, 3)


@pytest.mark.parametrize(
    ("selection", "chosen"),
    [
        (Selection(limit=3), {0, 1, 2}),
        (Selection(subset="choice"), {8, 9, 10, 11}),
        (Selection(sample=9, seed=1), None),
    ],
    ids=str,
)
def test_images_are_those_of_the_selected_items(tmp_path, selection, chosen):
    benchmark = mixed(tmp_path / "p")
    selected = set(survey(benchmark, selection, tmp_path).selected.tolist())
    items = {n: it for n, it in judged(benchmark).items() if n in selected}
    assert chosen is None or items.keys() == chosen
    summary = run("fake:ok", benchmark, ["itm"], selection=selection, counterfactual=16)
    numbers = {it.images[0].key: n for n, it in reversed(judged(benchmark).items())}
    expected = {
        (n, numbers[other.images[0].key])
        for n, it in items.items()
        for m, other in items.items()
        if m != n and other.subset == it.subset
    }
    assert {row[:2] for row in of(summary, "counterfactual:itm")} == expected


@pytest.mark.parametrize(("selection", "kinds"), [(Selection(subset="quad"), ["itm"]), (Selection(limit=1), ["itm"])])
def test_where_there_is_nothing_to_score_it_says_so(tmp_path, selection, kinds):
    summary = run("fake:ok", mixed(tmp_path / "p"), kinds, selection=selection, counterfactual=16)
    assert "no selected item is a choice or a triplet with another one's image" in summary.skipped["counterfactual"]
    assert manifest(summary).keys() == {"itm"}
    assert summary.exit_code == 0


def test_kinds_that_judge_no_pair_have_none(tmp_path):
    summary = run("fake:ok", mixed(tmp_path / "p"), ["t2t", "verdict", "prior"], counterfactual=16)
    assert "none of the kinds gives one image with one text a number" in summary.skipped["counterfactual"]
    assert not any(part.startswith("counterfactual") for part in manifest(summary))


def test_interrupted_it_goes_on_and_has_the_same_rows(tmp_path):
    benchmark = mixed(tmp_path / "p", 6)
    whole = run("fake:ok", benchmark, KINDS, counterfactual=4, root=tmp_path / "whole")

    def stop_after(n):
        def stop(report):
            if report.done > n:
                raise KeyboardInterrupt

        return stop

    stopped = run("fake:ok", benchmark, KINDS, counterfactual=4, pace=SMALL, progress=stop_after(60))
    assert (stopped.interrupted, stopped.exit_code) == (True, 130)
    assert 0 < stopped.parts["counterfactual:itm"]["rows"] < whole.parts["counterfactual:itm"]["rows"]
    assert not stopped.parts["counterfactual:itm"]["complete"]
    assert "counterfactual" not in record(stopped)
    assert stopped.counterfactual == {"images": 4}
    resumed = run("fake:ok", benchmark, KINDS, counterfactual=4)
    assert rows(resumed.run_dir) == rows(whole.run_dir)
    assert resumed.computed + stopped.computed == whole.computed
    # A larger number that is stopped leaves the smaller one complete.
    larger = run("fake:ok", benchmark, KINDS, counterfactual=5, pace=SMALL, progress=stop_after(1))
    assert larger.interrupted
    assert record(larger)["counterfactual"]["counterfactual:itm"]["images"] == 4
    assert larger.parts["counterfactual:itm"]["complete"]


class SimulatedCrash(BaseException):
    """Stands for the end of the process."""


@pytest.mark.long
def test_a_crash_at_any_file_operation_leaves_a_consistent_run(tmp_path, monkeypatch):
    benchmark, pace = mixed(tmp_path / "p", 2), Pace(cells=6, first_cells=6, rows=6)
    kinds = ["itc", "itm"]
    whole = rows(run("fake:ok", benchmark, kinds, counterfactual=1, root=tmp_path / "whole").run_dir)
    original = files.replace_bytes
    for crash_at in range(60):
        root = tmp_path / f"crash{crash_at}"
        operations = iter(range(60))

        def replace_or_crash(path, data, operations=operations, crash_at=crash_at):
            if next(operations) == crash_at:
                raise SimulatedCrash
            original(path, data)

        with monkeypatch.context() as patch:
            patch.setattr(files, "replace_bytes", replace_or_crash)
            try:
                run("fake:ok", benchmark, kinds, counterfactual=1, root=root, pace=pace)
                break
            except SimulatedCrash:
                pass
        summary = run("fake:ok", benchmark, kinds, counterfactual=1, root=root, pace=pace)
        assert rows(summary.run_dir) == whole
        assert shards.verify(summary.run_dir) == []
    assert crash_at > 10


def test_a_damaged_shard_is_set_aside_and_scored_again_and_two_processes_do_not_write_at_once(tmp_path):
    benchmark = mixed(tmp_path / "p")
    summary = run("fake:ok", benchmark, ["itm"], counterfactual=2)
    with files.run_lock(summary.run_dir), pytest.raises(FlipsideError, match="is being written by process"):
        run("fake:ok", benchmark, ["itm"], counterfactual=3)
    path = next(summary.run_dir.glob("counterfactual_itm-*.parquet"))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert run("fake:ok", benchmark, ["itm"]).exit_code == 0  # what does not read it goes on
    before = of(run("fake:ok", benchmark, ["itm"], counterfactual=3), "counterfactual:itm")
    assert path.with_name(f"{path.name}.damaged").read_bytes() == data
    again = run("fake:ok", benchmark, ["itm"], counterfactual=3)
    assert of(again, "counterfactual:itm") == before
    assert shards.verify(again.run_dir) == []


def test_an_image_that_cannot_be_opened_is_passed_over_and_one_that_is_missing_is_never_drawn(tmp_path):
    whole = list(mixed(tmp_path / "p", 6))
    (tmp_path / "p" / "p1.png").write_bytes(b"no picture")

    def items():
        for it in whole:
            gone = it.item_id == "choice/2"
            yield item(it.item_id, it.protocol, [ImageRef("p2.png", "")] if gone else it.images, it.texts, it.tags)

    summary = run(
        "fake:ok", Benchmark("mixed", items), ["itm"], counterfactual=16, selection=Selection(subset="choice")
    )
    found = {row[:2] for row in of(summary, "counterfactual:itm")}
    numbers = [0, 3, 4, 5]  # of the images that are there and can be opened: those of the triplets that show them
    assert found == {(12 + k, n) for k in range(6) if k != 2 for n in numbers if n != k}
    assert [(e.reason, e.n) for e in summary.left_out if "itm" in e.parts] == [
        ("image cannot be read", 1),
        ("image missing", 1),
    ]
    Image.new("RGB", (8, 8)).save(tmp_path / "p" / "p1.png")
    later = run("fake:ok", Benchmark("mixed", items), ["itm"], counterfactual=16, selection=Selection(subset="choice"))
    assert {row[:2] for row in of(later, "counterfactual:itm")} - found == {(12 + k, 1) for k in (0, 3, 4, 5)}


def test_scores_of_the_same_images_are_taken_from_another_run(tmp_path):
    benchmark = mixed(tmp_path / "p", 6)
    whole = run("fake:ok", benchmark, KINDS, counterfactual=3)
    counting = Counting()
    part = run(counting.model, benchmark, KINDS, selection=Selection(subset="tri"), counterfactual=2)
    assert part.run_id != whole.run_id
    assert part.computed == 0
    assert counting.calls == {}
    assert set(of(part, "counterfactual:itm")) < set(of(whole, "counterfactual:itm"))
    assert len(of(part, "counterfactual:itm")) == 6 * 3 * 2
    # The whole run keeps the images' vectors with the triplets, which show them first: the choices' are computed.
    other = run("fake:ok", benchmark, KINDS, selection=Selection(subset="choice"), counterfactual=2)
    assert other.computed == other.parts["counterfactual:text"]["rows"] + 6
    assert set(of(other, "counterfactual:gen")) < set(of(whole, "counterfactual:gen"))


def test_a_failing_model_keeps_the_other_parts(tmp_path):
    summary = run("fake:nan", mixed(tmp_path / "p"), ["itm", "t2t"], counterfactual=2)
    assert {"itm", "counterfactual:itm"} <= summary.failed.keys()
    assert summary.counterfactual == {"images": 2}


def test_without_a_number_the_summary_says_what_it_would_take(tmp_path):
    benchmark = mixed(tmp_path / "p", 6)
    summary = run("fake:ok", benchmark, ["itc", "itm", "t2t"])
    texts = 6 * 3 + 6 * 4
    said = summary.counterfactual
    assert (said["images"], said["would_be"], said["kinds"]) == (0, 16, ["itc", "itm"])
    assert said["scores"] == 5 * texts + texts + 6
    assert 0 <= said["seconds"] < 100
    assert summary.document()["counterfactual"] == said
    repeated = run("fake:ok", benchmark, ["itc", "itm"])  # nothing to compute: the rate is that of the first session
    assert record(summary)["sessions"][0]["scoring"] <= record(summary)["sessions"][0]["seconds"]
    # The whole session took longer than its scoring; sessions from before that was told apart have the whole alone.
    for told, rate in (({"seconds": 20.0, "scoring": 2.0}, 50), ({"seconds": 20.0}, 5)):
        session = {"scores": 100, **told}
        (summary.run_dir / "run.json").write_text(json.dumps(record(repeated) | {"sessions": [session]}))
        assert run("fake:ok", benchmark, ["itc", "itm"]).counterfactual["seconds"] == round(said["scores"] / rate, 1)
    run("fake:ok", benchmark, ["itm"], counterfactual=5)
    assert run("fake:ok", benchmark, ["itc", "itm"]).counterfactual["kinds"] == ["itc"]
    assert run("fake:ok", benchmark, ["itm"]).counterfactual == {"images": 0}
    assert run("fake:ok", benchmark, ["itm"], selection=Selection(subset="quad")).counterfactual == {"images": 0}


def test_the_time_that_a_model_takes_to_load_is_no_part_of_the_estimate(tmp_path, monkeypatch):
    from backend import models

    def slow(*given, **more):
        time.sleep(1.0)
        return load(*given, **more)

    monkeypatch.setattr(models, "load", slow)
    summary = run("fake:ok", mixed(tmp_path / "p", 6), ["itm"])
    assert summary.seconds > 1 > summary.scoring > 0
    calls = sum(n for what, n in summary.asked.items() if what != "images_decoded")
    assert summary.counterfactual["seconds"] == round(summary.counterfactual["scores"] * summary.scoring / calls, 1)


def test_what_cannot_be_certain_is_said_before_anything_is_scored(tmp_path):
    """Choices and triplets with too few other images, or too few items, and what is needed."""

    def told(kinds, n, counterfactual, **more):
        said = []
        benchmark = mixed(tmp_path / f"p{n}", n)
        summary = run("fake:ok", benchmark, kinds, counterfactual=counterfactual, tell=said.append, **more)
        assert summary.notes == said == summary.document()["notes"]
        return said

    needed = "every reason is uncertain, for 16 other images are needed and there are"
    more = "--counterfactual 16 scores them"
    assert told(["itm", "gen"], 24, 5) == [f"itm, gen of tri, choice: {needed} 5; {more}."]
    # All the images that there are: a larger number brings no more.
    assert told(["itm"], 9, 16) == [f"itm of tri, choice: {needed} 8."]
    # Of vectors every caption meets every image, whatever number is asked for.
    assert told(["itc"], 24, 5) == []
    assert told(["itc", "itm"], 9, 5) == [
        f"itc of tri, choice: {needed} 8.", f"itm of tri, choice: {needed} 5; {more}."
    ]  # fmt: skip
    (said,) = told(["itm"], 18, 16)
    assert said.endswith("for 20 items of one verdict are needed and there are 18.")
    assert told(["itm"], 24, 16) == told(["itm"], 9, 0) == []
    assert told(["itm"], 24, 5, selection=Selection(subset="quad")) == []


@pytest.mark.long
def test_a_real_architecture_scores_the_same_pairs_as_alone(tmp_path):
    """BLIP with random weights: a matching head, and vectors."""
    (case,) = [case for case in blip.CASES if case.name == "BLIP ITM"]
    case.build(tmp_path / "model")
    spec = case.spec.format(folder=tmp_path / "model")
    benchmark = mixed(tmp_path / "p", 5)
    summary = run(spec, benchmark, ["itc", "itm"], counterfactual=3, device="cpu", dtype="float32", batch=3)
    assert summary.exit_code == 0
    model, items = load(spec, "cpu", "float32"), judged(benchmark)
    found = of(summary, "counterfactual:itm")
    assert len(found) == 5 * 3 * 3 + 5 * 4 * 3
    for n, image, t, value, _ in found[::7]:
        picture = open_image(items[image].images[0].uri)
        (alone,) = model.pair_scores(Kind.ITM, [picture], [items[n].texts[t]])
        assert value == pytest.approx(alone.value, abs=1e-4)
    assert len(of(summary, "counterfactual:image")) == 5
