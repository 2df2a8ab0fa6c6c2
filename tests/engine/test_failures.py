import numpy as np
import pytest

from backend.engine.inputs import decoder as decode
from backend.engine.retries import CallError, Guard
from backend.engine.runner import run
from backend.engine.storage import shards
from backend.engine.storage.ledger import Pace
from backend.errors import FlipsideError
from backend.items import Benchmark, ImageRef
from backend.models import load
from tests.engine.samples import mixed, rows

SMALL = Pace(cells=4, first_cells=4, rows=8)


def test_nan_is_refused_and_the_item_named(tmp_path):
    summary = run("fake:nan", mixed(tmp_path / "p"), ["itc", "gen"])
    assert summary.exit_code == 1
    assert "stopped at item tri/0" in summary.failed["itc"]
    assert "no finite number" in summary.failed["gen"]
    parts = shards.read_manifest(summary.run_dir)["parts"]
    assert not any(part["shards"] or part["complete"] for part in parts.values())
    assert all("no finite number" in part["failed"] for part in parts.values())


def test_one_nan_stops_its_part_alone_and_a_later_try_goes_on(tmp_path):
    benchmark = mixed(tmp_path / "p")
    model = load("fake:ok")
    original = model.itm_logits

    def bad_once(images, texts):
        return np.array([np.inf if t == "right 2" else v for t, v in zip(texts, original(images, texts), strict=True)])

    model.itm_logits = bad_once
    first = run(model, benchmark, ["itm", "itc"], pace=SMALL)
    assert first.failed.keys() == {"itm"}
    assert "quad/2" in first.failed["itm"]
    assert first.parts["itc"]["complete"]
    stored = set(shards.read_part(first.run_dir, "itm")["item_no"].to_pylist())
    assert stored
    assert 6 not in stored
    second = run("fake:ok", benchmark, ["itm"])
    assert (second.exit_code, second.parts["itm"]["complete"]) == (0, True)
    whole = run("fake:ok", benchmark, ["itm", "itc"], root=tmp_path / "whole")
    assert rows(second.run_dir) == rows(whole.run_dir)


def test_a_raising_model_fails_its_parts_and_leaves_a_traceback(tmp_path):
    summary = run("fake:raise", mixed(tmp_path / "p"), ["itc", "itm", "gen", "vqa", "t2t", "prior"])
    assert summary.exit_code == 1
    assert {part for part in summary.failed if ":" not in part or part.startswith("prior")} == {
        "itc", "itm", "gen", "vqa", "t2t", "prior@noise:3",
    }  # fmt: skip
    assert all("RuntimeError: fake:raise fails on purpose" in reason for reason in summary.failed.values())
    log = (summary.run_dir / "errors.log").read_text()
    assert "Traceback" in log
    assert "fails on purpose" in log


def test_the_item_at_fault_is_found_in_its_batch(tmp_path):
    model = load("fake:ok")
    original = model.caption_logprobs

    def picky(images, texts):
        if "foil 3" in texts:
            raise ValueError("cannot tokenize this")
        return original(images, texts)

    model.caption_logprobs = picky
    summary = run(model, mixed(tmp_path / "p"), ["gen"])
    assert "stopped at item choice/1: ValueError: cannot tokenize this" in summary.failed["gen"]


def test_an_unreadable_image_leaves_out_its_items_alone(tmp_path):
    items = list(mixed(tmp_path / "p"))
    (tmp_path / "p" / "p1.png").write_text("no picture")
    (tmp_path / "p" / "q3b.png").unlink()
    summary = run("fake:ok", Benchmark("mixed", lambda: iter(items)), ["itc", "itm", "t2t"])
    assert summary.exit_code == 1
    assert summary.unreadable.keys() == {"tri/1", "choice/1", "quad/3"}
    assert "q3b.png" in summary.unreadable["quad/3"]
    (entry,) = summary.left_out
    assert (entry.reason, entry.n, entry.parts) == ("image cannot be read", 3, ["itc", "itm"])
    assert shards.read_manifest(summary.run_dir)["parts"]["itc"]["left_out"] == {"image cannot be read": 3}
    assert not {1, 7, 9} & set(shards.read_part(summary.run_dir, "itc")["item_no"].to_pylist())
    assert len(shards.read_part(summary.run_dir, "t2t")) == 12
    (tmp_path / "p" / "p1.png").unlink()
    mended = run("fake:ok", mixed(tmp_path / "p"), ["itc", "itm", "t2t"])
    assert mended.exit_code == 0
    assert mended.parts["itc"]["new_rows"] == 3 + 4 + 4
    whole = run("fake:ok", mixed(tmp_path / "p"), ["itc", "itm", "t2t"], root=tmp_path / "whole")
    assert rows(mended.run_dir) == rows(whole.run_dir)


@pytest.mark.slow
def test_out_of_memory_halves_the_batch_and_goes_on():
    sizes = []

    def work(ids):
        sizes.append(len(ids))
        if len(ids) > 3:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")
        return [i * i for i in ids]

    guard = Guard()
    assert guard("gen", work, 20) == [i * i for i in range(20)]
    assert guard.limits == {"gen": 2}
    sizes.clear()
    assert guard("gen", work, 5) == [0, 1, 4, 9, 16]
    assert max(sizes) == 2


@pytest.mark.slow
def test_memory_too_small_for_one_input_is_an_error_about_that_input():
    def work(ids):
        if 5 in ids:
            raise MemoryError("no room")
        return list(ids)

    with pytest.raises(CallError) as raised:
        Guard()("gen", work, 8)
    assert raised.value.index == 5


def test_too_few_results_are_an_error():
    with pytest.raises(CallError, match="results for"):
        Guard()("itc", lambda ids: list(ids)[1:], 4)


def test_decoding_ahead_is_bounded_and_in_order(tmp_path, monkeypatch):
    from PIL import Image

    monkeypatch.setattr(decode, "BYTES", 4 * 100 * 100 * 3)
    Image.new("RGB", (100, 100)).save(tmp_path / "x.png")
    refs = [ImageRef(f"{k}", str(tmp_path / "x.png")) for k in range(30)]
    opened = []
    original = decode.decode
    monkeypatch.setattr(decode, "decode", lambda ref: (opened.append(ref.key), original(ref))[1])
    decoder = decode.Decoder(1)
    seen = []
    for batch in decoder.batches(refs):
        seen += [image.ref.key for image in batch]
        assert len(batch) <= 4
        assert len(opened) - len(seen) <= 5
    decoder.close()
    assert seen == [ref.key for ref in refs]
    assert decoder.decoded == 30


def test_prior_images_that_are_not_there_are_refused(tmp_path):
    with pytest.raises(FlipsideError, match="has only 16 images here"):
        run("fake:ok", mixed(tmp_path / "p"), ["prior"], priors=["images:17"])
