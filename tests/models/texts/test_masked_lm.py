"""Pseudo-log-likelihood, by hand: one masked copy a token, special tokens neither hidden nor scored."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.engine.inputs.prior import load_blind
from backend.errors import FlipsideError, UsageError
from backend.models import kinds_of, load
from tests.zoo.base import TEXTS
from tests.zoo.texts.blind import masked
from tests.zoo.texts.tokenizers import tokenizer


def by_hand(torch: Any, module: Any, row: list[int], hidden: list[list[int]], mask: int) -> list[float]:
    """log P of token hidden[k][0] of the row with all of hidden[k] masked."""
    found = []
    for places in hidden:
        copy = [mask if n in places else token for n, token in enumerate(row)]
        with torch.no_grad():
            table = torch.log_softmax(module(torch.tensor([copy])).logits[0].double(), dim=-1)
        found.append(table[places[0], row[places[0]]].item())
    return found


def test_each_token_is_hidden_in_its_own_copy(torch: Any, tmp_path: Path) -> None:
    module, tokens = masked(tmp_path, "BERT"), tokenizer("bert")
    mine = load(f"lm:{tmp_path}", device="cpu")
    assert mine.family == load(f"hf:{tmp_path}", device="cpu").family == "masked-lm"
    pieces = ["[CLS]", "red", "z", "##e", "##b", "##r", "##a", "cat", "[SEP]"]
    row = tokens.convert_tokens_to_ids(pieces)
    ((found, values),) = mine.text_logprobs(["red zebra cat"])
    assert found == pieces[1:-1]
    want = by_hand(torch, module, row, [[k] for k in range(1, 8)], tokens.mask_token_id)
    np.testing.assert_allclose(values, want, atol=1e-4)
    assert values.dtype == np.float32


def test_word_by_word_hides_what_would_give_a_word_away(torch: Any, tmp_path: Path) -> None:
    module, tokens = masked(tmp_path, "BERT"), tokenizer("bert")
    mine, plain = load(f"lm:{tmp_path}#l2r", device="cpu"), load(f"lm:{tmp_path}", device="cpu")
    row = tokens.convert_tokens_to_ids(["[CLS]", "red", "z", "##e", "##b", "##r", "##a", "cat", "[SEP]"])
    hidden = [[1], [2, 3, 4, 5, 6], [3, 4, 5, 6], [4, 5, 6], [5, 6], [6], [7]]
    want = by_hand(torch, module, row, hidden, tokens.mask_token_id)
    ((_, values),) = mine.text_logprobs(["red zebra cat"])
    np.testing.assert_allclose(values, want, atol=1e-4)
    other = plain.text_logprobs(["red zebra cat"])[0][1]
    assert np.abs(values - other).max() > 0.01
    np.testing.assert_allclose(values[[0, 5, 6]], other[[0, 5, 6]], atol=1e-4)
    assert mine.describe()["preprocessing"]["scored"] != plain.describe()["preprocessing"]["scored"]


def test_an_empty_text_has_nothing_to_hide(tmp_path: Path) -> None:
    masked(tmp_path, "BERT")
    mine = load(f"lm:{tmp_path}", device="cpu")
    assert [len(values) for _, values in mine.text_logprobs(["", "a", ""])] == [0, 1, 0]
    assert mine.text_logprobs([]) == []
    assert mine.text_lengths(["", "a"]).tolist() == [2, 3]


def test_copies_are_batched_within_bounds(tmp_path: Path) -> None:
    """A long text makes many copies; no batch holds more of them than it may, and none is lost."""
    masked(tmp_path, "BERT")
    mine: Any = load(f"lm:{tmp_path}", device="cpu")
    want = mine.text_logprobs(TEXTS)
    sizes: list[int] = []
    mine.module.register_forward_pre_hook(
        lambda _m, _a, kwargs: sizes.append(len(kwargs["input_ids"])), with_kwargs=True
    )
    mine.batch_size = 3
    for (_, a), (_, b) in zip(want, mine.text_logprobs(TEXTS), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-4)
    assert max(sizes) == 3
    assert sum(sizes) == sum(len(values) for _, values in want)


def test_a_large_vocabulary_makes_small_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    masked(tmp_path, "BERT")
    assert load(f"lm:{tmp_path}", device="cpu").batch_size == 64
    monkeypatch.setattr("backend.models.texts.masked_lm.LOGITS", 64 * len(tokenizer("bert")) * 5)
    assert load(f"lm:{tmp_path}", device="cpu").batch_size == 5


def test_long_texts_are_cut_to_their_special_tokens_and_reported(tmp_path: Path) -> None:
    masked(tmp_path, "BERT", model_max_length=9)
    mine = load(f"lm:{tmp_path}", device="cpu")
    assert len(mine.text_logprobs(["a cat " * 9])[0][1]) == 7
    assert mine.truncated(["a " * 7, "a " * 8]).tolist() == [False, True]


def test_the_same_folder_is_an_encoder_under_st(tmp_path: Path) -> None:
    masked(tmp_path, "BERT")
    assert kinds_of(f"st:{tmp_path}") == {"t2t"}
    assert kinds_of(f"hf:{tmp_path}") == kinds_of(f"lm:{tmp_path}") == {"prior"}
    assert load(f"st:{tmp_path}", device="cpu").family == "sentence"
    assert load_blind(f"lm:{tmp_path}", "cpu", "auto", 0).kinds == {"prior"}


def test_what_cannot_be_hidden_is_refused(tmp_path: Path) -> None:
    masked(tmp_path, "BERT")
    with pytest.raises(UsageError, match="#mask is no option of a masked language model; use #l2r"):
        load(f"lm:{tmp_path}#mask", device="cpu")
    tokens = tokenizer("bert")
    tokens.mask_token = None
    tokens.save_pretrained(tmp_path)
    with pytest.raises(FlipsideError, match="its tokenizer has no mask token"):
        load(f"lm:{tmp_path}", device="cpu")
