"""FLAVA's, BridgeTower's and BLIP-2's matching heads, against the library's own processor and whole-batch calls."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.errors import UsageError
from backend.models import load
from backend.models.registry import kinds_of
from tests.models.real_tokenizers import LETTERS
from tests.zoo import dual_hf, matching_heads

TEXTS = ["a cat", "the red ball on the blue mat", "", "a dog"]


def test_flavas_labels_say_that_output_1_is_match(torch: Any, hf: Any, tmp_path: Path, images: list[Any]) -> None:
    """The library's own loss: cross-entropy to label 1 is -log P(match), so our log-odds must give it back."""
    model = dual_hf.flava(tmp_path, "FlavaForPreTraining")
    processor = hf.FlavaProcessor(
        hf.AutoImageProcessor.from_pretrained(tmp_path), hf.AutoTokenizer.from_pretrained(tmp_path)
    )
    mine = load(f"hf:{tmp_path}", device="cpu")
    assert mine.kinds == {"itm", "itc", "t2t"}
    both = processor(images=images[:4], text=TEXTS, return_tensors="pt", padding=True)
    with torch.no_grad():
        logits = model(**both, return_loss=False).itm_logits
    label = torch.ones(4, dtype=torch.long)
    loss = torch.nn.functional.cross_entropy(logits, label, reduction="none").numpy()
    got = mine.itm(images[:4], TEXTS)
    np.testing.assert_allclose(-np.log(got), loss, atol=1e-4)
    assert np.ptp(mine.itm_logits(images[:4], TEXTS)) > 1e-2


def test_flavas_joint_encoder_reads_states_before_the_norm(
    torch: Any, hf: Any, tmp_path: Path, images: list[Any]
) -> None:
    """A plausible mistake, and that it would be seen."""
    dual_hf.flava(tmp_path, "FlavaForPreTraining")
    mine: Any = load(f"hf:{tmp_path}", device="cpu")
    right = mine.itm_logits(images[:2], TEXTS[:2])
    towers = mine.towers
    mine.look = lambda part: towers.image_to_mm_projection(
        towers.image_model(pixel_values=mine.pictures(part)["pixel_values"]).last_hidden_state
    )
    assert np.abs(mine.itm_logits(images[:2], TEXTS[:2]) - right).max() > 1e-3


@pytest.mark.slow
def test_bridgetower_answers_as_its_processors_batch(torch: Any, hf: Any, tmp_path: Path, images: list[Any]) -> None:
    model = dual_hf.bridgetower(tmp_path, "BridgeTowerForImageAndTextRetrieval")
    tokenizer, pictures = hf.AutoTokenizer.from_pretrained(tmp_path), hf.AutoImageProcessor.from_pretrained(tmp_path)
    both = hf.BridgeTowerProcessor(pictures, tokenizer)(images[:4], TEXTS, return_tensors="pt", padding=True)
    assert bool((both["pixel_mask"] == 1).all())
    with torch.no_grad():
        want = torch.softmax(model(**both).logits.double(), dim=1)[:, 1].numpy()
    mine = load(f"hf:{tmp_path}", device="cpu")
    np.testing.assert_allclose(mine.itm(images[:4], TEXTS), want, atol=1e-4)
    assert np.ptp(want) > 1e-3


def test_bridgetower_counts_positions_behind_the_padding_id(tmp_path: Path, torch: Any, images: list[Any]) -> None:
    """42 places, two of which no text can have: a longer text is cut, and said to be, instead of failing."""
    dual_hf.bridgetower(tmp_path, "BridgeTowerForImageAndTextRetrieval")
    mine: Any = load(f"hf:{tmp_path}", device="cpu")
    mine.texts.tokenizer.model_max_length = 512
    from backend.models.hf import text_limit

    assert text_limit(mine.texts.tokenizer, mine.module.config.text_config) == LETTERS
    assert mine.truncated(["cat " * 80]).tolist() == [True]
    assert np.isfinite(mine.itm_logits(images[:1], ["cat " * 80])).all()


@pytest.mark.parametrize("named", [False, True])
def test_blip_2_both_ways(named: bool, torch: Any, hf: Any, tmp_path: Path, images: list[Any]) -> None:
    """`use_image_text_matching_head` True and False, through Blip2Processor, which adds the image tokens itself."""
    model = matching_heads.blip2(tmp_path, named=named)
    tokenizer, pictures = hf.AutoTokenizer.from_pretrained(tmp_path), hf.AutoImageProcessor.from_pretrained(tmp_path)
    if named:
        tokenizer.add_special_tokens({"additional_special_tokens": ["<image>"]})
        model.config.image_token_index = tokenizer.convert_tokens_to_ids("<image>")
    processor = hf.Blip2Processor(pictures, tokenizer, num_query_tokens=5 if named else None)
    mine: Any = load(f"hf:{tmp_path}", device="cpu")
    assert mine.kinds == kinds_of(f"hf:{tmp_path}") == {"itm", "itc", "t2t"}
    assert mine.pairwise == {"itc"}
    logits, vectors, cosines = (
        mine.itm_logits(images[:4], TEXTS),
        mine.encode_texts(TEXTS),
        mine.pair_cosines(images[:4], TEXTS),
    )
    for k, (image, text) in enumerate(zip(images[:4], TEXTS, strict=True)):
        both = processor(images=image, text=text, return_tensors="pt")
        both = {name: both[name] for name in ("pixel_values", "input_ids", "attention_mask")}
        with torch.no_grad():
            head = model(**both, use_image_text_matching_head=True).logits_per_image[0].double()
            contrast = model(**both, use_image_text_matching_head=False)
        np.testing.assert_allclose(logits[k], (head[1] - head[0]).item(), atol=1e-4)
        np.testing.assert_allclose(cosines[k], contrast.logits_per_image.item(), atol=1e-5)
        np.testing.assert_allclose(vectors[k], contrast.text_embeds[0].numpy(), atol=1e-5)
        # Which is no single vector's cosine: the best query token is not always the same.
        assert contrast.image_embeds.shape[1] == 5


def test_blip_2_says_why_an_image_has_no_vector(tmp_path: Path, torch: Any, images: list[Any]) -> None:
    matching_heads.blip2(tmp_path)
    with pytest.raises(UsageError, match="best of its 5 query tokens"):
        load(f"hf:{tmp_path}", device="cpu").encode_images(images)


def test_images_are_looked_at_once(tmp_path: Path, torch: Any, images: list[Any]) -> None:
    matching_heads.blip2(tmp_path)
    mine: Any = load(f"hf:{tmp_path}", device="cpu")
    seen: list[int] = []
    mine.module.vision_model.register_forward_hook(
        lambda _m, _a, kwargs, _o: seen.append(len(kwargs["pixel_values"])), with_kwargs=True
    )
    mine.itm_logits([images[0], images[1]] * 6, TEXTS * 3)
    mine.pair_cosines([images[0], images[1]] * 6, TEXTS * 3)
    assert sum(seen) == 4


def test_a_checkpoint_without_its_matching_head_is_refused(tmp_path: Path, torch: Any) -> None:
    """FlavaModel's weights under FlavaForPreTraining's name: random heads would give scores that look like some."""
    import json

    from backend.errors import FlipsideError

    dual_hf.flava(tmp_path, "FlavaModel")
    config = json.loads((tmp_path / "config.json").read_text())
    config["architectures"] = ["FlavaForPreTraining"]
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(FlipsideError, match="the weights lack"):
        load(f"hf:{tmp_path}", device="cpu")
