"""Prompts as the models' own processors render them; borders of tokens; folders without a template."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from backend.errors import UsageError
from backend.models import load
from backend.models.chat.prompt import Dialogue, Prompt
from backend.models.fidelity import pictures
from tests.models.chat.conftest import every
from tests.models.chat.tokenizers import fast

ASK = "Describe the image in one sentence."
PROMPTS = {
    "LLaVA-1.5": f"USER: <image>\n{ASK} ASSISTANT:",
    "LLaVA-1.5, pads right, without chat template": f"USER: <image>\n{ASK} ASSISTANT:",
    "LLaVA-1.6 (LlavaNext)": f"[INST] <image>\n{ASK} [/INST]",
    "LLaVA-OneVision": f"<|im_start|>user <image>\n{ASK}<|im_end|><|im_start|>assistant\n",
    "Pixtral in LLaVA": f"<s>[INST][IMG]{ASK}[/INST]",
    "Qwen2-VL": (
        "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\n"
        f"<|vision_start|><|image_pad|><|vision_end|>{ASK}<|im_end|>\n<|im_start|>assistant\n"
    ),
    "Qwen3-VL": (
        f"<|im_start|>user\n<|vision_start|><|image_pad|><|vision_end|>{ASK}<|im_end|>\n<|im_start|>assistant\n"
    ),
    "PaliGemma": "<image>caption en",
    "Gemma 3": f"<bos><start_of_turn>user\n<start_of_image>{ASK}<end_of_turn>\n<start_of_turn>model\n",
    "Idefics3": f"<|im_start|>User:<image>{ASK}<end_of_utterance>\nAssistant:",
    "InternVL": f"<|im_start|>user\n<IMG_CONTEXT>\n{ASK}<|im_end|>\n<|im_start|>assistant\n",
}


@pytest.mark.parametrize("name", PROMPTS)
def test_the_prompt_is_recorded(chat: Any, name: str) -> None:
    model, _, _ = chat(name)
    record = model.describe()
    made = record["preprocessing"]
    assert made["prompt"] == PROMPTS[name]
    assert "Does this figure show '{text}'? Please answer yes or no." in made["question"]
    assert made["scored"].endswith(model.pieces(model.dialogue.ends)[-1])
    assert "Yes) as" in made["vqa"]
    assert record["prefix"] == "shared"
    assert json.loads(json.dumps(record)) == record


@pytest.mark.parametrize("name", every())
def test_bos_stands_once(chat: Any, name: str) -> None:
    """Neither doubled where the template writes it, nor lost where the tokenizer adds it."""
    model, _, _ = chat(name)
    bos = model.processor.tokenizer.bos_token_id
    ids = model.reference().ids
    assert bos is None or ids.count(bos) == 1


@pytest.mark.parametrize("name", every())
def test_another_question_about_the_same_picture_is_what_the_processor_gives(chat: Any, name: str) -> None:
    model, _, _ = chat(name)
    seen = model.sight.look(pictures()[0], model.dialogue.question(""))
    prompts = [model.dialogue.question(text) for text in ("a cat", "", " déjà vu", "two dogs\nrun")]
    rows = model.sight.other_prompts(seen, prompts)
    assert rows == [model.sight.look(pictures()[0], prompt).ids for prompt in prompts]


def test_a_token_that_crosses_the_border_is_not_used() -> None:
    from tokenizers import Tokenizer, models

    pieces = [":", "a", "b", ":a", "<unk>"]
    core = Tokenizer(models.BPE({p: n for n, p in enumerate(pieces)}, [(":", "a")], unk_token=pieces[-1]))
    tokenizer = fast(core, {"eos_token": "<unk>"}, "right")
    talk = Dialogue("spec", SimpleNamespace(tokenizer=tokenizer), [4])
    assert talk.ids([":ab"]) == [[3, 2]]
    assert talk.answers(Prompt(":", ":"), ["ab", "ba", ""]) == [[1, 2], [2, 1], []]
    assert talk.ends == [4]


def test_an_empty_thought_belongs_to_the_prompt(fresh: Any) -> None:
    folder = fresh("Qwen3-VL")
    file = folder / "chat_template.jinja"
    text = file.read_text(encoding="utf-8")
    thought = text.replace("'<|im_start|>assistant\\n'", "'<|im_start|>assistant\\n<think>\\n'").replace(
        "{{- '<|im_start|>' + message.role + '\\n' }}{%- if message.content is string %}{{- message.content }}{%- else "
        "%}{%- for item",
        "{{- '<|im_start|>' + message.role + '\\n<think>\\n\\n</think>\\n\\n' }}{%- if message.content is string %}"
        "{{- message.content }}{%- else %}{%- for item",
    )
    file.write_text(thought, encoding="utf-8")
    model = load(f"hf:{folder}", device="cpu")
    assert model.dialogue.caption().text.endswith("<|im_start|>assistant\n<think>\n\n</think>\n\n")
    assert [tokens for tokens, _ in model.caption_logprobs([pictures()[0]], ["a cat"])] == [["a", "Ġcat", "<|im_end|>"]]


def test_a_template_for_plain_text_is_refused(fresh: Any) -> None:
    folder = fresh("LLaVA-OneVision")
    template = "{% for m in messages %}{{ m['role'] }}: {{ m['content'][-1]['text'] }}\n{% endfor %}"
    (folder / "chat_template.jinja").write_text(template, encoding="utf-8")
    with pytest.raises(UsageError, match="leaves out the image"):
        load(f"hf:{folder}", device="cpu")


def test_a_broken_template_is_named(fresh: Any) -> None:
    folder = fresh("LLaVA-1.5")
    (folder / "chat_template.jinja").write_text("{{ raise_exception('no') }}", encoding="utf-8")
    with pytest.raises(UsageError, match="its chat template fails"):
        load(f"hf:{folder}", device="cpu")


def test_no_template_is_no_reason_to_guess(fresh: Any) -> None:
    folder = fresh("Qwen2-VL")
    (folder / "chat_template.jinja").unlink()
    with pytest.raises(UsageError, match="no chat template, and none is known for model_type 'qwen2_vl'"):
        load(f"hf:{folder}", device="cpu")


def test_a_text_that_spells_a_placeholder_is_refused(chat: Any) -> None:
    model, _, _ = chat("Gemma 3")
    for text in ("a <start_of_image> cat", "a <image_soft_token> cat"):
        with pytest.raises(UsageError, match="which stands for an image here"):
            model.caption_logprobs([pictures()[0]], [text])
        with pytest.raises(UsageError, match="which stands for an image here"):
            model.vqa_logits([pictures()[0]], [text])


def test_long_texts_are_cut_and_said_to_be(chat: Any) -> None:
    model, _, _ = chat("LLaVA-1.5")
    long = "cat " * 5000
    assert model.truncated(["a cat", long]).tolist() == [False, True]
    assert model.text_lengths([long]).tolist() == [model.room] == [4096 - len(model.reference().ids)]
