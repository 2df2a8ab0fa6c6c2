from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from backend.models import load
from tests.models.captioning import byhand
from tests.models.conftest import TEXTS
from tests.zoo.captioning.git import git

CAPTION = "two cats chases the red ball"
PATCHES = 17  # (32 / 8)² and the class token


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, hf: Any) -> tuple[Path, Any, Any]:
    folder = tmp_path_factory.mktemp("git")
    return folder, git(folder), hf.AutoProcessor.from_pretrained(folder)


def test_cls_caption_sep_behind_the_patches(made: Any, torch: Any, images: list[Image.Image]) -> None:
    folder, model, processor = made
    row = [2, *byhand.ids(processor.tokenizer, CAPTION), 3]
    pixels = processor.image_processor(images[:1], return_tensors="pt")["pixel_values"]
    with torch.no_grad():
        logits = model(pixel_values=pixels, input_ids=torch.tensor([row])).logits[0]
    ((tokens, scored),) = load(f"hf:{folder}", device="cpu").caption_logprobs(images[:1], [CAPTION])
    assert tokens == [*processor.tokenizer.convert_ids_to_tokens(row[1:-1]), "[SEP]"]
    np.testing.assert_allclose(scored, byhand.logprobs(logits[PATCHES:-1], row[1:]), atol=1e-4)
    assert np.abs(scored - byhand.logprobs(logits[PATCHES - 1 : -2], row[1:])).max() > 0.1  # one position too early


def test_the_mean_is_the_librarys_own_loss(made: Any, torch: Any, images: list[Image.Image]) -> None:
    folder, model, processor = made
    batch = processor(images=images[1], text=CAPTION, return_tensors="pt")
    batch = {name: batch[name] for name in ("input_ids", "attention_mask", "pixel_values")}
    with torch.no_grad():
        loss = model(**batch, labels=batch["input_ids"]).loss.item()
    ((_, scored),) = load(f"hf:{folder}", device="cpu").caption_logprobs(images[1:2], [CAPTION])
    assert -scored.mean() == pytest.approx(loss, abs=1e-4)


def test_the_decoder_shares_the_weights_and_the_module_stays_whole(made: Any, images: list[Image.Image]) -> None:
    mine: Any = load(f"hf:{made[0]}", device="cpu")
    whole = mine.module.git.image_encoder
    assert type(whole).__name__ == "GitVisionModel"
    seen: list[int] = []
    whole.register_forward_hook(lambda _m, args, _o: seen.append(len(args[0])))
    before = mine.caption_logprobs([images[0], images[1]] * 7, [*TEXTS, *TEXTS])
    assert sum(seen) == 2
    assert mine.module.git.image_encoder is whole
    mine.module.output.bias.data += 1000 * np.arange(1, 41, dtype=np.float32)[0]  # a constant: no score changes
    mine.module.output.bias.data[3] += 5  # [SEP] becomes likelier
    after = mine.caption_logprobs([images[0], images[1]] * 7, [*TEXTS, *TEXTS])
    assert all(b[-1] > a[-1] for (_, a), (_, b) in zip(before, after, strict=True))


def test_a_long_caption_keeps_its_end(made: Any, images: list[Image.Image]) -> None:
    mine = load(f"hf:{made[0]}", device="cpu")
    ((tokens, scored),) = mine.caption_logprobs(images[:1], ["a cat " * 500])
    assert len(scored) == len(tokens) == 15
    assert tokens[-1] == "[SEP]"
