from typing import Any

import numpy as np

from backend.models import load
from tests.models.conftest import TEXTS


def test_matching_head_and_towers_equal_the_reference(torch: Any, hf: Any, matcher: Any, images: list[Any]) -> None:
    folder, model = matcher
    mine = load(f"hf:{folder}", device="cpu")
    assert mine.kinds == {"itm", "itc", "t2t"}
    processor, tokenizer = hf.AutoImageProcessor.from_pretrained(folder), hf.AutoTokenizer.from_pretrained(folder)
    cosines = mine.encode_images(images) @ mine.encode_texts(TEXTS).T
    logits, probabilities = mine.itm_logits(images, TEXTS), mine.itm(images, TEXTS)
    for k, (image, text) in enumerate(zip(images, TEXTS, strict=True)):
        pixels = processor(images=image, return_tensors="pt")["pixel_values"]
        tokens = tokenizer(text, return_tensors="pt")
        inputs = {name: tokens[name] for name in ("input_ids", "attention_mask")}
        with torch.no_grad():
            head = model(pixel_values=pixels, **inputs, use_itm_head=True).itm_score[0].double()
            cosine = model(pixel_values=pixels, **inputs, use_itm_head=False).itm_score.item()
        np.testing.assert_allclose(logits[k], (head[1] - head[0]).item(), atol=1e-4)
        np.testing.assert_allclose(probabilities[k], torch.softmax(head, 0)[1].item(), atol=1e-4)
        np.testing.assert_allclose(cosines[k, k], cosine, atol=1e-4)


def test_company_changes_nothing_and_images_are_seen_once(matcher: Any, images: list[Any]) -> None:
    mine = load(f"hf:{matcher[0]}", device="cpu")
    together = mine.itm_logits(images, TEXTS)
    texts = mine.encode_texts(TEXTS)
    mine.batch_size = 1
    np.testing.assert_allclose(mine.itm_logits(images, TEXTS), together, atol=1e-5)
    np.testing.assert_allclose(mine.encode_texts(TEXTS), texts, atol=1e-5)
    mine.batch_size = 7
    seen: list[int] = []
    mine.module.vision_model.register_forward_hook(
        lambda _m, _a, kwargs, _o: seen.append(len(kwargs["pixel_values"])), with_kwargs=True
    )
    mine.itm(images[:2] * 7, TEXTS * 2)
    mine.encode_images(images[:2] * 5)
    assert sum(seen) == 4
