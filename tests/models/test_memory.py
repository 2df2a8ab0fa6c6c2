from typing import Any

import numpy as np
import pytest

from backend.errors import FlipsideError
from backend.models import load
from tests.models.conftest import TEXTS


@pytest.mark.long
def test_out_of_memory_halves_the_batch_and_goes_on(
    captioner: Any, images: list[Any], torch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = load(f"hf:{captioner[0]}", device="cpu")
    want = mine.caption_logprobs(images, TEXTS)
    decode = mine.module.text_decoder.forward

    def small(*args: Any, **kwargs: Any) -> Any:
        if len(kwargs["input_ids"]) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return decode(*args, **kwargs)

    monkeypatch.setattr(mine.module.text_decoder, "forward", small)
    for expected in (
        (64,),
        (1, 2),
    ):  # halved for one call, where as many fitted before; for good where that comes again
        for (_, a), (_, b) in zip(want, mine.caption_logprobs(images, TEXTS), strict=True):
            np.testing.assert_allclose(a, b, atol=1e-5)
        assert mine.batch_size in expected


@pytest.mark.slow
def test_one_item_that_does_not_fit_is_said(gpt2: Any, torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = load(f"lm:{gpt2[0]}", device="cpu")

    def never(*_: Any, **__: Any) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(mine.module, "forward", never)
    with pytest.raises(FlipsideError, match="a single item does not fit"):
        mine.text_logprobs(TEXTS)


def test_other_errors_are_not_swallowed(gpt2: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = load(f"lm:{gpt2[0]}", device="cpu")

    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("shape mismatch")

    monkeypatch.setattr(mine.module, "forward", broken)
    with pytest.raises(RuntimeError, match="shape mismatch"):
        mine.text_logprobs(TEXTS)


def test_long_texts_share_a_batch_with_few_others(gpt2: Any) -> None:
    mine: Any = load(f"lm:{gpt2[0]}", device="cpu")
    sizes: list[int] = []
    lengths = np.array([10] * 100 + [2000] * 5, dtype=np.int64)
    mine.in_batches(np.arange(105), lambda part: sizes.append(len(part)), lengths)
    assert sum(sizes) == 105
    assert max(sizes) == 64
    assert sizes[-1] <= 2


def test_a_few_that_do_not_fit_where_as_many_did_change_nothing_for_others(gpt2: Any, torch: Any) -> None:
    """The last three of a list, where something else holds the memory for a while: those go in smaller parts."""
    mine: Any = load(f"lm:{gpt2[0]}", device="cpu")
    sizes: list[int] = []

    def work(part: Any) -> None:
        if len(part) == 3:
            raise torch.OutOfMemoryError("CUDA out of memory")
        sizes.append(len(part))

    for _ in range(2):
        mine.in_batches(np.arange(67), work)
    assert sizes == [64, 1, 1, 1] * 2
    assert mine.batch_size == 64
