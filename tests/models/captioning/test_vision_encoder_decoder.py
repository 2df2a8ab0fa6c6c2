from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from backend.errors import FlipsideError
from backend.models import load
from tests.models.captioning import byhand
from tests.models.conftest import TEXTS
from tests.zoo.captioning.vision_encoder_decoder import swin_bert, trocr, vit_gpt2

CAPTION = "two cats chases the red ball"
#: builder, start, end, a start that the tokenizer would suggest and the model was not trained with
PAIRS = [(vit_gpt2, 0, 0, 5), (trocr, 2, 2, 0), (swin_bert, 2, 3, 0)]


@pytest.mark.parametrize(("build", "start", "end", "wrong"), PAIRS, ids=["ViT-GPT2", "TrOCR", "Swin-BERT"])
def test_decoder_start_caption_end(
    build: Callable[[Path], Any], start: int, end: int, wrong: int, torch: Any, hf: Any, tmp_path: Path,
    images: list[Image.Image],
) -> None:  # fmt: skip
    model = build(tmp_path)
    tokenizer = hf.AutoTokenizer.from_pretrained(tmp_path)
    row = [start, *byhand.ids(tokenizer, CAPTION), end]
    pixels = hf.AutoImageProcessor.from_pretrained(tmp_path)(images[:1], return_tensors="pt")["pixel_values"]
    with torch.no_grad():
        whole = model(pixel_values=pixels, decoder_input_ids=torch.tensor([row])).logits[0]
        other = model(pixel_values=pixels, decoder_input_ids=torch.tensor([[wrong, *row[1:]]])).logits[0]
        loss = model(pixel_values=pixels, labels=torch.tensor([row[1:]])).loss.item()
    mine = load(f"hf:{tmp_path}", device="cpu")
    ((tokens, scored),) = mine.caption_logprobs(images[:1], [CAPTION])
    assert tokens == tokenizer.convert_ids_to_tokens(row[1:])
    np.testing.assert_allclose(scored, byhand.logprobs(whole[:-1], row[1:]), atol=1e-4)
    assert -scored.mean() == pytest.approx(loss, abs=1e-4)
    assert np.abs(scored - byhand.logprobs(other[:-1], row[1:])).max() > 1e-2


def test_the_encoder_sees_an_image_once(tmp_path: Path, images: list[Image.Image]) -> None:
    trocr(tmp_path)
    mine: Any = load(f"hf:{tmp_path}", device="cpu")
    seen: list[int] = []
    mine.module.encoder.register_forward_hook(
        lambda _m, _a, kwargs, _o: seen.append(len(kwargs["pixel_values"])), with_kwargs=True
    )
    mine.caption_logprobs([images[0], images[1]] * 7, [*TEXTS, *TEXTS])
    assert sum(seen) == 2
    assert mine.prior_from(mine.noise_images(2, seed=0), TEXTS).shape == (2, len(TEXTS))


def test_a_missing_pooler_is_none_and_a_missing_layer_is_said(tmp_path: Path, images: list[Image.Image]) -> None:
    from safetensors.torch import load_file, save_file

    trocr(tmp_path)
    want = load(f"hf:{tmp_path}", device="cpu").caption_logprobs(images[:1], [CAPTION])[0][1]
    weights = load_file(tmp_path / "model.safetensors")
    pooler = [name for name in weights if "pooler" in name]
    assert pooler
    kept = {name: value for name, value in weights.items() if name not in pooler}
    save_file(kept, tmp_path / "model.safetensors", {"format": "pt"})
    got = load(f"hf:{tmp_path}", device="cpu").caption_logprobs(images[:1], [CAPTION])[0][1]
    np.testing.assert_array_equal(got, want)
    del kept["encoder.layernorm.weight"]
    save_file(kept, tmp_path / "model.safetensors", {"format": "pt"})
    with pytest.raises(FlipsideError, match=r"lack 1 parameters .*encoder\.layernorm\.weight"):
        load(f"hf:{tmp_path}", device="cpu")
