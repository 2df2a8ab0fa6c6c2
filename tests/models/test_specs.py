import doctest
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from backend.errors import FlipsideError, UsageError
from backend.models import base, families, kinds_of, load, pictures, registry, spec

ROOT = Path(__file__).resolve().parents[2]


def test_the_package_and_the_fake_model_import_no_torch() -> None:
    code = (
        "import sys, backend.models as m; m.families(); m.load('fake:ok').encode_texts(['a']);"
        "assert not {'torch', 'transformers', 'open_clip'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_kinds_are_read_without_torch(captioner: Any, gpt2: Any) -> None:
    code = (
        "import sys, backend.models as m; print([sorted(map(str, m.kinds_of(s))) for s in sys.argv[1:]]);"
        "assert 'torch' not in sys.modules"
    )
    specs = [f"hf:{captioner[0]}", f"lm:{gpt2[0]}", "openclip:RN50/none", "fake:ok/itm"]
    done = subprocess.run([sys.executable, "-c", code, *specs], cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[['gen', 'prior'], ['prior'], ['itc', 't2t'], ['itm']]"


def test_every_family_says_what_it_is() -> None:
    listed = families()
    assert len({f["name"] for f in listed}) == len(listed)
    json.dumps(listed)
    for family in listed:
        assert family["kinds"]
        assert family["loads"]
        for example in family["examples"]:
            assert spec.parse(example).prefix in spec.PREFIXES
    for family in registry.FAMILIES:
        assert (ROOT / f"{family.target.partition(':')[0].replace('.', '/')}.py").is_file()


@pytest.mark.parametrize("module", [base, pictures, spec])
def test_examples_in_docstrings(module: Any) -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("opneclip:RN50/none", r"no family 'opneclip'. Did you mean openclip.* Known: bundled:, hf:"),
        ("gpt2", r"has no prefix: .* as in hf:gpt2"),
        ("hf:", r"names no model"),
        ("hf:/no/such/folder", r"there is no folder /no/such/folder"),
        ("hf:a b/c", r"neither a folder here nor a possible hub name"),
        ("bundled:no-such-model", r"no bundled model 'no-such-model'"),
        ("fake:constnat", r"no fake mode 'constnat'. Did you mean constant"),
        ("fake:ok/itx", r"unknown kind 'itx'"),
    ],
)
def test_a_wrong_spec_is_one_sentence(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        load(text)
    with pytest.raises(UsageError):
        kinds_of(text)


def test_an_unreachable_hub_is_one_sentence() -> None:
    with pytest.raises(FlipsideError, match=r"hf:nobody/nothing: not in the local cache.*cannot be reached"):
        load("hf:nobody/nothing")


def test_a_model_in_the_hub_cache_needs_no_network(clip: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    revision = "0" * 40
    repository = tmp_path / "models--someone--clip"
    shutil.copytree(clip[0], repository / "snapshots" / revision)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(revision)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    snapshot_download = __import__("huggingface_hub").snapshot_download
    monkeypatch.setattr(
        "huggingface_hub.snapshot_download", lambda *a, **k: snapshot_download(*a, **{**k, "cache_dir": str(tmp_path)})
    )
    assert load("hf:someone/clip", device="cpu").encode_texts(["a cat"]).shape == (1, 24)
    (repository / "snapshots" / revision / "model.safetensors").unlink()
    with pytest.raises(UsageError, match="no weights"):
        load("hf:someone/clip", device="cpu")


def test_a_broken_folder_names_what_is_missing(clip: Any, tmp_path: Path) -> None:
    def broken(name: str, content: bytes | None) -> str:
        folder = tmp_path / f"broken-{len(list(tmp_path.iterdir()))}"
        shutil.copytree(clip[0], folder)
        if content is None:
            (folder / name).unlink()
        else:
            (folder / name).write_bytes(content)
        return f"hf:{folder}"

    weights = (clip[0] / "model.safetensors").read_bytes()
    shards = json.dumps({"weight_map": {"a": "model-00002-of-00002.safetensors"}}).encode()
    for name, content, says in [
        ("config.json", None, "no config.json"),
        ("config.json", b"{", "cannot be read as JSON"),
        ("model.safetensors", None, "no weights"),
        ("model.safetensors", weights[: len(weights) // 2], "damaged|cannot be loaded"),
        ("model.safetensors", b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
        ("model.safetensors.index.json", shards, "lacks model-00002-of-00002.safetensors"),
        ("tokenizer.json", None, "no usable tokenizer"),
        ("preprocessor_config.json", None, "no usable image processor"),
    ]:
        with pytest.raises(FlipsideError, match=says):
            load(broken(name, content), device="cpu")


def test_an_empty_folder_and_a_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no config\.json"):
        load(f"st:{tmp_path}")
    (tmp_path / "weights.bin").touch()
    with pytest.raises(UsageError, match="is a file"):
        load(f"hf:{tmp_path / 'weights.bin'}")


def test_weights_of_another_architecture_are_refused(clip: Any, captioner: Any, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    mixed, short = tmp_path / "mixed", tmp_path / "short"
    shutil.copytree(clip[0], mixed)
    shutil.copy(captioner[0] / "model.safetensors", mixed / "model.safetensors")
    with pytest.raises(FlipsideError, match=r"other shapes|the weights lack"):
        load(f"hf:{mixed}", device="cpu")
    shutil.copytree(clip[0], short)
    weights = load_file(clip[0] / "model.safetensors")
    del weights["text_projection.weight"]
    save_file(weights, short / "model.safetensors", {"format": "pt"})
    with pytest.raises(FlipsideError, match=r"the weights lack 1 parameters of CLIPModel \(text_projection.weight"):
        load(f"hf:{short}", device="cpu")


def test_an_unknown_config_says_what_it_is_and_what_there_is(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "wav2vec2", "architectures": ["Wav2Vec2Model"]}))
    (tmp_path / "model.safetensors").write_bytes(b"x" * 99)
    with pytest.raises(UsageError, match=r"model_type 'wav2vec2', architectures Wav2Vec2Model.*Families: captioner"):
        load(f"hf:{tmp_path}")


def test_a_model_that_sees_is_no_blind_model(clip: Any) -> None:
    with pytest.raises(UsageError, match="which sees images; load it as hf:"):
        load(f"lm:{clip[0]}")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"device": "gpu"}, "Unknown device 'gpu'"),
        ({"device": "cuda:99"}, "torch sees"),
        ({"device": "cpu", "dtype": "float8"}, "Unknown dtype 'float8'"),
    ],
)
def test_unknown_devices_and_dtypes(more: dict[str, str], says: str, gpt2: Any) -> None:
    with pytest.raises(UsageError, match=says):
        load(f"lm:{gpt2[0]}", **more)


def test_half_precision_follows_what_was_saved(torch: Any) -> None:
    from backend.models.device import resolve_dtype

    assert resolve_dtype("auto", torch.device("cpu"), {"dtype": "bfloat16"}) == torch.float32
    assert resolve_dtype("auto", torch.device("cuda:0"), {"dtype": "float32"}) == torch.float16
    assert resolve_dtype("auto", torch.device("cuda:0"), {"torch_dtype": "bfloat16"}) == torch.bfloat16


def test_bfloat16_scores_stay_near_float32(captioner: Any, clip: Any, images: list[Any]) -> None:
    import numpy as np

    exact, rough = (load(f"hf:{clip[0]}", device="cpu", dtype=d).encode_images(images) for d in ("float32", "bfloat16"))
    assert rough.dtype == np.float32
    assert 0 < np.abs(exact - rough).max() < 0.05
    (_, logprobs), *_ = load(f"hf:{captioner[0]}", device="cpu", dtype="bf16").caption_logprobs(images[:1], ["a cat"])
    assert np.isfinite(logprobs).all()
