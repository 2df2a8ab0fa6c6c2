"""A batch finds its size: by arithmetic, and in the loop that all torch models share."""

import numpy as np
import pytest

from backend.models.dual import openclip
from backend.models.growing import TIMED, UNFILLED, Growing


def feed(growing: Growing, seconds, batches: int = 60) -> None:
    """Full batches whose time is a function of their size."""
    for _ in range(batches):
        growing.note(growing.size, growing.size, seconds(growing.size))


def test_it_doubles_while_an_input_takes_less_time():
    growing = Growing(8, 1024)
    feed(growing, lambda n: max(n, 32) * 1e-3)  # up to 32 at once take as long as one
    assert (growing.size, growing.settled) == (32, True)
    assert sorted(growing.rates) == [8, 16, 32, 64, 128]


def test_it_ends_at_the_most():
    growing = Growing(8, 40)
    feed(growing, lambda n: 1e-3)
    assert (growing.size, growing.settled) == (32, True)


def test_the_first_batch_of_a_size_and_batches_that_are_not_full_tell_nothing():
    growing = Growing(8, 1024)
    for _ in range(50):
        growing.note(7, 7, 1.0)
    growing.note(8, 8, 100.0)  # the libraries choose their kernels
    for _ in range(TIMED):
        growing.note(8, 8, 0.008)
    assert growing.size == 16
    assert growing.rates == {8: pytest.approx(1000)}


def test_what_did_not_fit_is_not_tried_again():
    growing = Growing(8, 1024)
    feed(growing, lambda n: 1e-3, 2 * (TIMED + 1))
    assert growing.size == 32
    growing.failed(16)
    feed(growing, lambda n: 1e-9)
    assert growing.size == 16


@pytest.mark.parametrize(("timed", "ends"), [(3, 32), (1, 8), (0, 8)])
def test_a_size_that_no_list_fills_is_given_up(timed, ends):
    """Lists of 40: the size is the best of those that were timed, and the size it began with where none was."""
    growing = Growing(8, 1024)
    for _ in range(timed):
        feed(growing, lambda n: 1e-3, TIMED + 1)  # twice as many are twice as fast
    for _ in range(UNFILLED):
        growing.note(growing.size - 1, growing.size - 1, 1e-3)
        growing.asked()
    assert not growing.settled
    feed(growing, lambda n: 1e-3, 1)  # one that was filled
    for _ in range(UNFILLED + 1):
        assert not growing.settled
        growing.asked()
    assert (growing.size, growing.settled) == (ends, True)


def test_where_the_plan_forms_batches_none_finds_its_size(clip, monkeypatch):
    import torch

    monkeypatch.setattr(clip, "device", torch.device("cuda"))
    assert clip._finds()
    assert clip.images_at_once == 512
    clip.finds_batches = False
    assert not clip._finds()
    assert clip.images_at_once == 64


@pytest.fixture
def clip(tmp_path):
    from backend.models import load
    from bench.paired import made

    made.openclip_small(tmp_path)
    return load(f"hf:{tmp_path}", "cpu", "float32")


@pytest.mark.long
def test_a_model_on_a_gpu_grows_its_batches_kind_by_kind_and_gives_the_same_vectors(clip, monkeypatch):
    texts = [f"a cat and {n % 900} dogs" for n in range(5000)]
    expected = clip.encode_texts(texts)
    longest = int(clip.full_lengths(texts).max())
    assert longest < 64  # or the number of positions would bound the batches
    sizes = []
    monkeypatch.setattr(type(clip), "_finds", lambda self: self._said is None)
    monkeypatch.setattr("backend.models.torch_model.time.perf_counter", iter(np.arange(0, 1e6, 0.5)).__next__)
    encode = openclip.encode_cut
    monkeypatch.setattr(openclip, "encode_cut", lambda module, ids: [sizes.append(len(ids)), encode(module, ids)][1])
    tokens = clip.tokenizer(texts).numpy()
    found = clip.encode_tokens(tokens, np.full(len(texts), longest))  # of one length, or more at once would do more
    assert sizes[: TIMED + 2] == [64] * (TIMED + 1) + [128]  # every batch takes as long here, so more at once is faster
    assert max(sizes) == 1024
    assert np.abs(found - expected).max() < 1e-5
    assert clip.found_batches() == {"encode_tokens": 1024}
    size, clip.batch_size = clip.batch_size, 1  # as the measurement of batching does
    assert not clip._finds()
    clip.batch_size = size
    assert clip._finds()
    clip.batch_size = 64  # said by somebody
    assert not clip._finds()


@pytest.mark.long
def test_a_batch_that_does_not_fit_is_halved_while_it_grows(clip, monkeypatch):
    import torch

    monkeypatch.setattr(type(clip), "_finds", lambda self: self._said is None)
    seen = []

    def work(part):
        seen.append(len(part))
        if len(part) > 50:
            raise torch.OutOfMemoryError("too many")

    clip.in_batches(np.arange(200), work)
    assert seen == [64, 32, 32, 32, 32, 32, 32, 8]
