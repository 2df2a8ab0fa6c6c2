"""What is refused or noticed while a model is loaded: other people's code, broken weights, what cannot be compiled."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.errors import FlipsideError, UsageError
from backend.models import load
from tests.models.conftest import TEXTS


@pytest.fixture
def copied(clip: Any, tmp_path: Path) -> Path:
    return Path(shutil.copytree(clip[0], tmp_path / "model"))


def edit(folder: Path, **changes: Any) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def test_a_model_with_code_of_its_own_needs_the_flag(copied: Path, hf: Any) -> None:
    edit(copied, architectures=["OwnClip"], auto_map={"AutoModel": "own.OwnClip"}, model_type="clip")
    (copied / "own.py").write_text("raise SystemExit('ran')\n")
    with pytest.raises(UsageError, match=r"OwnClip.*which no family here loads|Python files of its own"):
        load(f"hf:{copied}", device="cpu")


def test_a_text_encoder_with_code_of_its_own_is_refused_and_said_why(copied: Path) -> None:
    edit(copied, architectures=["OwnEncoder"], auto_map={"AutoModel": "own.OwnEncoder"})
    with pytest.raises(UsageError, match=r"whatever you can: read them first.*--trust-remote-code"):
        load(f"st:{copied}", device="cpu")


def test_the_flag_says_what_it_means(clip: Any, caplog: pytest.LogCaptureFixture) -> None:
    load(f"hf:{clip[0]}", device="cpu", trust_remote_code=True)
    assert "with your rights" in caplog.text


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_no_numbers_are_named(copied: Path, value: float) -> None:
    from safetensors.numpy import load_file, save_file

    file = copied / "model.safetensors"
    weights = load_file(file)
    weights["text_model.final_layer_norm.weight"][3] = value
    save_file(weights, file, metadata={"format": "pt"})
    with pytest.raises(FlipsideError, match=r"NaN or infinite values \(text_model.final_layer_norm.weight\)"):
        load(f"hf:{copied}", device="cpu")


def test_weights_too_large_for_half_precision_are_named(copied: Path) -> None:
    from safetensors.numpy import load_file, save_file

    file = copied / "model.safetensors"
    weights = load_file(file)
    weights["text_model.final_layer_norm.weight"][3] = 1e6
    save_file(weights, file, metadata={"format": "pt"})
    load(f"hf:{copied}", device="cpu")
    with pytest.raises(FlipsideError, match="float16 cannot hold them: try --dtype float32"):
        load(f"hf:{copied}", device="cpu", dtype="float16")


def test_pickled_weights_run_no_code(copied: Path, torch: Any) -> None:
    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (copied / "ran",))

    (copied / "model.safetensors").unlink()
    torch.save({"logit_scale": Evil()}, copied / "pytorch_model.bin")
    with pytest.raises(FlipsideError):
        load(f"hf:{copied}", device="cpu")
    assert not (copied / "ran").exists()


def test_pickled_weights_of_plain_tensors_load(copied: Path, torch: Any, clip: Any) -> None:
    from safetensors.torch import load_file

    torch.save(load_file(copied / "model.safetensors"), copied / "pytorch_model.bin")
    (copied / "model.safetensors").unlink()
    mine, want = load(f"hf:{copied}", device="cpu"), load(f"hf:{clip[0]}", device="cpu")
    np.testing.assert_array_equal(mine.encode_texts(TEXTS), want.encode_texts(TEXTS))


def test_a_model_without_a_module_cannot_be_compiled() -> None:
    with pytest.raises(UsageError, match="leave --compile out"):
        load("fake:ok", compile=True)


@pytest.mark.slow
def test_a_compiled_model_gives_the_same_scores(clip: Any, images: list[Any], monkeypatch: Any, torch: Any) -> None:
    """With torch's tracing but without its C++ code generator, which needs minutes and a compiler."""
    monkeypatch.setattr(
        torch.nn.Module,
        "compile",
        lambda self, **k: setattr(
            self, "_compiled_call_impl", torch.compile(self._call_impl, backend="aot_eager", **k)
        ),
    )
    plain, compiled = load(f"hf:{clip[0]}", device="cpu"), load(f"hf:{clip[0]}", device="cpu", compile=True)
    assert compiled.describe()["compiled"] is True
    np.testing.assert_allclose(compiled.encode_texts(TEXTS), plain.encode_texts(TEXTS), atol=1e-5)
    np.testing.assert_allclose(compiled.encode_images(images), plain.encode_images(images), atol=1e-5)
