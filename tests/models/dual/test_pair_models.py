"""Dual sides of models that also read image and text together: FLAVA, BridgeTower, X-CLIP."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.errors import UsageError
from backend.models import load
from backend.models.registry import kinds_of
from tests.zoo import dual_hf as zoo

TEXTS = ["a cat", "the red ball on the blue mat", "", "a dog"]


def unit(vectors: Any) -> Any:
    return vectors / vectors.norm(dim=-1, keepdim=True)


@pytest.mark.long
def test_flavas_cosine_is_its_contrastive_logits(torch: Any, hf: Any, tmp_path: Path, images: list[Any]) -> None:
    model = zoo.flava(tmp_path, "FlavaForPreTraining")
    tokens = hf.AutoTokenizer.from_pretrained(tmp_path)(TEXTS, return_tensors="pt", padding=True)
    pixels = hf.AutoImageProcessor.from_pretrained(tmp_path)(images=images[:4], return_tensors="pt")
    with torch.no_grad():
        logits = model(**tokens, **pixels, return_loss=False).contrastive_logits_per_image.numpy()
    mine = load(f"hf:{tmp_path}", device="cpu")
    scale = mine.describe()["logit_scale"]
    assert scale == pytest.approx(model.flava.logit_scale.exp().item(), rel=1e-5)
    got = mine.encode_images(images[:4]) @ mine.encode_texts(TEXTS).T
    np.testing.assert_allclose(scale * got, logits, atol=1e-4 * scale)


def test_flava_pools_the_first_token_after_the_norm(torch: Any, hf: Any, tmp_path: Path) -> None:
    model = zoo.flava(tmp_path, "FlavaModel")
    tokens = hf.AutoTokenizer.from_pretrained(tmp_path)("a cat", return_tensors="pt")
    with torch.no_grad():
        output = model.text_model(**tokens, output_hidden_states=True)
        want = unit(model.text_projection(output.last_hidden_state[:, 0]))[0].numpy()
        others = [output.last_hidden_state[:, 1], output.last_hidden_state.mean(1), output.hidden_states[-1][:, 0]]
        wrong = [unit(model.text_projection(state))[0].numpy() for state in others]
    got = load(f"hf:{tmp_path}", device="cpu").encode_texts(["a cat"])[0]
    np.testing.assert_allclose(got, want, atol=1e-5)
    assert all(np.abs(got - vector).max() > 1e-2 for vector in wrong)


@pytest.mark.long
def test_bridgetowers_streams_do_not_see_each_other(torch: Any, hf: Any, tmp_path: Path, images: list[Any]) -> None:
    """The claim under `itc`: `forward`'s two embeddings do not change with the other side, its third one does."""
    model = zoo.bridgetower(tmp_path, "BridgeTowerForContrastiveLearning")
    tokens = hf.AutoTokenizer.from_pretrained(tmp_path)(TEXTS, return_tensors="pt", padding=True)
    pixels = hf.AutoImageProcessor.from_pretrained(tmp_path)(images=images[:4], return_tensors="pt")
    turned = {name: value.flip(0) for name, value in pixels.items()}
    with torch.no_grad():
        straight, crossed = model(**tokens, **pixels), model(**tokens, **turned)
    np.testing.assert_allclose(straight.text_embeds.numpy(), crossed.text_embeds.numpy(), atol=1e-5)
    np.testing.assert_allclose(straight.image_embeds.numpy(), crossed.image_embeds.flip(0).numpy(), atol=1e-5)
    assert (straight.cross_embeds - crossed.cross_embeds).abs().max() > 1e-3
    mine = load(f"hf:{tmp_path}", device="cpu")
    assert mine.describe()["logit_scale"] == pytest.approx(model.logit_scale.exp().item(), rel=1e-5)
    np.testing.assert_allclose(mine.encode_images(images[:4]), straight.image_embeds.numpy(), atol=1e-4)
    np.testing.assert_allclose(mine.encode_texts(TEXTS), straight.text_embeds.numpy(), atol=1e-4)


def test_xclips_score_is_a_pairs_and_its_own(torch: Any, hf: Any, tmp_path: Path, images: list[Any]) -> None:
    model = zoo.xclip(tmp_path)
    tokenizer = hf.AutoTokenizer.from_pretrained(tmp_path)
    processor = hf.AutoImageProcessor.from_pretrained(tmp_path)
    mine: Any = load(f"hf:{tmp_path}", device="cpu")
    got = mine.pair_cosines(images[:4], TEXTS)
    vectors = []
    for k, (image, text) in enumerate(zip(images[:4], TEXTS, strict=True)):
        clip = processor([[image] * 4], return_tensors="pt")["pixel_values"]
        with torch.no_grad():
            output = model(**tokenizer([text, "a dog"], return_tensors="pt", padding=True), pixel_values=clip)
        assert clip.shape == (1, 4, 3, 32, 32)
        want = (output.logits_per_video[0, 0] / model.logit_scale.detach().exp()).item()
        np.testing.assert_allclose(got[k], want, atol=1e-5)
        vectors.append(output.text_embeds[0, 1])
    # Why it has no vectors to store: the same text has another vector for another image.
    assert (vectors[0] - vectors[1]).abs().max() > 1e-3
    mine.batch_size = 1
    np.testing.assert_allclose(mine.pair_cosines([images[0]] * 2 + images[1:2], TEXTS[:3])[0], got[0], atol=1e-5)


def test_xclip_says_why_an_image_has_no_vector(tmp_path: Path, torch: Any, images: list[Any]) -> None:
    zoo.xclip(tmp_path)
    mine = load(f"hf:{tmp_path}", device="cpu")
    assert kinds_of(f"hf:{tmp_path}") == mine.kinds == {"itc", "t2t"}
    assert mine.pairwise == {"itc"}
    with pytest.raises(UsageError, match="another text vector for every video"):
        mine.encode_images(images)
