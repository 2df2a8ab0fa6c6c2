"""What is scored, by hand and by the library's own loss; one image's texts read behind a kept prefix.

Torch and transformers are imported by the tests, not while they are collected."""

import math
from typing import Any

import numpy as np
import pytest

from backend.errors import UsageError
from backend.models.fidelity import pictures
from tests.models.chat.conftest import every
from tests.zoo.base import TEXTS

#: What ends the answer, and what its first words look like behind the prompt.
ENDS = {
    "LLaVA-1.5": ["▁a", "▁cat", "</s>"],
    "LLaVA-1.6 (LlavaNext)": ["▁a", "▁cat", "</s>"],
    "LLaVA-OneVision": ["a", "Ġcat", "<|im_end|>"],
    "Pixtral in LLaVA": ["a", "Ġcat", "</s>"],
    "Qwen2-VL": ["a", "Ġcat", "<|im_end|>"],
    "Qwen3-VL": ["a", "Ġcat", "<|im_end|>"],
    "PaliGemma": ["a", "▁cat", "<eos>"],
    "Gemma 3": ["a", "▁cat", "<end_of_turn>"],
    "Idefics3": ["Ġa", "Ġcat", "<end_of_utterance>"],
    "SmolVLM": ["Ġa", "Ġcat", "<end_of_utterance>"],
    "InternVL": ["a", "Ġcat", "<|im_end|>"],
    "Llama 3.2 Vision (mllama)": ["a", "Ġcat", "<|eot_id|>"],
    "Llama 4": ["a", "Ġcat", "<|eot|>"],
    "Mistral 3 (Mistral Small 3.1)": ["a", "Ġcat", "</s>"],
    "Idefics2": ["▁a", "▁cat", "<end_of_utterance>"],
    "GLM-4V (GLM-4.1V)": ["a", "Ġcat", "<|user|>"],
    "ViP-LLaVA": ["▁a", "▁cat", "</s>"],
    "DeepSeek-VL": ["Ġa", "Ġcat", "<｜end▁of▁sentence｜>"],
    "Molmo2": ["a", "Ġcat", "<|im_end|>"],
    "Janus": ["Ġa", "Ġcat", "<｜end▁of▁sentence｜>"],
    "Gemma 4": ["a", "▁cat", "<turn|>"],
    "Gemma 3n": ["a", "▁cat", "<end_of_turn>"],
    "Cohere2 Vision": ["a", "Ġcat", "<|END_RESPONSE|>", "<|END_OF_TURN_TOKEN|>"],
    "Aya Vision": ["a", "Ġcat", "<|END_RESPONSE|>", "<|END_OF_TURN_TOKEN|>"],
}


@pytest.mark.long
@pytest.mark.parametrize("name", ENDS)
def test_the_captions_tokens_and_the_end_of_the_turn_are_scored(chat: Any, name: str) -> None:
    model, _, _ = chat(name)
    image = pictures()[0]
    (tokens, logprobs), (empty, last) = model.caption_logprobs([image, image], ["a cat", ""])
    assert tokens == ENDS[name]
    assert len(logprobs) == len(tokens)
    assert (logprobs < 0).all()
    assert empty == tokens[2:]
    assert len(last) == len(tokens) - 2
    assert model.text_lengths(["a cat", ""]).tolist() == [len(tokens), len(tokens) - 2]


@pytest.mark.slow
@pytest.mark.parametrize("name", every())
def test_texts_that_share_a_picture_score_as_if_each_were_alone(chat: Any, name: str) -> None:
    """Two pictures in turn, so that what the module remembers of the last one would be noticed."""
    from backend.models.reference.chat.family import ChatVlm as Reference

    model, module, _ = chat(name)
    assert model.shared
    reference = Reference(model, module)
    images = [pictures()[i] for i in (0, 3)]
    pairs = [(image, text) for text in TEXTS[:4] for image in images]
    got = model.caption_logprobs([i for i, _ in pairs], [t for _, t in pairs])
    odds = model.vqa_logits([i for i, _ in pairs], [t for _, t in pairs])
    for (image, text), (_, logprobs), odd in zip(pairs, got, odds, strict=True):
        np.testing.assert_allclose(logprobs, reference.caption(image, text), atol=1e-4)
        assert odd == pytest.approx(reference.vqa(image, text), abs=1e-4)
    apart = [abs(float(a[1].sum() - b[1].sum())) for a, b in zip(got[::2], got[1::2], strict=True)]
    assert max(apart) > 1e-2, "both pictures score alike, so nothing would be noticed"


@pytest.mark.parametrize("name", every())
def test_a_model_whose_cache_cannot_be_continued_is_read_whole(
    chat: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, _, _ = chat(name)
    image, texts = pictures()[1], list(TEXTS[:4])
    want = model.caption_logprobs([image] * 4, texts), model.vqa_logits([image] * 4, texts)
    monkeypatch.setattr(model, "shared", False)
    got = model.caption_logprobs([image] * 4, texts), model.vqa_logits([image] * 4, texts)
    for (tokens, ours), (same, theirs) in zip(want[0], got[0], strict=True):
        assert tokens == same
        np.testing.assert_allclose(ours, theirs, atol=1e-4)
    np.testing.assert_allclose(want[1], got[1], atol=1e-4)


LOSSES = ["LLaVA-1.5", "Qwen2.5-VL, pads right", "Gemma 3", "Idefics3", "InternVL", "Llama 3.2 Vision (mllama)"]
LOSSES += ["Llama 4", "Idefics2", "Qwen3.5", "LFM2-VL", "Ovis2", "Gemma 3n", "Aria"]


@pytest.mark.parametrize("name", LOSSES)
def test_the_sum_is_the_librarys_own_loss(chat: Any, torch: Any, name: str) -> None:
    """The whole conversation as its template writes it, labels on the answer and its end alone."""
    from transformers import AutoProcessor

    model, module, folder = chat(name)
    image, text = pictures()[4], "a dog chases a cat"
    processor = AutoProcessor.from_pretrained(folder)
    user = {"role": "user", "content": [{"type": "image", "image": image}, {"type": "text", "text": TURN}]}
    answer = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    take = {"tokenize": True, "return_dict": True, "return_tensors": "pt"}
    prompt = processor.apply_chat_template([user], add_generation_prompt=True, **take)
    whole = processor.apply_chat_template([user, answer], **take)
    # Llama 4's pixels come in bfloat16.
    whole = {name: value.float() if value.is_floating_point() else value for name, value in whole.items()}
    ids = whole["input_ids"]
    begin, end = prompt["input_ids"].shape[1], len(model.dialogue.answers(model.dialogue.caption(), [text])[0])
    if name == "LLaVA-1.5":  # its template writes no end of the answer
        ids[0, begin + end] = processor.tokenizer.eos_token_id
    labels = torch.full_like(ids, -100)
    labels[:, begin : begin + end + 1] = ids[:, begin : begin + end + 1]
    with torch.no_grad():
        loss = float(module(**whole, labels=labels).loss)
    [(_, logprobs)] = model.caption_logprobs([image], [text])
    assert len(logprobs) == end + 1
    assert -float(logprobs.mean()) == pytest.approx(loss, abs=1e-4)


TURN = "Describe the image in one sentence."


@pytest.mark.parametrize("state", ["recurrent_states", "conv_states"])
def test_a_state_that_is_lost_is_noticed(chat: Any, torch: Any, monkeypatch: pytest.MonkeyPatch, state: str) -> None:
    """Linear attention keeps one state for all tokens before: a library that drops it must not be trusted with it."""
    from backend.models.chat.agreement import shares_prefix
    from backend.models.chat.prefix import Prefix

    model, _, _ = chat("Qwen3.5")
    assert shares_prefix(model)
    read = Prefix.read

    def forgetful(self: Prefix) -> None:
        read(self)
        for layer in self.kept.layers:
            for value in getattr(layer, state, {}).values():
                value.zero_()

    monkeypatch.setattr(Prefix, "read", forgetful)
    assert not shares_prefix(model)


@pytest.mark.parametrize("name", ["PaliGemma", "PaliGemma 2, pads left"])
def test_paligemma_scores_its_suffix_as_training_does(chat: Any, torch: Any, name: str) -> None:
    from transformers import AutoProcessor

    model, module, folder = chat(name)
    image, text = pictures()[4], "a dog chases a cat"
    batch = AutoProcessor.from_pretrained(folder)(
        text="<image>caption en", images=image, suffix=text, return_tensors="pt"
    )
    with torch.no_grad():
        loss = float(module(**batch).loss)
        causal = float(module(**{**batch, "token_type_ids": torch.ones_like(batch["token_type_ids"])}).loss)
    [(_, logprobs)] = model.caption_logprobs([image], [text])
    assert -float(logprobs.mean()) == pytest.approx(loss, abs=1e-4)
    assert abs(causal - loss) > 1e-2, "a causal reading of the prompt would not be noticed"


@pytest.mark.parametrize("name", ["Qwen2-VL", "LLaVA-OneVision", "SmolVLM", "PaliGemma"])
def test_yes_is_one_token_among_all(chat: Any, torch: Any, name: str) -> None:
    """generate()'s own scores of the first answer token."""
    model, module, _ = chat(name)
    image = pictures()[2]
    prompt = model.dialogue.question("a red ball")
    seen = model.sight.look(image, prompt)
    inputs = {"input_ids": torch.tensor([seen.ids]), **seen.picture, **seen.marks}
    out = module.generate(**inputs, max_new_tokens=1, do_sample=False, return_dict_in_generate=True, output_logits=True)
    chances = out.logits[0][0].double().softmax(-1)
    p = float(chances[model.yes[0]])
    odds = float(model.vqa_logits([image], ["a red ball"])[0])
    assert odds == pytest.approx(math.log(p) - math.log1p(-p), abs=1e-4)
    assert float(model.vqa([image], ["a red ball"])[0]) == pytest.approx(p, abs=1e-5)


def test_a_bare_space_is_no_yes(chat: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model, _, _ = chat("Idefics3")
    space = model.processor.tokenizer.convert_tokens_to_ids("Ġ")
    monkeypatch.setattr(model, "yes", [space, *model.yes])
    with pytest.raises(UsageError, match="gives no vqa"):
        model.vqa_logits([pictures()[0]], ["a cat"])


def test_log_odds_stay_finite_where_probabilities_saturate(torch: Any) -> None:
    from backend.models.chat.answers import log_odds

    logits = torch.tensor([[0.0, 0.0], [200.0, 0.0], [-200.0, 0.0], [0.0, math.log(3)]])
    np.testing.assert_allclose(log_odds(logits, 0), [0.0, 200.0, -200.0, -math.log(3)], rtol=1e-6)
