from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from backend.errors import FlipsideError
from backend.models import load
from tests.models.captioning import byhand
from tests.models.conftest import TEXTS
from tests.zoo.captioning.kosmos2 import kosmos2

CAPTION = "two cats chases the red ball"
HOLES = 7


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, hf: Any) -> tuple[Path, Any, Any]:
    folder = tmp_path_factory.mktemp("kosmos2")
    model = kosmos2(folder)
    model.image_to_text_projection.x_attn.is_causal = False  # as transformers 5.23 has it; 5.17 says True by mistake
    return folder, model, hf.AutoProcessor.from_pretrained(folder)


def rows(processor: Any, before: str = "") -> tuple[list[int], list[int]]:
    """What stands before the caption, and the caption with its end."""
    tokenizer = processor.tokenizer
    opened, closed = tokenizer.convert_tokens_to_ids(["<image>", "</image>"])
    prompt = [] if not before else [tokenizer.convert_tokens_to_ids(before)]
    caption = byhand.ids(tokenizer, CAPTION, start="▁")
    return [0, opened, *range(4, 4 + HOLES), closed, *prompt], [*caption, 2]


def forward(model: Any, processor: Any, torch: Any, image: Image.Image, ids: list[int], **more: Any) -> Any:
    pixels = processor.image_processor([image], return_tensors="pt")["pixel_values"]
    mask = [[0, 0, *[1] * HOLES, *[0] * (len(ids) - HOLES - 2)]]
    with torch.no_grad():
        return model(
            pixel_values=pixels,
            input_ids=torch.tensor([ids]),
            image_embeds_position_mask=torch.tensor(mask),
            attention_mask=torch.ones(1, len(ids), dtype=torch.long),
            **more,
        )


def test_the_caption_behind_the_image(made: Any, torch: Any, images: list[Image.Image]) -> None:
    folder, model, processor = made
    before, caption = rows(processor)
    labels = torch.tensor([[-100] * len(before) + caption])
    out = forward(model, processor, torch, images[0], before + caption, labels=labels)
    ((tokens, scored),) = load(f"hf:{folder}", device="cpu").caption_logprobs(images[:1], [f" {CAPTION} "])
    assert tokens == processor.tokenizer.convert_ids_to_tokens(caption)
    assert tokens[0] == "▁two"
    np.testing.assert_allclose(scored, byhand.logprobs(out.logits[0, len(before) - 1 : -1], caption), atol=1e-4)
    assert -scored.mean() == pytest.approx(out.loss.item(), abs=1e-4)
    grounded, _ = rows(processor, "<grounding>")
    other = forward(model, processor, torch, images[0], grounded + caption).logits[0, len(grounded) - 1 : -1]
    assert np.abs(scored - byhand.logprobs(other, caption)).max() > 1e-2


def test_the_processors_own_ids_are_these(made: Any, images: list[Image.Image]) -> None:
    before, caption = rows(made[2])
    batch = made[2](images=images[0], text=CAPTION, add_eos_token=True, num_image_tokens=HOLES)
    assert np.ravel(batch["input_ids"]).tolist() == before + caption
    assert np.ravel(batch["image_embeds_position_mask"]).tolist()[:10] == [0, 0, *[1] * HOLES, 0]


def test_the_vision_tower_sees_an_image_once(made: Any, images: list[Image.Image]) -> None:
    mine: Any = load(f"hf:{made[0]}", device="cpu")
    seen: list[int] = []
    mine.module.vision_model.register_forward_hook(
        lambda _m, _a, kwargs, _o: seen.append(len(kwargs["pixel_values"])), with_kwargs=True
    )
    mine.caption_logprobs([images[0], images[1]] * 7, [*TEXTS, *TEXTS])
    assert sum(seen) == 2


def test_a_tokenizer_without_image_tokens(tmp_path: Path) -> None:
    from tests.models.captioning import tokenizers

    kosmos2(tmp_path)
    for file in ("tokenizer.json", "tokenizer_config.json", "added_tokens.json"):
        (tmp_path / file).unlink(missing_ok=True)
    tokenizers.xlm_roberta().save_pretrained(tmp_path)
    with pytest.raises(FlipsideError, match="knows no <image> and </image>"):
        load(f"hf:{tmp_path}", device="cpu")
