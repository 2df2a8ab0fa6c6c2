"""Pictures decoded and prepared in processes: the same pixels, the same rows, whatever happens to a process."""

import os
import signal
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import psutil
import pytest
from PIL import Image

from backend.engine.inputs import processes
from backend.engine.inputs.decode import decode, prepared
from backend.engine.inputs.decoder import Decoder
from backend.engine.runner import run
from backend.engine.storage import shards
from backend.errors import UsageError
from backend.items import ImageRef


def test_what_the_variable_may_say(monkeypatch):
    monkeypatch.setenv(processes.VARIABLE, "processes:3")
    assert processes.asked_for() == 3
    monkeypatch.setenv(processes.VARIABLE, "processes")
    assert processes.asked_for() >= 1
    assert processes.asked_for(5) >= 1
    monkeypatch.setenv(processes.VARIABLE, "processes")
    assert processes.asked_for(5) == 5
    for wrong in ("processes:0", "processes:many", "processes:", "3", "threads:2"):
        monkeypatch.setenv(processes.VARIABLE, wrong)
        with pytest.raises(UsageError, match="expected threads, processes or processes:N"):
            processes.asked_for()


@pytest.fixture
def refs(tmp_path):
    """Six pictures, one of which is none."""
    draw = np.random.default_rng(0)
    for n in range(6):
        Image.fromarray(draw.integers(0, 255, (40 + n, 60, 3), dtype=np.uint8)).save(tmp_path / f"{n}.png")
    (tmp_path / "2.png").write_bytes(b"no picture")
    return [ImageRef(f"{n}.png", str(tmp_path / f"{n}.png")) for n in range(6)]


def half(image: Image.Image) -> np.ndarray:
    """A preparer that another process can find by its name."""
    if image.height == 44:
        raise ValueError("the model's code cannot take this one")
    return np.asarray(image, dtype=np.float32).transpose(2, 0, 1)[:, ::2] / 2


def test_a_model_that_cannot_take_a_picture_is_given_it_as_it_is(refs):
    images = [prepared(decode(ref), half) for ref in refs]
    assert [type(image.picture).__name__ for image in images] == ["ndarray", "ndarray", "NoneType", "ndarray", "Image",
                                                                  "ndarray"]  # fmt: skip
    assert images[0].n_bytes == images[0].picture.nbytes


@pytest.mark.long
def test_processes_give_what_threads_give_and_one_that_dies_costs_nothing(refs):
    with closing(Decoder(1, 1)) as decoder:
        found = [image for batch in decoder.batches(refs) for image in batch]
        for image, ref in zip(found, refs, strict=True):
            here = decode(ref)
            assert (image.ref, image.problem, image.digest) == (ref, here.problem, here.digest)
            assert image.picture is None or image.picture.tobytes() == here.picture.tobytes()
        (worker,) = decoder._processes._pool._processes.values()
        os.kill(worker.pid, signal.SIGKILL)
        again = [image for batch in decoder.batches(refs) for image in batch]
        assert [image.digest for image in again] == [image.digest for image in found]
        assert decoder._processes is None  # from then on threads


def noted(model, monkeypatch):
    """The types of the pictures that a model is given."""
    shapes, encode = [], model.encode_images
    monkeypatch.setattr(model, "encode_images", lambda some: [shapes.extend(map(type, some)), encode(some)][1])
    return shapes


def texts_asked(model, monkeypatch):
    """The texts that a model cuts itself."""
    asked, encode = [], model.encode_texts
    monkeypatch.setattr(model, "encode_texts", lambda texts: [asked.extend(texts), encode(texts)][1])
    return asked


ODD_TEXTS = ["a cat", "", "! ! !", "a dog " * 60, "caf\u00e9 &amp; bar", "<end_of_text> in between", "a cat"]


@pytest.mark.long
def test_texts_that_a_process_cuts_give_the_vectors_of_texts(tmp_path):
    from backend.models import load
    from bench.paired import made

    made.openclip_small(tmp_path / "clip")
    model = load(f"hf:{tmp_path / 'clip'}", "cpu", "float32")
    with closing(Decoder(1, 1, model.preparer(), cut=model.text_preparer())) as decoder:
        tokens = decoder.cut(ODD_TEXTS)
        assert tokens.shape == (len(ODD_TEXTS), 77)
        assert model.encode_tokens(tokens).tobytes() == model.encode_texts(ODD_TEXTS).tobytes()
        assert decoder.cut([3]) is None  # what cannot be cut is left to the model, which says why
    with closing(Decoder(1)) as decoder:
        assert decoder.cut(ODD_TEXTS) is None


def test_lengths_read_off_the_rows_are_those_of_the_texts(tmp_path, monkeypatch):
    from backend.models import load
    from backend.models.dual import openclip
    from bench.paired import made

    made.openclip_small(tmp_path / "clip")
    model = load(f"hf:{tmp_path / 'clip'}", "cpu", "float32")
    assert model.cuttable
    seen, sorted_by = [], openclip.by_length
    monkeypatch.setattr(openclip, "by_length", lambda lengths: [seen.append(lengths.tolist()), sorted_by(lengths)][1])
    model.encode_texts(ODD_TEXTS)
    assert seen == [model.text_lengths(ODD_TEXTS).tolist()]


@pytest.mark.slow
def test_a_run_with_processes_has_the_same_rows_to_the_bit(tmp_path, monkeypatch):
    from backend.benchmarks import load_benchmark
    from backend.models import load
    from bench.paired import made

    made.openclip_small(tmp_path / "clip")
    made.sugarcrepe(tmp_path / "data", 6, 30, (96, 72))
    benchmark = load_benchmark("sugarcrepe", tmp_path / "data")
    rows = []
    for name in ("threads", "processes:1"):
        monkeypatch.setenv(processes.VARIABLE, name)
        model = load(f"hf:{tmp_path / 'clip'}", "cpu", "float32")
        shapes, asked = noted(model, monkeypatch), texts_asked(model, monkeypatch)
        summary = run(model, benchmark, ["itc"], root=tmp_path / name)
        rows.append(shards.read_part(summary.run_dir, "itc").to_pylist())
        assert np.ndarray in shapes if name != "threads" else np.ndarray not in shapes
        every = {text for item in benchmark for text in item.texts}
        assert (set(asked) >= every) == (name == "threads")  # else the process has cut them, but for a few asked alone
    assert rows[0] == rows[1]
    assert len(rows[0]) == 60


@pytest.mark.long
def test_pixels_come_through_memory_that_is_used_again(tmp_path):
    """Twenty pictures through slots, of which only those in hand are taken; views keep theirs."""
    draw = np.random.default_rng(0)
    for n in range(24):
        Image.fromarray(draw.integers(0, 255, (40, 60, 3), dtype=np.uint8)).save(tmp_path / f"{n}.png")
    refs = [ImageRef(f"{n}.png", str(tmp_path / f"{n}.png")) for n in range(24)]
    with closing(Decoder(1, 1, half)) as decoder:
        held = []
        for batch in decoder.batches(refs):
            for image in batch:
                assert image.picture.tobytes() == half(decode(image.ref).picture).tobytes()
                held.append(image.picture[:1])
        slots = decoder._processes.slots
        del batch, image
        assert slots.number - len(slots) == len([one for one in held if one.base is not None]) - 2 > 10
        held.clear()
        assert len(slots) == slots.number


@pytest.mark.long
@pytest.mark.parametrize("workers", [0, 1])
def test_what_is_expected_is_begun_and_what_is_never_asked_for_is_let_go(tmp_path, monkeypatch, workers):
    for n in range(12):
        Image.new("RGB", (60, 40), (n, 0, 0)).save(tmp_path / f"{n}.png")
    refs = [ImageRef(f"{n}.png", str(tmp_path / f"{n}.png")) for n in range(12)]
    with closing(Decoder(1, workers, half)) as decoder:
        begun = []
        begin = decoder._begin
        monkeypatch.setattr(decoder, "_begin", lambda new: [begun.extend(one.ref.key for one in new), begin(new)])
        decoder.expect(refs[4:])
        list(decoder.batches(refs[:4]))
        assert {"4.png", "5.png"} <= set(begun)
        decoder.expect((), now={ref.key for ref in refs[6:]})
        assert not {"4.png", "5.png"} & set(decoder._ahead)
        assert [i.ref.key for b in decoder.batches(refs[6:]) for i in b] == [ref.key for ref in refs[6:]]
        assert not decoder._ahead
        assert sorted(begun) == sorted(ref.key for ref in refs)  # each once
        other = tmp_path / "other.png"
        Image.new("RGB", (60, 40), (99, 0, 0)).save(other)
        decoder.expect([ImageRef("same name", str(tmp_path / "0.png"))])
        list(decoder.batches(refs[:1]))
        (found,) = (i for b in decoder.batches([ImageRef("same name", str(other))]) for i in b)
        assert found.digest == decode(ImageRef("", str(other))).digest
        del found
        if decoder._processes is not None:
            slots = decoder._processes.slots
            assert len(slots) == slots.number


@pytest.mark.long
def test_a_process_ends_when_its_parent_was_killed(tmp_path):
    import subprocess
    import sys

    code = (
        "import os, sys, time\n"
        "from backend.engine.inputs.decode import decode_and_prepare\n"
        "from backend.engine.inputs.processes import Processes\n"
        "from backend.items import ImageRef\n"
        "if __name__ == '__main__':\n"
        "    pool = Processes(1, decode_and_prepare, None)\n"
        "    pool.submit([ImageRef('x', '/nowhere.png')]).result()\n"
        "    print(*pool._pool._processes, flush=True)\n"
        "    time.sleep(60)\n"
    )
    script = tmp_path / "parent.py"
    script.write_text(code)
    with subprocess.Popen([sys.executable, str(script)], env={**os.environ, "PYTHONPATH": str(Path.cwd())},
                          stdout=subprocess.PIPE, text=True) as parent:  # fmt: skip
        child = int(parent.stdout.readline())
        parent.kill()
        for _ in range(100):
            if not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE:
                return
            time.sleep(0.2)
    pytest.fail("the process lives on without its parent")
