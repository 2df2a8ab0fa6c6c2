from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import processors

from backend.errors import UsageError
from backend.models import load
from tests.models.conftest import TEXTS, TOWER, VISION, WORDS, image_processor, word_tokenizer
from tests.zoo.texts.causal_lm import KNOWN, causal
from tests.zoo.texts.tokenizers import tokenizer


def by_hand(torch: Any, logits: Any, row: list[int]) -> Any:
    """log-softmax of one unpadded row, at the tokens that follow."""
    with torch.no_grad():
        table = torch.log_softmax(logits[0].double(), dim=-1)
    return np.array([table[k, token].item() for k, token in enumerate(row[1:])])


def ids_of(text: str) -> list[int]:
    return [1, *[WORDS.index(w) + 4 if w in WORDS else 2 for w in text.split()], 3]


def test_captioner_token_logprobs_equal_the_reference(torch: Any, hf: Any, captioner: Any, images: list[Any]) -> None:
    folder, model = captioner
    mine = load(f"hf:{folder}", device="cpu")
    assert mine.kinds == {"gen", "prior"}
    processor = hf.AutoImageProcessor.from_pretrained(folder)
    scored = mine.caption_logprobs(images, TEXTS)
    for image, text, (tokens, logprobs) in zip(images, TEXTS, scored, strict=True):
        row = ids_of(text)
        pixels = processor(images=image, return_tensors="pt")["pixel_values"]
        with torch.no_grad():
            logits = model(pixel_values=pixels, input_ids=torch.tensor([row])).logits
        np.testing.assert_allclose(logprobs, by_hand(torch, logits, row), atol=1e-4)
        assert logprobs.dtype == np.float32
        assert tokens == [w if w in WORDS else "[UNK]" for w in text.split()] + ["[EOS]"]


def test_the_hub_layout_of_blip(torch: Any, hf: Any, write: Any, minilm: Any, images: list[Any]) -> None:
    """BERT's word pieces; the start token [DEC] 30522 lies outside the tokenizer; generate() stops at [SEP] 102."""
    text = {**TOWER, "encoder_hidden_size": 32, "is_decoder": True}  # ids and vocabulary as in the hub's config
    config = hf.BlipConfig(text_config=text, vision_config={**VISION, "initializer_range": 0.02})
    tokenizer = hf.AutoTokenizer.from_pretrained(minilm)
    parts = (tokenizer, image_processor(hf, "BlipImageProcessor"))
    folder, model = write(lambda: hf.BlipForConditionalGeneration(config), *parts)
    mine = load(f"hf:{folder}", device="cpu")
    ((tokens, logprobs),) = mine.caption_logprobs(images[:1], ["Two unpackable cats."])
    row = tokenizer("Two unpackable cats.")["input_ids"]
    assert tokens == [*tokenizer.convert_ids_to_tokens(row[1:-1]), "[SEP]"]
    row[0] = 30522
    pixels = hf.AutoImageProcessor.from_pretrained(folder)(images=images[0], return_tensors="pt")["pixel_values"]
    with torch.no_grad():
        logits = model(pixel_values=pixels, input_ids=torch.tensor([row])).logits
    np.testing.assert_allclose(logprobs, by_hand(torch, logits, row), atol=1e-4)
    assert mine.describe()["preprocessing"]["scored"] == "tokens after [30522], with the final [SEP]"


def test_the_reference_loss_is_the_mean_of_the_tokens(torch: Any, hf: Any, captioner: Any, images: list[Any]) -> None:
    folder, model = captioner
    pixels = hf.AutoImageProcessor.from_pretrained(folder)(images=images[0], return_tensors="pt")["pixel_values"]
    row = torch.tensor([ids_of(TEXTS[1])])
    model.text_decoder.label_smoothing = 0.0
    with torch.no_grad():
        loss = model(pixel_values=pixels, input_ids=row, labels=row).loss.item()
    ((_, logprobs),) = load(f"hf:{folder}", device="cpu").caption_logprobs(images[:1], TEXTS[1:2])
    assert -logprobs.mean() == pytest.approx(loss, abs=1e-5)


def test_caption_scores_do_not_depend_on_company(captioner: Any, images: list[Any]) -> None:
    mine = load(f"hf:{captioner[0]}", device="cpu")
    together = mine.caption_logprobs(images, TEXTS)
    mine.batch_size = 1
    for (_, a), (_, b) in zip(together, mine.caption_logprobs(images, TEXTS), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)


def test_one_image_passes_the_vision_tower_once(captioner: Any, images: list[Any]) -> None:
    mine = load(f"hf:{captioner[0]}", device="cpu")
    seen: list[int] = []
    mine.module.vision_model.register_forward_hook(
        lambda _m, _a, kwargs, _o: seen.append(len(kwargs["pixel_values"])), with_kwargs=True
    )
    pairs = [(image, text) for text in TEXTS for image in images[:3]]
    scored = mine.caption_logprobs([i for i, _ in pairs], [t for _, t in pairs])
    assert sum(seen) == 3
    alone = mine.caption_logprobs([pairs[5][0]], [pairs[5][1]])
    np.testing.assert_allclose(scored[5][1], alone[0][1], atol=1e-5)


def test_prior_from_noise(captioner: Any) -> None:
    mine = load(f"hf:{captioner[0]}", device="cpu")
    noise = mine.noise_images(3, seed=4)
    assert [n.shape for n in noise] == [(3, 32, 32)] * 3
    np.testing.assert_array_equal(noise[1], mine.noise_images(20, seed=4)[1])
    assert abs(float(np.mean(noise))) < 0.05
    assert float(np.std(noise)) == pytest.approx(1, abs=0.05)
    sums = mine.prior_from(noise, TEXTS)
    assert sums.shape == (3, len(TEXTS))
    assert sums.dtype == np.float64
    ((_, logprobs),) = mine.caption_logprobs([noise[2]], [TEXTS[1]])
    assert sums[2, 1] == pytest.approx(logprobs.sum(), abs=1e-4)


def test_noise_goes_in_as_it_is(captioner: Any) -> None:
    mine = load(f"hf:{captioner[0]}", device="cpu")
    seen: list[Any] = []
    mine.module.vision_model.register_forward_hook(
        lambda _m, _a, kwargs, _o: seen.append(kwargs["pixel_values"]), with_kwargs=True
    )
    noise = mine.noise_images(1, seed=0)
    mine.caption_logprobs(noise, ["a cat"])
    np.testing.assert_array_equal(seen[0][0].numpy(), noise[0])


def test_blind_lm_equals_the_reference(torch: Any, gpt2: Any) -> None:
    folder, model = gpt2
    mine = load(f"lm:{folder}", device="cpu")
    assert mine.kinds == {"prior"}
    assert load(f"hf:{folder}", device="cpu").kinds == {"prior"}
    for text, (tokens, logprobs) in zip(TEXTS, mine.text_logprobs(TEXTS), strict=True):
        row = ids_of(text)
        with torch.no_grad():
            logits = model(torch.tensor([row])).logits
        np.testing.assert_allclose(logprobs, by_hand(torch, logits, row), atol=1e-4)
        assert len(tokens) == len(logprobs) == len(row) - 1
    mine.batch_size = 1
    for (_, a), (_, b) in zip(mine.text_logprobs(TEXTS), load(f"lm:{folder}").text_logprobs(TEXTS), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)


@pytest.mark.parametrize("architecture", ["OPT", "Llama"])
def test_other_blind_lms(architecture: str, torch: Any, hf: Any, write: Any) -> None:
    sizes: dict[str, Any] = {"vocab_size": len(WORDS) + 4, "hidden_size": 32, "num_hidden_layers": 2}
    sizes |= {"num_attention_heads": 4, "max_position_embeddings": 16}
    sizes |= {"ffn_dim": 48, "word_embed_proj_dim": 32} if architecture == "OPT" else {"intermediate_size": 48}
    ids = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 3}
    config = getattr(hf, f"{architecture}Config")(**sizes, **ids)
    folder, model = write(lambda: getattr(hf, f"{architecture}ForCausalLM")(config), word_tokenizer(hf))
    mine = load(f"lm:{folder}", device="cpu")
    for text, (_, logprobs) in zip(TEXTS, mine.text_logprobs(TEXTS), strict=True):
        row = ids_of(text)
        with torch.no_grad():
            logits = model(torch.tensor([row])).logits
        np.testing.assert_allclose(logprobs, by_hand(torch, logits, row), atol=1e-4)


@pytest.mark.parametrize(
    ("name", "start", "end"),
    [
        ("OPT", "</s>", "</s>"),
        ("Llama", "<s>", "</s>"),
        ("Qwen2", "<|endoftext|>", "<|im_end|>"),
        ("GPTNeoX", "<|endoftext|>", "<|endoftext|>"),
        ("Gemma", "<bos>", "<eos>"),
    ],
)
def test_each_family_starts_and_ends_its_own_way(name: str, start: str, end: str, torch: Any, tmp_path: Path) -> None:
    """Against the library's own loss over the labels, which is a mean over the tokens after the first."""
    module = causal(tmp_path, name)
    tokens = tokenizer(KNOWN[name][0])
    mine = load(f"lm:{tmp_path}", device="cpu")
    assert mine.describe()["preprocessing"]["scored"] == f"tokens after {start}, with the final {end}"
    first, last = tokens.convert_tokens_to_ids([start, end])
    row = [first, *tokens("a red cat", add_special_tokens=False)["input_ids"], last]
    with torch.no_grad():
        want = -float(module(torch.tensor([row]), labels=torch.tensor([row])).loss) * (len(row) - 1)
        without_end = -float(module(torch.tensor([row[:-1]]), labels=torch.tensor([row[:-1]])).loss) * (len(row) - 2)
    ((pieces, logprobs),) = mine.text_logprobs(["a red cat"])
    assert logprobs.sum() == pytest.approx(want, abs=1e-3)
    assert abs(logprobs.sum() - without_end) > 0.01
    assert pieces[-1] == end
    assert len(pieces) == len(row) - 1


def test_a_tokenizers_own_start_is_believed(hf: Any, torch: Any, write: Any) -> None:
    """XGLM and BioGPT have a BOS, <s>, but put </s> before a text."""
    tokens = word_tokenizer(hf)
    tokens.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="[EOS] $A", special_tokens=[("[EOS]", 3)]
    )
    config = hf.GPT2Config(vocab_size=len(WORDS) + 4, n_positions=16, n_embd=32, n_layer=2, n_head=4)
    folder, model = write(lambda: hf.GPT2LMHeadModel(config), tokens)
    row = [3, *ids_of("a cat")[1:]]
    with torch.no_grad():
        logits = model(torch.tensor([row])).logits
    ((_, logprobs),) = load(f"lm:{folder}", device="cpu").text_logprobs(["a cat"])
    np.testing.assert_allclose(logprobs, by_hand(torch, logits, row), atol=1e-4)


def test_without_bos_the_eos_starts_the_text(hf: Any, torch: Any, write: Any, gpt2: Any) -> None:
    model = gpt2[1]
    model.config.bos_token_id = None
    tokens = word_tokenizer(hf, bos_token=None)
    tokens.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="$A [EOS]", special_tokens=[("[EOS]", 3)]
    )
    folder, _ = write(lambda: model, tokens)
    model.config.bos_token_id = 1
    mine = load(f"lm:{folder}", device="cpu")
    row = [3, *ids_of("a cat")[1:]]
    with torch.no_grad():
        logits = mine.module(torch.tensor([row])).logits
    np.testing.assert_allclose(mine.text_logprobs(["a cat"])[0][1], by_hand(torch, logits, row), atol=1e-4)


def test_long_captions_keep_their_end_token(captioner: Any, gpt2: Any, images: list[Any]) -> None:
    long = "a cat " * 25_000
    for mine, scored in (
        (m := load(f"hf:{captioner[0]}", device="cpu"), m.caption_logprobs(images[:1], [long])),
        (m := load(f"lm:{gpt2[0]}", device="cpu"), m.text_logprobs([long])),
    ):
        assert len(scored[0][1]) == 15
        assert scored[0][0][-1] == "[EOS]"
        assert mine.truncated([long, "a", "a cat " * 7, "a cat " * 7 + "a"]).tolist() == [True, False, False, True]


def test_an_absent_kind_names_those_there_are(captioner: Any, gpt2: Any, images: list[Any]) -> None:
    mine = load(f"hf:{captioner[0]}", device="cpu")
    with pytest.raises(UsageError, match=r"gives no itm; it gives gen, prior"):
        mine.itm(images[:1], ["a"])
    with pytest.raises(UsageError, match=r"gives no gen; it gives prior"):
        load(f"lm:{gpt2[0]}", device="cpu").caption_logprobs(images[:1], ["a"])
    with pytest.raises(ValueError, match="as many of each"):
        mine.caption_logprobs(images[:2], ["a"])
