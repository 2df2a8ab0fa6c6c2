"""The command for machines with a GPU, on a processor: the same code, small."""

import json
import subprocess
import sys

import pytest

from bench.gpu import __main__ as gpu
from bench.gpu import parity
from bench.gpu.page import page
from bench.gpu.parity import Parity
from bench.gpu.results import Results, keep, kept
from bench.gpu.speed import Bare, Compiled, Speed, best, steady


@pytest.mark.slow
def test_all_parts_on_a_processor():
    import torch

    # The compiler takes a minute; bench.compiled calls it. By torch's own patch: pytest's leaves the setting hidden,
    # and whatever compiles after that in the same process fails.
    with torch._dynamo.config.patch(disable=True):
        found = gpu.measure("cpu", dtypes=("float32", "bfloat16"), small=True, only="open_clip ViT", workers=1)
    assert {(p.family, p.dtype, p.models) for p in found.parity} == {
        ("dual-openclip", "float32", 2), ("dual-openclip", "bfloat16", 2)
    }  # fmt: skip
    assert all(p.checks >= 10 and not p.failed and p.largest <= p.limit for p in found.parity)
    (speed,) = found.speed
    assert (speed.model, speed.pictures) == ("small CLIP", 24)
    assert set(speed.image.rates) == {2, 4}
    assert 0 < speed.of_device <= speed.of_slower < 1.5
    assert speed.memory > 1 << 27
    ((name, survived),) = found.survived
    assert (name, survived.asked, survived.ended) == ("small CLIP", 24, 3)  # 24, 12, 6, 3
    assert survived.apart < 1e-5
    (compiled,) = found.compiled
    assert compiled.apart < 1e-4
    text = page(found)
    for heading in ("## Parity", "## Speed", "## Too little memory", "## torch.compile"):
        assert heading in text


def test_the_page_is_written_by_the_command_alone():
    text = gpu.PAGE.read_text(encoding="utf-8")
    assert text == page(None) or "\nMeasured on " in text, "write it by `python -m bench.gpu --write`"


def test_a_share_below_the_limit_and_a_failed_check_are_named():
    bare = Bare(64, 100.0, {64: 100.0})
    slow = Speed("m", "float16", 100, 200, 2.0, 1.0, 0.5, bare, bare)
    fine = Speed("n", "float16", 100, 200, 2.0, 1.0, 1.9, bare, bare)
    found = Results("2026-11-26", "card", {}, [Parity("f", "float16", 1, 3, 1.0, 0.1, ("m, itc, reference",))],
                    [slow, fine])  # fmt: skip
    assert found.short() == [
        "f in float16: m, itc, reference",
        "m in float16: 0.50 of what the device allows, expected at least 0.9",
    ]
    assert fine.waits_for == "decoding"
    assert "| 50 | 100 |" in page(found)


def test_the_best_batch_is_searched_until_memory_ends():
    import torch

    def make(size):
        if size > 64:
            raise torch.OutOfMemoryError("no more")
        return lambda: None

    found = best(make, torch.device("cpu"))
    assert list(found.rates) == [16, 32, 64]
    assert found.rate == max(found.rates.values())


def test_the_difference_nearest_to_its_limit_stands_for_a_family():
    rows = [
        {"family": "f", "model": "a", "kind": "itc", "check": "x", "largest": 1e-5, "limit": 1e-4, "ok": True,
         "problem": ""},
        {"family": "f", "model": "b", "kind": "itc", "check": "y", "largest": 2e-3, "limit": 1e-1, "ok": True,
         "problem": ""},
        {"family": "f", "model": "b", "kind": "itc", "check": "z", "largest": None, "limit": 1e-1, "ok": False,
         "problem": "no number"},
        {"family": "f", "model": "b", "kind": "gen", "check": "z", "largest": 0.2, "limit": 1e-1, "ok": False,
         "problem": ""},
    ]  # fmt: skip
    (found,) = parity.by_family(rows, "float32")
    assert (found.models, found.checks, found.largest, found.limit) == (2, 4, 0.2, 1e-1)
    assert found.failed == ("b, itc, z: no number", "b, gen, z: 2.0e-01, where 1e-01 is allowed")


def test_the_pace_of_a_run_leaves_out_the_window_in_which_processes_start():
    assert steady([(8.0, 100), (9.0, 300), (10.0, 500)], 10.0) == 2.5
    assert steady([(8.0, 100)], 10.0) == 10.0


def test_compiling_that_never_pays_is_said():
    assert Compiled("m", "float16", 64, 1.0, 1.1, 30.0, 0.0).pays_after is None
    assert Compiled("m", "float16", 64, 1.0, 0.5, 30.0, 0.0).pays_after == 60 * 64


@pytest.mark.long
def test_the_page_of_a_gpu_is_not_written_without_one():
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is one")
    done = subprocess.run([sys.executable, "-m", "bench.gpu", "--write"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "torch sees no GPU here" in done.stderr
    assert json.dumps(done.stdout) == '""'


def test_what_was_measured_is_kept_and_not_measured_again(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(parity, "measure", lambda device, dtypes, *more: asked.append(dtypes) or [
        Parity("f", dtypes[0], 1, 3, 1e-6, 1e-4, ())
    ])  # fmt: skip
    file = tmp_path / "gpu.json"
    one = gpu.measure("cpu", parts=("parity",), dtypes=("float32",), small=True, results=file)
    both = gpu.measure("cpu", parts=("parity",), dtypes=("float32", "bfloat16"), small=True, results=file)
    assert asked == [("float32",), ("bfloat16",)]
    assert [p.dtype for p in both.parity] == ["float32", "bfloat16"]
    assert kept(file, one.machine, one.versions) == both
    bare = Bare(64, 100.0, {64: 100.0})
    both.speed.append(Speed("m", "float16", 100, 200, 2.0, 1.0, 0.5, bare, bare, {"images": 128}))
    keep(both, file)
    assert kept(file, one.machine, one.versions) == both
    with pytest.raises(SystemExit, match="another file"):
        kept(file, "another card", one.versions)
    file.write_text("[]")
    with pytest.raises(SystemExit, match="no results of this command"):
        kept(file, one.machine, one.versions)


@pytest.mark.long
def test_a_name_that_no_family_has_is_refused():
    assert parity.names("open_clip vit")
    assert parity.names("nobody") == []
    done = subprocess.run(
        [sys.executable, "-m", "bench.gpu", "--small", "--only", "nobody"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "--only nobody: no model or family" in done.stderr
