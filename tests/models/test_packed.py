"""Packed weights: small, close to what was packed, unpacked once as an ordinary folder, safe with two processes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from backend.errors import FlipsideError
from backend.models import packed
from backend.paths import ROOT

RNG = np.random.default_rng(0)


def tensors() -> dict[str, np.ndarray]:
    return {
        "matrix": RNG.standard_normal((64, 96)).astype(np.float16),
        "patches": RNG.standard_normal((32, 3, 8, 8)).astype(np.float16),
        "nothing": np.zeros((4, 8), np.float16),
        "bias": RNG.standard_normal(64).astype(np.float16),
        "scale": np.array(4.6, np.float16),
        "positions": np.arange(12).reshape(1, 12),
    }


def folder_of(root: Path, name: str, data: bytes) -> Path:
    made = root / name
    (made / "1_Pooling").mkdir(parents=True)
    (made / "config.json").write_text('{"model_type": "clip", "architectures": ["CLIPModel"]}')
    (made / "1_Pooling" / "config.json").write_text("{}")
    (made / packed.FILE).write_bytes(data)
    return made


@pytest.fixture(autouse=True)
def _fresh():
    packed._unpacked.cache_clear()


def test_what_is_unpacked_is_close_to_what_was_packed(tmp_path):
    given = tensors()
    found, base = packed.read(folder_of(tmp_path, "a", packed.packed(given)) / packed.FILE)
    assert base == ""
    assert set(found) == set(given)
    for name in ("bias", "scale", "nothing", "positions"):
        assert np.array_equal(found[name], given[name]), name
    for name in ("matrix", "patches"):
        assert found[name].dtype == np.float16
        error = np.sqrt(np.mean((found[name].astype(float) - given[name]) ** 2))
        assert 0.02 < error < 0.05, "one eighth of a deviation is a step"


def test_an_outlier_is_kept_and_a_byte_is_enough(tmp_path):
    given = {"matrix": np.concatenate([RNG.standard_normal((8, 99)), np.full((8, 1), 60.0)], axis=1).astype(np.float16)}
    found, _ = packed.read(folder_of(tmp_path, "a", packed.packed(given)) / packed.FILE)
    assert np.allclose(found["matrix"][:, -1], 60, rtol=0.01)


def test_it_takes_less_than_a_byte_a_number():
    large = {"matrix": RNG.standard_normal((512, 512)).astype(np.float16)}
    assert len(packed.packed(large)) < 0.7 * 512 * 512


def test_a_difference_holds_what_differs_and_gets_the_rest_of_its_base(tmp_path):
    given = tensors()
    other = given | {"bias": given["bias"] + np.float16(1)}
    folder_of(tmp_path, "base", packed.packed(given))
    delta = folder_of(tmp_path, "delta", packed.packed(other, given, "base"))
    assert set(packed.read(delta / packed.FILE)[0]) == {"bias"}
    whole, of_base = packed.tensors_of(delta), packed.tensors_of(tmp_path / "base")
    assert np.array_equal(whole["bias"], other["bias"])
    assert all(np.array_equal(whole[name], of_base[name]) for name in given if name != "bias")


def test_an_adapter_is_added_to_its_base(tmp_path):
    given = {name: value.astype(np.float32) for name, value in tensors().items() if name != "positions"}
    taught = dict(given)
    for name in ("matrix", "patches"):
        m, n = len(given[name]), given[name][0].size
        change = RNG.standard_normal((m, 4)) @ RNG.standard_normal((4, n)) / 100
        taught[name] = given[name] + change.reshape(given[name].shape).astype(np.float32)
    factors = packed.factors(given, taught, 4)
    assert {name: (out.shape, into.shape) for name, (out, into) in factors.items()} == {
        "matrix": ((64, 4), (4, 96)), "patches": ((32, 4), (4, 192)),
    }  # fmt: skip
    folder_of(tmp_path, "base", packed.packed(given))
    adapter = folder_of(tmp_path, "adapter", packed.packed_adapter(factors, "base"))
    whole, of_base = packed.tensors_of(adapter), packed.tensors_of(tmp_path / "base")
    for name in given:
        wanted = taught[name] - given[name]
        got = whole[name].astype(np.float64) - of_base[name].astype(np.float64)
        assert np.abs(got - wanted).max() < 2e-3, name  # float16 of numbers up to four
    with pytest.raises(ValueError, match="matrix changed by more than an adapter of rank 3"):
        packed.factors(given, taught, 3)
    with pytest.raises(ValueError, match="bias changed"):
        packed.factors(given, taught | {"bias": given["bias"] + 1}, 4)


def test_an_adapter_of_another_base_is_refused(tmp_path):
    folder_of(tmp_path, "base", packed.packed({"matrix": np.ones((8, 8), np.float16)}))
    wrong = packed.packed_adapter({"matrix": (np.ones((9, 2)), np.ones((2, 8)))}, "base")
    adapter = folder_of(tmp_path, "adapter", wrong)
    with pytest.raises(FlipsideError, match="does not fit matrix"):
        packed.tensors_of(adapter)


def test_a_difference_without_its_base_is_refused(tmp_path):
    delta = folder_of(tmp_path, "delta", packed.packed(tensors(), None, "gone"))
    with pytest.raises(FlipsideError, match="its base 'gone' is not bundled here"):
        packed.ordinary(delta)


def test_the_ordinary_folder_lies_in_the_cache_and_is_made_once(tmp_path, flipside_cache):
    made = folder_of(tmp_path, "a", packed.packed(tensors()))
    found = packed.ordinary(made)
    assert found.parent == flipside_cache / "bundled"
    assert sorted(p.relative_to(found).as_posix() for p in found.rglob("*") if p.is_file()) == [
        "1_Pooling/config.json", "config.json", "model.safetensors", "unpacked.sha256",
    ]  # fmt: skip
    before = (found / packed.WEIGHTS).stat().st_mtime_ns
    packed._unpacked.cache_clear()
    assert packed.ordinary(made) == found
    assert (found / packed.WEIGHTS).stat().st_mtime_ns == before
    assert [path.name for path in found.parent.iterdir()] == [found.name], "nothing is left aside"


def test_other_weights_or_settings_or_another_base_lie_elsewhere(tmp_path, flipside_cache):
    base = folder_of(tmp_path, "base", packed.packed(tensors()))
    made = folder_of(tmp_path, "a", packed.packed({"bias": np.ones(3, np.float16)}, None, "base"))
    seen = {packed.ordinary(made)}
    (made / "config.json").write_text("{}")
    seen.add(packed.ordinary(made))
    (base / packed.FILE).write_bytes(packed.packed(tensors() | {"bias": np.zeros(64, np.float16)}))
    seen.add(packed.ordinary(made))
    assert len(seen) == 3


def test_a_folder_without_its_weights_is_made_again(tmp_path, flipside_cache):
    made = folder_of(tmp_path, "a", packed.packed(tensors()))
    target = packed.ordinary(made)
    (target / packed.WEIGHTS).unlink()
    packed._unpacked.cache_clear()
    assert packed.ordinary(made) == target
    assert (target / packed.WEIGHTS).is_file()


def test_a_damaged_folder_is_unpacked_again(tmp_path, flipside_cache):
    """Failed before: a file that was cut short made the model useless, and the message named a download."""
    made = folder_of(tmp_path, "a", packed.packed(tensors()))
    target = packed.ordinary(made)
    whole = (target / packed.WEIGHTS).read_bytes()
    flipped = bytearray(whole)
    flipped[-1] ^= 1
    for damaged in (whole[:1000], b"", bytes(flipped)):
        (target / packed.WEIGHTS).write_bytes(damaged)
        packed._unpacked.cache_clear()
        assert packed.ordinary(made) == target
        assert (target / packed.WEIGHTS).read_bytes() == whole
    (target / "config.json").write_text("{")
    packed._unpacked.cache_clear()
    assert (packed.ordinary(made) / "config.json").read_bytes() == (made / "config.json").read_bytes()
    assert [path.name for path in target.parent.iterdir()] == [target.name], "nothing is left aside"


def test_a_cache_that_cannot_be_written_is_no_hindrance(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "file" / "cache"))
    found = packed.ordinary(folder_of(tmp_path, "a", packed.packed(tensors())))
    assert (found / packed.WEIGHTS).is_file()
    assert "for this process alone" in caplog.text


def test_two_processes_at_once_find_one_folder(tmp_path, flipside_cache):
    made = folder_of(tmp_path, "a", packed.packed(tensors()))
    code = (
        "import sys; from pathlib import Path; from backend.models import packed\n"
        "print(packed.ordinary(Path(sys.argv[1])))"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(made)], cwd=ROOT, stdout=subprocess.PIPE, text=True,
                         env=os.environ | {"PYTHONPATH": str(ROOT)})
        for _ in range(3)
    ]  # fmt: skip
    said = {process.communicate()[0].strip() for process in running}
    assert len(said) == 1
    assert [str(path) for path in (flipside_cache / "bundled").iterdir()] == list(said)


@pytest.mark.parametrize("data", [b"", b"no zlib", packed.packed(tensors())[:-40]])
def test_a_damaged_file_is_one_sentence(data, tmp_path):
    with pytest.raises(FlipsideError, match="cannot be unpacked"):
        packed.ordinary(folder_of(tmp_path, "a", data))


def test_what_a_model_gives_is_known_without_unpacking(tmp_path, flipside_cache, monkeypatch):
    from backend.models import kinds_of

    monkeypatch.setattr("backend.models.folders.bundled_models_dir", lambda: tmp_path)
    folder_of(tmp_path, "a", packed.packed(tensors()))
    assert kinds_of("bundled:a") == {"itc", "t2t"}
    assert not (flipside_cache / "bundled").exists()


def test_it_is_an_ordinary_safetensors_file_inside(tmp_path):
    """docs/models.md: what anybody can read without Flipside."""
    import zlib

    data = zlib.decompress(packed.packed(tensors()))
    head = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    assert head["matrix"]["dtype"] == "I8"
    assert (head["matrix#scale"]["dtype"], head["matrix#scale"]["shape"]) == ("F16", [64])
    assert head["bias"]["dtype"] == "F16"


def test_the_same_weights_give_the_same_bytes():
    given = tensors()
    assert packed.packed(given) == packed.packed(dict(reversed(given.items())))
