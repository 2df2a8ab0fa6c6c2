from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from backend.errors import FlipsideError
from backend.models import load
from backend.models.torch_model import staged
from tests.models.conftest import IDS, TEXT, TEXTS, VISION, image_processor, word_tokenizer
from tests.zoo import dual_hf as zoo

Written = Callable[..., tuple[Path, Any]]


@pytest.fixture
def written(tmp_path: Path, torch: Any) -> Written:
    """Write a model of the zoo; gives its folder and the module that was written."""

    def make(build: Callable[..., Any], **how: Any) -> tuple[Path, Any]:
        return tmp_path, build(tmp_path, **how)

    return make


def cosines(folder: Path, images: list[Any], texts: list[str]) -> Any:
    mine = load(f"hf:{folder}", device="cpu")
    return mine.encode_images(images) @ mine.encode_texts(texts).T


def test_clip_equals_the_reference_forward_pass(torch: Any, hf: Any, clip: Any, images: list[Any]) -> None:
    folder, model = clip
    mine = load(f"hf:{folder}", device="cpu")
    tokens = hf.AutoTokenizer.from_pretrained(folder)(TEXTS, return_tensors="pt", truncation=True, padding=True)
    pixels = hf.AutoImageProcessor.from_pretrained(folder)(images=images, return_tensors="pt")
    with torch.no_grad():
        out = model(tokens["input_ids"], attention_mask=tokens["attention_mask"], **pixels)
    assert mine.kinds == {"itc", "t2t"}
    np.testing.assert_allclose(mine.encode_images(images), out.image_embeds.numpy(), atol=1e-5)
    np.testing.assert_allclose(mine.encode_texts(TEXTS), out.text_embeds.numpy(), atol=1e-5)
    assert mine.encode_texts(TEXTS).dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(mine.encode_texts(TEXTS), axis=1), 1, atol=1e-5)


def test_pixels_that_are_ready_go_to_a_gpu_as_they_are(
    torch: Any, clip: Any, images: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through the memory that stays, put together by one thread: the same numbers as from the processor."""
    mine = load(f"hf:{clip[0]}", device="cpu")
    expected = mine.encode_images(images)
    ready = [mine.preparer()(image) for image in images]
    memory = torch.empty(1 << 22, dtype=torch.uint8)
    seen: list[int] = []

    def on_device(pixels: Any) -> Any:
        seen.append(len(pixels))
        return staged(pixels, memory)

    monkeypatch.setattr(mine, "on_device", on_device)
    assert mine.encode_images(ready).tobytes() == expected.tobytes()
    assert not seen  # on a processor nothing is copied twice
    monkeypatch.setattr(mine, "device", SimpleNamespace(type="cuda"))
    found = mine.image_inputs(ready)["pixel_values"]
    assert found.numpy().tobytes() == np.stack(ready).tobytes()
    assert seen == [len(images)]
    with pytest.raises(TypeError):
        staged([torch.zeros(3, 2, 2), torch.zeros(3, 2, 2, dtype=torch.float64)], memory)


@pytest.mark.parametrize(
    ("build", "how"),
    [
        (zoo.openai_clip, {"name": "GroupViT", "model": "GroupViTModel"}),
        (zoo.openai_clip, {"name": "CLIPSeg", "model": "CLIPSegModel"}),
        (zoo.siglip2, {}),
        (zoo.naflex, {}),
        (zoo.bert_like, {"name": "ChineseCLIP"}),
        (zoo.bert_like, {"name": "Align"}),
        (zoo.roberta_like, {"name": "AltCLIP"}),
        (zoo.roberta_like, {"name": "MetaClip2"}),
    ],
    ids=["GroupViT", "CLIPSeg", "SigLIP 2", "NaFlex", "Chinese-CLIP", "ALIGN", "AltCLIP", "MetaCLIP 2"],
)
def test_scaled_cosines_are_the_models_own_logits_of_a_whole_batch(
    build: Any, how: dict[str, Any], torch: Any, hf: Any, written: Written, images: list[Any]
) -> None:
    """`logits_per_image` of one padded batch, and the recorded scale and bias: nothing of the reference's is used."""
    folder, model = written(build, **how)
    tokenizer = hf.AutoTokenizer.from_pretrained(folder)
    texts = ["a cat", "the red ball on the blue mat", "", "a dog"]
    padding = {"padding": "max_length", "max_length": 40} if build in (zoo.siglip2, zoo.naflex) else {"padding": True}
    tokens = tokenizer(texts, return_tensors="pt", truncation=True, **padding)
    pixels = hf.AutoImageProcessor.from_pretrained(folder)(images=images[:4], return_tensors="pt")
    with torch.no_grad():
        logits = model(**tokens, **pixels).logits_per_image.numpy()
    about = load(f"hf:{folder}", device="cpu").describe()
    mine = about["logit_scale"] * cosines(folder, images[:4], texts) + (about["logit_bias"] or 0)
    np.testing.assert_allclose(mine, logits, rtol=1e-4, atol=2e-4 * about["logit_scale"])


def test_aligns_temperature_divides(torch: Any, written: Written) -> None:
    folder, model = written(zoo.bert_like, name="Align")
    about = load(f"hf:{folder}", device="cpu").describe()
    assert about["temperature"] == pytest.approx(model.temperature.item())
    assert about["logit_scale"] == pytest.approx(1 / model.temperature.item())


def test_clipsegs_segmentation_model_records_its_clips_scale(written: Written) -> None:
    folder, model = written(zoo.openai_clip, name="CLIPSeg", model="CLIPSegForImageSegmentation")
    about = load(f"hf:{folder}", device="cpu").describe()
    assert about["logit_scale"] == pytest.approx(model.clip.logit_scale.exp().item(), rel=1e-5)


def test_openais_pooling_takes_the_first_end_token(torch: Any, hf: Any, written: Written) -> None:
    """Padding is the end token itself, so that a mask or a count in its place would pool another position."""
    folder, model = written(zoo.openai_clip)
    tokenizer = hf.AutoTokenizer.from_pretrained(folder)
    ids = torch.tensor(tokenizer("a cat")["input_ids"])
    with torch.no_grad():
        states = model.text_model(input_ids=ids[None]).last_hidden_state[0, -1]
        want = torch.nn.functional.normalize(model.text_projection(states), dim=-1).numpy()
        without = model.text_model(input_ids=ids[None, :-1]).last_hidden_state[0, -1]
        wrong = torch.nn.functional.normalize(model.text_projection(without), dim=-1).numpy()
    mine = load(f"hf:{folder}", device="cpu")
    assert tokenizer.pad_token_id == tokenizer.eos_token_id == int(ids[-1])
    got = mine.encode_texts(["a cat", "the cat on the mat"])[0]
    np.testing.assert_allclose(got, want, atol=1e-5)
    assert np.abs(got - wrong).max() > 1e-2


def test_siglip_pools_the_last_position_of_the_full_length(torch: Any, hf: Any, written: Written) -> None:
    folder, model = written(zoo.siglip)
    tokens = hf.AutoTokenizer.from_pretrained(folder)("a cat", return_tensors="pt")
    with torch.no_grad():
        short = torch.nn.functional.normalize(model.get_text_features(**tokens).pooler_output, dim=-1)[0].numpy()
    mine = load(f"hf:{folder}", device="cpu")
    assert mine.preprocessing()["texts"]["padding"] == "full length"
    assert np.abs(mine.encode_texts(["a cat"])[0] - short).max() > 1e-2


def test_siglip_2_reads_lower_case_whatever_its_tokenizer_does(hf: Any, written: Written) -> None:
    folder, _ = written(zoo.siglip2)
    tokenizer = hf.AutoTokenizer.from_pretrained(folder)
    assert tokenizer("A Cat")["input_ids"] != tokenizer("a cat")["input_ids"]
    mine = load(f"hf:{folder}", device="cpu")
    lower, upper, other = mine.encode_texts(["a cat", "A Cat", "a dog"])
    np.testing.assert_allclose(lower, upper, atol=1e-6)
    assert np.abs(lower - other).max() > 1e-3
    assert mine.preprocessing()["texts"]["lower_cased_here"] is True
    assert mine.text_lengths(["A CAT"]).tolist() == mine.text_lengths(["a cat"]).tolist()


def test_a_cased_tokenizer_stays_cased(written: Written) -> None:
    folder, _ = written(zoo.roberta_like, name="MetaClip2")
    mine = load(f"hf:{folder}", device="cpu")
    lower, upper = mine.encode_texts(["a cat", "A Cat"])
    assert np.abs(lower - upper).max() > 1e-3
    assert mine.preprocessing()["texts"] == {"limit": 40, "padding": "longest, masked"}


def test_naflex_sees_proportions_and_takes_square_noise(torch: Any, hf: Any, written: Written) -> None:
    from PIL import Image

    folder, model = written(zoo.naflex)
    mine: Any = load(f"hf:{folder}", device="cpu")
    assert mine.image_size == (32, 32)  # 4 × 4 of the 20 patches, 8 pixels each
    processor = hf.AutoImageProcessor.from_pretrained(folder)
    wide = Image.effect_noise((90, 30), 90).convert("RGB")
    assert processor(images=[wide], return_tensors="pt")["spatial_shapes"].tolist() != [[4, 4]]
    noise = mine.noise_images(2, seed=0)
    together = mine.encode_images([wide, noise[0], noise[1]])
    np.testing.assert_allclose(together[1:], mine.encode_images(noise), atol=1e-5)
    # The library's own way from pixels to patches, told not to resize, scale or normalise.
    raw = processor(images=[torch.from_numpy(noise[0])], do_resize=False, do_rescale=False, do_normalize=False,
                    input_data_format="channels_first", return_tensors="pt")  # fmt: skip
    with torch.no_grad():
        want = torch.nn.functional.normalize(model.get_image_features(**raw).pooler_output, dim=-1)[0].numpy()
    np.testing.assert_allclose(together[1], want, atol=1e-5)
    with pytest.raises(FlipsideError, match="multiples of 8"):
        mine.encode_images([np.zeros((3, 30, 32), dtype=np.float32)])
    with pytest.raises(FlipsideError, match="at most 20 patches"):
        mine.encode_images([np.zeros((3, 64, 64), dtype=np.float32)])


def test_company_and_batch_size_change_nothing(clip: Any, images: list[Any]) -> None:
    mine = load(f"hf:{clip[0]}", device="cpu")
    together_images, together_texts = mine.encode_images(images), mine.encode_texts(TEXTS)
    mine.batch_size = 1
    np.testing.assert_allclose(mine.encode_images(images), together_images, atol=1e-5)
    np.testing.assert_allclose(mine.encode_texts(TEXTS), together_texts, atol=1e-5)
    np.testing.assert_allclose(mine.encode_texts(TEXTS[2:3]), together_texts[2:3], atol=1e-5)


def test_half_precision_weights_are_computed_in_float32(hf: Any, write: Any, torch: Any) -> None:
    config = hf.CLIPConfig(text_config={**TEXT, **IDS}, vision_config=VISION, projection_dim=24)
    folder, model = write(lambda: hf.CLIPModel(config), word_tokenizer(hf), image_processor(hf), half=True)
    mine = load(f"hf:{folder}", device="cpu")
    assert {p.dtype for p in mine.module.parameters()} == {torch.float32}
    tokens = word_tokenizer(hf)(TEXTS, padding=True, return_tensors="pt")
    with torch.no_grad():
        want = model.get_text_features(tokens["input_ids"], tokens["attention_mask"]).pooler_output
    want = torch.nn.functional.normalize(want, dim=-1).numpy()
    np.testing.assert_allclose(mine.encode_texts(TEXTS), want, atol=1e-5)


def test_a_long_text_is_cut_and_said_to_be(clip: Any) -> None:
    mine = load(f"hf:{clip[0]}", device="cpu")
    texts = ["a cat", "a cat " * 7, "a cat " * 25_000]
    assert mine.truncated(texts).tolist() == [False, False, True]
    assert mine.text_lengths(texts).tolist() == [4, 16, 16]
    vectors = mine.encode_texts(texts)
    np.testing.assert_allclose(vectors[1], vectors[2], atol=1e-5)


def test_the_record_repeats_the_model(clip: Any) -> None:
    import hashlib
    import json

    folder = clip[0]
    record = load(f"hf:{folder}", device="cpu", seed=5).describe()
    assert record["weights_sha256"] == hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    assert record["class"] == "CLIPModel"
    assert record["dtype"] == "float32"
    assert record["device"] == "cpu"
    assert record["seed"] == 5
    assert record["logit_bias"] is None
    assert record["logit_scale"] == pytest.approx(float(clip[1].logit_scale.detach().exp()), rel=1e-5)
    assert record["preprocessing"]["images"]["image_mean"] == [0.4, 0.5, 0.6]
    assert {"torch", "transformers"} <= set(record["versions"])
    assert str(folder) not in json.dumps({**record, "spec": ""})


def test_nothing_in_nothing_out(clip: Any) -> None:
    mine = load(f"hf:{clip[0]}", device="cpu")
    assert len(mine.encode_images([])) == 0
    assert len(mine.encode_texts([])) == 0
