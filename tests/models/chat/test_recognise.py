"""Which folders are chat models, found without torch."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from backend.errors import UsageError
from backend.models import load
from backend.models.chat.recognise import OTHERS, VERIFIED, is_chat, table
from tests.models.chat.conftest import CASES


@pytest.mark.parametrize(
    ("model_type", "architecture", "known"),
    [
        ("llava", "LlavaForConditionalGeneration", True),
        ("qwen2_5_vl", "Qwen2_5_VLForConditionalGeneration", True),
        ("gemma3", "Gemma3ForConditionalGeneration", True),
        ("mllama", "MllamaForConditionalGeneration", True),
        ("chameleon", "ChameleonForConditionalGeneration", False),
        ("gemma3", "Gemma3ForCausalLM", False),
        ("llama", "LlamaForCausalLM", False),
        ("blip-2", "Blip2ForConditionalGeneration", False),
        ("git", "GitForCausalLM", False),
        ("t5", "T5ForConditionalGeneration", False),
        ("llava", "LlavaLlamaForCausalLM", False),
    ],
)
def test_by_transformers_own_table(model_type: str, architecture: str, known: bool) -> None:
    assert is_chat({"model_type": model_type, "architectures": [architecture]}, Path()) is known


def test_the_table_is_the_librarys(torch: Any) -> None:
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES as NAMES

    listed = {key: (value,) if isinstance(value, str) else tuple(value) for key, value in NAMES.items()}
    assert table() == listed
    assert set(OTHERS) & set(listed)


def test_kinds_without_torch(fresh: Any) -> None:
    folder = fresh("LLaVA-1.5")
    code = (
        "import sys; from backend.models import kinds_of; "
        f"print(sorted(kinds_of('hf:{folder}')), 'torch' in sys.modules, 'transformers' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['gen', 'prior', 'vqa'] False False"


def test_a_folder_without_processor_says_so(fresh: Any) -> None:
    folder = fresh("LLaVA-1.5")
    for name in ("processor_config.json", "preprocessor_config.json"):
        (folder / name).unlink(missing_ok=True)
    with pytest.raises(UsageError, match=r"no usable processor|no processor for images"):
        load(f"hf:{folder}", device="cpu")


@pytest.mark.slow
def test_the_verified_are_those_in_the_zoo(torch: Any, tmp_path: Path) -> None:
    """Every model_type that counts as verified has a case, and every case counts."""
    built = {}
    for number, case in enumerate(CASES.values()):
        if not case.absent:
            folder = tmp_path / str(number)
            case.build(folder)
            built[case.name] = str(json.loads((folder / "config.json").read_text())["model_type"])
            shutil.rmtree(folder)
    assert set(built.values()) <= VERIFIED
    if len(built) == len(CASES):
        assert set(built.values()) == VERIFIED
    assert not VERIFIED & set(OTHERS)


def test_an_architecture_outside_the_zoo_says_so(
    fresh: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = fresh("LLaVA-1.5")
    load(f"hf:{folder}", device="cpu")
    assert not caplog.records
    monkeypatch.setattr("backend.models.chat.recognise.VERIFIED", VERIFIED - {"llava"})
    monkeypatch.setattr("backend.models.chat.family.VERIFIED", VERIFIED - {"llava"})
    model = load(f"hf:{folder}", device="cpu")
    assert "not in Flipside's zoo: check llava with `flipside doctor --model" in caplog.text
    assert model.describe()["verified"] in caplog.text


@pytest.mark.parametrize(
    ("model_type", "architecture", "why"),
    [
        ("chameleon", "ChameleonForConditionalGeneration", "a row of codes from an image generator"),
        ("fuyu", "FuyuForCausalLM", "no chat template"),
        ("got_ocr2", "GotOcr2ForConditionalGeneration", "transcribes pages"),
        ("made_up", "MadeUpModel", "which no family here loads. Families"),
    ],
)
def test_what_is_no_chat_model_is_refused_with_its_reason(
    tmp_path: Path, model_type: str, architecture: str, why: str
) -> None:
    config = {"model_type": model_type, "architectures": [architecture], "image_size": 32, "patch_size": 8}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (tmp_path / "model.safetensors").write_bytes(b"not read")
    with pytest.raises(UsageError, match=why):
        load(f"hf:{tmp_path}", device="cpu")
