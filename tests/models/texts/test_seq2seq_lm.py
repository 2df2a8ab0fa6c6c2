"""Encoder-decoder models, by hand: which ids the encoder and the decoder get, and what the library's own loss is."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.engine.inputs.prior import load_blind
from backend.errors import FlipsideError, UsageError
from backend.models import kinds_of, load
from tests.zoo.texts.blind import BART_SIZES, FAIRSEQ, seq2seq
from tests.zoo.texts.tokenizers import tokenizer

TEXT = "the red cat"


def logprob(mine: Any, text: str = TEXT) -> float:
    ((_, values),) = mine.text_logprobs([text])
    return float(values.sum(dtype=np.float64))


def loss(torch: Any, module: Any, source: list[int], labels: list[int], given: int = 0) -> float:
    """Minus the library's own loss over the labels, which is a mean; without the first `given` of them."""
    with torch.no_grad():
        found = module(input_ids=torch.tensor([source]), labels=torch.tensor([labels]))
    table = torch.log_softmax(found.logits[0].double(), dim=-1)
    return -float(found.loss) * len(labels) - sum(table[k, labels[k]].item() for k in range(given))


def test_t5_reads_an_empty_text(torch: Any, tmp_path: Path) -> None:
    module, tokens = seq2seq(tmp_path, "T5"), tokenizer("t5")
    mine = load(f"lm:{tmp_path}", device="cpu")
    assert mine.family == "seq2seq-lm"
    assert kinds_of(f"hf:{tmp_path}") == kinds_of(f"lm:{tmp_path}") == mine.kinds == {"prior"}
    labels = tokens.convert_tokens_to_ids(["▁the", "▁red", "▁cat", "</s>"])
    assert logprob(mine) == pytest.approx(loss(torch, module, [1], labels), abs=1e-4)
    assert mine.text_logprobs([TEXT])[0][0] == ["▁the", "▁red", "▁cat", "</s>"]
    assert mine.describe()["preprocessing"]["texts"]["encoder"] == "</s>"
    assert mine.describe()["preprocessing"]["scored"] == "tokens after <pad> in the decoder, with the final </s>"
    assert mine.text_lengths([TEXT, ""]).tolist() == [5, 2]
    assert len(mine.text_logprobs([""])[0][1]) == 1


def test_t5s_span_corruption_starts_with_its_sentinel(torch: Any, tmp_path: Path) -> None:
    module, tokens = seq2seq(tmp_path, "T5"), tokenizer("t5")
    mine = load(f"lm:{tmp_path}#mask", device="cpu")
    sentinel, *labels = tokens.convert_tokens_to_ids(["<extra_id_0>", "▁the", "▁red", "▁cat", "</s>"])
    with torch.no_grad():
        logits = module(
            input_ids=torch.tensor([[sentinel, 1]]), decoder_input_ids=torch.tensor([[0, sentinel, *labels[:-1]]])
        )
    table = torch.log_softmax(logits.logits[0, 1:].double(), dim=-1)
    assert logprob(mine) == pytest.approx(sum(table[k, t].item() for k, t in enumerate(labels)), abs=1e-4)
    other = load(f"lm:{tmp_path}#empty", device="cpu")
    assert abs(logprob(mine) - logprob(other)) > 0.01
    assert mine.describe()["preprocessing"] != other.describe()["preprocessing"]
    assert mine.describe()["weights_sha256"] == other.describe()["weights_sha256"]


def test_bart_restores_a_masked_text(torch: Any, tmp_path: Path) -> None:
    """<s><mask></s> in the encoder; the decoder gets </s><s>, and neither is scored."""
    module, tokens = seq2seq(tmp_path, "BART"), tokenizer("bart")
    mine = load(f"lm:{tmp_path}", device="cpu")
    own = tokens(TEXT)["input_ids"]
    assert own[0] == 0
    assert logprob(mine) == pytest.approx(loss(torch, module, [0, 4, 2], own, given=1), abs=1e-4)
    assert mine.describe()["preprocessing"]["scored"] == "tokens after </s> <s> in the decoder, with the final </s>"
    empty = load(f"lm:{tmp_path}#empty", device="cpu")
    assert logprob(empty) == pytest.approx(loss(torch, module, [0, 2], own, given=1), abs=1e-4)
    assert abs(logprob(mine) - logprob(empty)) > 0.01


@pytest.mark.parametrize(("name", "start"), [("mBART", "en_XX"), ("mBART-50", "</s> en_XX")])
def test_mbarts_decoder_is_told_the_language(name: str, start: str, torch: Any, tmp_path: Path) -> None:
    module = seq2seq(tmp_path, name)
    mine = load(f"lm:{tmp_path}", device="cpu")
    assert mine.describe()["preprocessing"]["scored"].startswith(f"tokens after {start} in the decoder")
    tokens = tokenizer("mbart" if name == "mBART" else "mbart50")
    language, mask, *own = tokens.convert_tokens_to_ids(["en_XX", "<mask>", "▁the", "▁red", "▁cat", "</s>"])
    source, labels = ([mask, 2, language], [*own, -100]) if name == "mBART" else ([language, mask, 2], [-100, *own])
    decoder = [language, *own] if name == "mBART" else [2, language, *own[:-1]]
    with torch.no_grad():
        logits = module(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([decoder])).logits[0]
    table = torch.log_softmax(logits.double(), dim=-1)
    want = sum(table[k, label].item() for k, label in enumerate(labels) if label != -100)
    assert logprob(mine) == pytest.approx(want, abs=1e-4)


def test_pegasus_reads_its_sign_for_a_sentence(torch: Any, tmp_path: Path) -> None:
    module, tokens = seq2seq(tmp_path, "Pegasus"), tokenizer("pegasus")
    mine = load(f"lm:{tmp_path}", device="cpu")
    sign, *labels = tokens.convert_tokens_to_ids(["<mask_1>", "▁the", "▁red", "▁cat", "</s>"])
    assert logprob(mine) == pytest.approx(loss(torch, module, [sign, 1], labels), abs=1e-4)


def test_the_encoder_runs_once_a_call(tmp_path: Path) -> None:
    seq2seq(tmp_path, "T5")
    mine: Any = load(f"lm:{tmp_path}", device="cpu")
    seen: list[int] = []
    mine.module.encoder.register_forward_hook(lambda *_: seen.append(1))
    mine.batch_size = 2
    assert len(mine.text_logprobs([TEXT] * 5)) == 5
    assert seen == [1]
    assert mine.text_logprobs([]) == []


def test_the_hubs_bart_calls_itself_bart_model(hf: Any, torch: Any, write: Any) -> None:
    config = hf.BartConfig(vocab_size=len(tokenizer("bart")), **BART_SIZES, **FAIRSEQ, decoder_start_token_id=2)
    folder, _ = write(lambda: hf.BartModel(config), tokenizer("bart"))
    assert json.loads((folder / "config.json").read_text())["architectures"] == ["BartModel"]
    mine = load(f"hf:{folder}", device="cpu")
    assert mine.family == "seq2seq-lm"
    assert np.isfinite(logprob(mine))
    torch.testing.assert_close(mine.module.lm_head.weight, mine.module.model.shared.weight)


def test_long_texts_keep_their_end_and_are_reported(tmp_path: Path) -> None:
    seq2seq(tmp_path, "T5", model_max_length=8)
    mine = load(f"lm:{tmp_path}", device="cpu")
    ((tokens, _),) = mine.text_logprobs(["a cat " * 40])
    assert len(tokens) == 7
    assert tokens[-1] == "</s>"
    assert mine.truncated(["a cat " * 3, "a cat " * 3 + "a"]).tolist() == [False, True]


def test_it_is_a_blind_prior_and_options_are_checked(tmp_path: Path) -> None:
    seq2seq(tmp_path, "T5")
    assert load_blind(f"lm:{tmp_path}#mask", "cpu", "auto", 0).kinds == {"prior"}
    with pytest.raises(UsageError, match=re.escape("no option #msk. Known for lm: are #l2r")):
        load(f"lm:{tmp_path}#msk")
    with pytest.raises(UsageError, match="#l2r is no option of an encoder-decoder; use #empty or #mask"):
        load(f"lm:{tmp_path}#l2r", device="cpu")


def test_missing_weights_are_noticed(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    seq2seq(tmp_path, "T5")
    weights = load_file(tmp_path / "model.safetensors")
    del weights["decoder.final_layer_norm.weight"]
    save_file(weights, tmp_path / "model.safetensors", {"format": "pt"})
    with pytest.raises(FlipsideError, match=r"the weights lack 1 parameters of T5\w+ \(decoder.final_layer_norm"):
        load(f"lm:{tmp_path}", device="cpu")
