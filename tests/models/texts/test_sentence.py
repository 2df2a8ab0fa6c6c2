from pathlib import Path
from typing import Any

import numpy as np

from backend.models import kinds_of, load
from tests.models.conftest import TEXT, TEXTS, WORDS, word_tokenizer


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
