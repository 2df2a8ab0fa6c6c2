from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.errors import FlipsideError, UsageError
from backend.models import kinds_of, load
from tests.models.conftest import TEXT, TEXTS, WORDS, word_tokenizer
from tests.zoo.texts.sentence import encoder, sentence
from tests.zoo.texts.tokenizers import END, LIMIT, tokenizer


@pytest.mark.slow
def test_minilm_equals_its_own_library(minilm: Path, torch: Any) -> None:
    from sentence_transformers import SentenceTransformer

    mine = load(f"st:{minilm}", device="cpu")
    assert mine.kinds == kinds_of(f"st:{minilm}") == kinds_of(f"hf:{minilm}") == {"t2t"}
    want = SentenceTransformer(str(minilm), device="cpu").encode(TEXTS)
    np.testing.assert_allclose(mine.encode_texts(TEXTS), want, atol=1e-5)
    mine.batch_size = 1
    np.testing.assert_allclose(mine.encode_texts(TEXTS), want, atol=1e-5)
    assert mine.truncated(["a cat", "cat " * 300]).tolist() == [False, True]
    assert mine.text_lengths(["a cat", "cat " * 300]).tolist() == [4, 256]
    assert mine.encode_texts(["cat " * 12_000]).shape == (1, 384)
    record = mine.describe()
    assert record["weights_sha256"] == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    assert record["preprocessing"]["texts"]["modules"] == ["Transformer", "Pooling", "Normalize"]


def test_a_plain_encoder_gets_mean_pooling(hf: Any, torch: Any, write: Any) -> None:
    config = hf.BertConfig(**TEXT, pad_token_id=0)
    folder, model = write(lambda: hf.BertModel(config), word_tokenizer(hf, side="left"))
    mine = load(f"st:{folder}", device="cpu")
    for text, vector in zip(TEXTS, mine.encode_texts(TEXTS), strict=True):
        row = torch.tensor([[1, *[WORDS.index(w) + 4 if w in WORDS else 2 for w in text.split()], 3]])
        with torch.no_grad():
            mean = model(row).last_hidden_state[0].mean(0)
        np.testing.assert_allclose(vector, torch.nn.functional.normalize(mean, dim=0).numpy(), atol=1e-4)


def test_a_plain_encoders_pooling_can_be_chosen(torch: Any, hf: Any, tmp_path: Path) -> None:
    encoder(tmp_path, "BERT")
    module, tokens = hf.AutoModel.from_pretrained(tmp_path), hf.AutoTokenizer.from_pretrained(tmp_path)
    with torch.no_grad():
        states = module(**tokens("a red cat", return_tensors="pt")).last_hidden_state[0]
    records = {}
    for option, want in {"#cls": states[0], "#last": states[-1], "#mean": states.mean(0), "": states.mean(0)}.items():
        mine = load(f"st:{tmp_path}{option}", device="cpu")
        # in company, so that padding could show
        vectors = mine.encode_texts(["a red cat", "the dog on the mat and a cat"])
        np.testing.assert_allclose(vectors[0], torch.nn.functional.normalize(want, dim=0).numpy(), atol=1e-4)
        records[option] = mine.describe()
    assert records["#cls"]["preprocessing"]["texts"]["pooling"] == "cls"
    assert records["#cls"]["weights_sha256"] == records[""]["weights_sha256"]
    assert records["#mean"]["preprocessing"] == records[""]["preprocessing"] != records["#cls"]["preprocessing"]


def test_a_sentence_encoders_own_pooling_stands(tmp_path: Path) -> None:
    sentence(tmp_path, "BERT", "cls")
    with pytest.raises(UsageError, match=r"has a pooling of its own \(Transformer, Pooling\); leave #mean out"):
        load(f"st:{tmp_path}#mean", device="cpu")
    with pytest.raises(UsageError, match=r"no option #max\. Known for st: are #mean"):
        load(f"st:{tmp_path}#max")


def test_the_default_prompt_stands_before_every_text_and_counts(tmp_path: Path) -> None:
    sentence(tmp_path, "BERT", "mean", prompts={"query": "the red "}, model_max_length=8)
    mine = load(f"st:{tmp_path}", device="cpu")
    bare = tmp_path.with_name("bare")
    sentence(bare, "BERT", "mean", model_max_length=8)
    without = load(f"st:{bare}", device="cpu")
    np.testing.assert_allclose(mine.encode_texts(["cat"]), without.encode_texts(["the red cat"]), atol=1e-5)
    assert np.abs(mine.encode_texts(["cat"]) - without.encode_texts(["cat"])).max() > 0.01
    assert mine.text_lengths(["cat"]).tolist() == [5]
    assert mine.truncated(["a " * 4, "a " * 5]).tolist() == [False, True]
    assert without.truncated(["a " * 6, "a " * 7]).tolist() == [False, True]
    assert mine.describe()["preprocessing"]["texts"]["prompt"] == "the red "


def test_missing_weights_are_noticed_and_an_unused_pooler_is_not_missed(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    sentence(tmp_path, "BERT", "mean")
    weights = load_file(tmp_path / "model.safetensors")
    want = load(f"st:{tmp_path}", device="cpu").encode_texts(TEXTS)
    for name in [name for name in weights if name.startswith("pooler.")]:
        del weights[name]
    save_file(weights, tmp_path / "model.safetensors", {"format": "pt"})
    np.testing.assert_array_equal(load(f"st:{tmp_path}", device="cpu").encode_texts(TEXTS), want)
    del weights["encoder.layer.1.output.dense.weight"]
    save_file(weights, tmp_path / "model.safetensors", {"format": "pt"})
    with pytest.raises(FlipsideError, match=r"the weights lack 1 parameters of BertModel \(encoder.layer.1.output"):
        load(f"st:{tmp_path}", device="cpu")


def test_robertas_positions_start_behind_its_padding_id(tmp_path: Path) -> None:
    encoder(tmp_path, "RoBERTa", model_max_length=10_000)
    mine = load(f"st:{tmp_path}", device="cpu")
    assert mine.text_lengths(["a" * 500]).tolist() == [LIMIT]
    assert np.isfinite(mine.encode_texts(["a" * 500])).all()


def test_a_text_of_no_tokens_is_refused_alone_and_in_company(tmp_path: Path) -> None:
    sentence(tmp_path, "GPT-NeoX", "weightedmean", pad_token=END)
    mine = load(f"st:{tmp_path}", device="cpu")
    for texts in ([""], ["", "a cat"]):
        with pytest.raises(FlipsideError, match="no token of an empty text"):
            mine.encode_texts(texts)


def test_static_embeddings(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    part = StaticEmbedding(tokenizer("bert").backend_tokenizer, embedding_dim=8)
    SentenceTransformer(modules=[part], device="cpu").save(str(tmp_path))
    mine = load(f"st:{tmp_path}", device="cpu")
    want = SentenceTransformer(str(tmp_path), device="cpu").encode(["a red cat", "the dog"], normalize_embeddings=True)
    np.testing.assert_allclose(mine.encode_texts(["a red cat", "the dog"]), want, atol=1e-5)
    assert mine.text_lengths(["a red cat", "the dog"]).tolist() == [3, 2]
