"""A folder that is damaged, half-downloaded or lacks a part is refused in one sentence, and its pickles never run."""

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from backend.errors import FlipsideError, UsageError
from backend.models import kinds_of, load
from tests.models.conftest import TEXT, image_processor, word_tokenizer


@pytest.fixture
def copied(clip: Any, tmp_path: Path) -> Path:
    return Path(shutil.copytree(clip[0], tmp_path / "model"))


def as_bin(folder: Path) -> Path:
    """The same weights in PyTorch's own format."""
    import torch
    from safetensors.torch import load_file

    file = folder / "pytorch_model.bin"
    torch.save(load_file(folder / "model.safetensors"), file)
    (folder / "model.safetensors").unlink()
    return file


class Evil:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.path,))


@pytest.mark.parametrize("kept", [0, 5, 0.5])
def test_safetensors_cut_short_are_named(copied: Path, kept: float) -> None:
    file = copied / "model.safetensors"
    whole = file.read_bytes()
    file.write_bytes(whole[: kept if isinstance(kept, int) else int(len(whole) * kept)])
    with pytest.raises(FlipsideError, match=r"damaged or cut short .* Download them again") as found:
        load(f"hf:{copied}", device="cpu")
    assert found.value.exit_code == 1


@pytest.mark.parametrize("kept", [0.0, 0.5])
def test_a_bin_file_cut_short_is_named(copied: Path, kept: float) -> None:
    file = as_bin(copied)
    file.write_bytes(file.read_bytes()[: int(file.stat().st_size * kept)])
    with pytest.raises(FlipsideError, match="damaged or cut short"):
        load(f"hf:{copied}", device="cpu")


@pytest.mark.parametrize("raw", [True, False])
def test_a_pickle_that_would_run_code_is_refused_and_told_apart(copied: Path, raw: bool) -> None:
    import torch

    file, ran = as_bin(copied), copied / "ran"
    if raw:
        file.write_bytes(pickle.dumps({"logit_scale": Evil(ran)}))
    else:
        torch.save({"logit_scale": Evil(ran)}, file)
    with pytest.raises(FlipsideError, match=r"could run code; it was refused|damaged") as found:
        load(f"hf:{copied}", device="cpu")
    assert raw or "it was refused. Use the model's safetensors" in str(found.value)
    assert "trust the source" not in str(found.value)
    assert not ran.exists()


@pytest.mark.parametrize("family", ["clip", "captioner", "gpt2"])
def test_a_folder_without_its_tokenizer_is_refused(family: str, request: Any, tmp_path: Path) -> None:
    """transformers 5 makes a tokenizer of its class alone, without a vocabulary; all texts would get the same score."""
    folder = Path(shutil.copytree(request.getfixturevalue(family)[0], tmp_path / "model"))
    for file in folder.glob("*token*"):
        file.unlink()
    with pytest.raises(UsageError, match="no usable tokenizer"):
        load(f"hf:{folder}", device="cpu")


def test_a_sentence_encoder_without_its_tokenizer_is_refused(hf: Any, write: Callable[..., Any]) -> None:
    folder, _ = write(lambda: hf.BertModel(hf.BertConfig(**TEXT)))
    with pytest.raises(UsageError, match="no usable tokenizer"):
        load(f"st:{folder}", device="cpu")


def test_an_image_classifier_is_no_sentence_encoder(hf: Any, write: Callable[..., Any]) -> None:
    config = hf.ResNetConfig(embedding_size=8, hidden_sizes=[8, 8], depths=[1, 1])
    folder, _ = write(lambda: hf.ResNetForImageClassification(config), image_processor(hf))
    with pytest.raises(FlipsideError, match=r"resnet|cannot be loaded"):
        load(f"st:{folder}", device="cpu")


@pytest.mark.parametrize("content", ["{oops", "[]", '{"image_processor_type": "Nonsense"}'])
def test_a_damaged_image_processor_is_named(copied: Path, content: str) -> None:
    (copied / "preprocessor_config.json").write_text(content)
    with pytest.raises(UsageError, match="no usable image processor"):
        load(f"hf:{copied}", device="cpu")


@pytest.mark.parametrize("content", ["{oops", "{}", "[]"])
def test_a_damaged_tokenizer_is_named(copied: Path, content: str) -> None:
    (copied / "tokenizer.json").write_text(content)
    with pytest.raises(UsageError, match="no usable tokenizer"):
        load(f"hf:{copied}", device="cpu")


@pytest.mark.parametrize(("architectures", "said"), [(["Own"], "Own"), ("Own", "architectures Own,"), ([3], "none")])
def test_whatever_a_config_calls_architectures_is_read(copied: Path, architectures: Any, said: str) -> None:
    file = copied / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "architectures": architectures}))
    with pytest.raises(UsageError, match=said):
        kinds_of(f"hf:{copied}")


@pytest.mark.parametrize("content", ["{}", '{"model_cfg": 3}', "[]"])
@pytest.mark.parametrize("prefix", ["hf", "openclip"])
def test_an_open_clip_folder_without_settings_is_named(tmp_path: Path, prefix: str, content: str) -> None:
    (tmp_path / "open_clip_config.json").write_text(content)
    (tmp_path / "open_clip_model.safetensors").write_bytes(b"x")
    with pytest.raises(UsageError, match=r"open_clip_config.json: (names no model_cfg|holds no JSON object)"):
        kinds_of(f"{prefix}:{tmp_path}")


@pytest.mark.parametrize("last_words", ["1/0", "raise SystemExit(7)"])
def test_trusted_code_that_fails_is_blamed_itself(copied: Path, last_words: str) -> None:
    file = copied / "config.json"
    own = {"model_type": "own", "architectures": ["Own"], "auto_map": {"AutoConfig": "own.OwnConfig"}}
    file.write_text(json.dumps({**json.loads(file.read_text()), **own}))
    (copied / "own.py").write_text(f"{last_words}\n")
    with pytest.raises(FlipsideError, match="Python files that came with it failed"):
        load(f"st:{copied}", device="cpu", trust_remote_code=True)


@pytest.mark.parametrize(
    ("family", "ask"),
    [
        ("clip", lambda model: model.encode_texts(["a purple cat"])),
        ("gpt2", lambda model: model.text_logprobs(["a purple cat"])),
        ("captioner", lambda model: model.caption_logprobs([Image.new("RGB", (9, 9))], ["a purple cat"])),
        ("matcher", lambda model: model.itm_logits([Image.new("RGB", (9, 9))], ["a purple cat"])),
    ],
)
def test_a_word_that_the_model_has_no_row_for_is_named(family: str, ask: Any, request: Any, tmp_path: Path) -> None:
    """On a GPU the embedding would stop the process, with a message about an assertion in a kernel."""
    import transformers

    folder = Path(shutil.copytree(request.getfixturevalue(family)[0], tmp_path / "model"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens(["purple"])
    tokenizer.save_pretrained(folder)
    with pytest.raises(FlipsideError, match=r"made token 24 \('purple'\) of a text, but the model knows 24 tokens"):
        ask(load(f"hf:{folder}", device="cpu"))


def test_a_padding_token_without_a_row_does_no_harm(gpt2: Any, tmp_path: Path) -> None:
    """LLaMA checkpoints come with a [PAD] that was added behind the embedding's last row."""
    import transformers

    folder = Path(shutil.copytree(gpt2[0], tmp_path / "model"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.add_special_tokens({"pad_token": "<another pad>"})
    tokenizer.save_pretrained(folder)
    mine, want = (load(f"lm:{place}", device="cpu").text_logprobs(["a", "a red cat"]) for place in (folder, gpt2[0]))
    for (_, found), (_, wanted) in zip(mine, want, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_a_processor_with_code_of_its_own_is_never_asked_about(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a plain no, transformers asks on the terminal whether to run it."""
    file = copied / "preprocessor_config.json"
    own = {"auto_map": {"AutoImageProcessor": "own.Own"}, "image_processor_type": "Own"}
    file.write_text(json.dumps({**json.loads(file.read_text()), **own}))
    (copied / "own.py").write_text("raise SystemExit('ran')\n")
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("asked on the terminal"))
    monkeypatch.setattr("transformers.dynamic_module_utils.TIME_OUT_REMOTE_CODE", 1)
    with pytest.raises(UsageError, match="no usable image processor"):
        load(f"hf:{copied}", device="cpu")


@pytest.mark.parametrize(
    ("family", "key"), [("clip", "text_config.num_hidden_layers"), ("gpt2", "n_layer"), ("plain", "num_hidden_layers")]
)
def test_layers_that_the_config_does_not_count_are_not_left_out(
    family: str, key: str, request: Any, tmp_path: Path, hf: Any, write: Callable[..., Any]
) -> None:
    """transformers would compute with the first layers alone, and say so only in a table of its log."""
    if family == "plain":
        source, _ = write(lambda: hf.BertModel(hf.BertConfig(**TEXT)), word_tokenizer(hf))
    else:
        source = request.getfixturevalue(family)[0]
    folder = Path(shutil.copytree(source, tmp_path / "model"))
    config = json.loads((folder / "config.json").read_text())
    *inner, last = key.split(".")
    place = config[inner[0]] if inner else config
    assert place[last] == 2
    place[last] = 1
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(FlipsideError, match=r"more layers than its config.json says \(.*\.1\."):
        load(f"{'st' if family == 'plain' else 'hf'}:{folder}", device="cpu")


def test_a_config_with_a_value_of_the_wrong_type_is_named(copied: Path) -> None:
    file = copied / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "text_config": 3}))
    with pytest.raises(FlipsideError, match=r"cannot be loaded \(.*text_config"):
        load(f"hf:{copied}", device="cpu")
