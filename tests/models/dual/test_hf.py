from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.models import load
from tests.models.conftest import IDS, TEXT, TEXTS, VISION, image_processor, word_tokenizer


def reference(torch: Any, hf: Any, folder: Path, model: Any, texts: list[str], images: list[Any], **pad: Any) -> Any:
    tokens = hf.AutoTokenizer.from_pretrained(folder)(
        texts, return_tensors="pt", truncation=True, **(pad or {"padding": True})
    )
    pixels = hf.AutoImageProcessor.from_pretrained(folder)(images=images, return_tensors="pt")
    with torch.no_grad():
        out = model(**{k: v for k, v in tokens.items() if k != "token_type_ids"}, **pixels)
    return out.image_embeds.numpy(), out.text_embeds.numpy()


def test_clip_equals_the_reference_forward_pass(torch: Any, hf: Any, clip: Any, images: list[Any]) -> None:
    folder, model = clip
    mine = load(f"hf:{folder}", device="cpu")
    want_images, want_texts = reference(torch, hf, folder, model, TEXTS, images)
    assert mine.kinds == {"itc", "t2t"}
    np.testing.assert_allclose(mine.encode_images(images), want_images, atol=1e-5)
    np.testing.assert_allclose(mine.encode_texts(TEXTS), want_texts, atol=1e-5)
    assert mine.encode_texts(TEXTS).dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(mine.encode_texts(TEXTS), axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("name", ["Siglip", "ChineseCLIP", "AltCLIP", "MetaClip2", "Align"])
def test_other_dual_encoders_equal_the_reference(name: str, torch: Any, hf: Any, write: Any, images: list[Any]) -> None:
    config_class = getattr(hf, f"{name}Config")
    text, vision = {**TEXT, **IDS}, {**VISION}
    more: dict[str, Any] = {"projection_dim": 24}
    tokenizer = word_tokenizer(hf)
    padding: dict[str, Any] = {}
    processor = image_processor(hf)
    if name == "Siglip":
        more, padding = {}, {"padding": "max_length"}
        text["projection_size"] = 32
        tokenizer = word_tokenizer(hf, model_input_names=["input_ids"])
    if name == "AltCLIP":
        text |= {"max_position_embeddings": 18, "project_dim": 32, "type_vocab_size": 1}
    if name == "Align":
        text["max_position_embeddings"] = 16
        vision = {"image_size": 32, "width_coefficient": 0.1, "depth_coefficient": 0.1, "hidden_dim": 24}
        more = {"projection_dim": 32}
    config = config_class(text_config=text, vision_config=vision, **more)
    folder, model = write(lambda: getattr(hf, f"{name}Model")(config), tokenizer, processor)
    mine = load(f"hf:{folder}", device="cpu")
    want_images, want_texts = reference(torch, hf, folder, model, TEXTS, images, **padding)
    want_images, want_texts = (w / np.linalg.norm(w, axis=-1, keepdims=True) for w in (want_images, want_texts))
    np.testing.assert_allclose(mine.encode_images(images), want_images, atol=1e-4)
    np.testing.assert_allclose(mine.encode_texts(TEXTS), want_texts, atol=1e-4)
    assert mine.encode_texts(["a cat " * 50]).shape == (1, want_texts.shape[1])


def test_batch_size_and_company_change_nothing(clip: Any, images: list[Any]) -> None:
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
