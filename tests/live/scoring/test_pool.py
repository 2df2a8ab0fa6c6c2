import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from backend.errors import FlipsideError
from backend.live.scoring import pool
from backend.models import Model
from backend.models.own import permission


class Counting:
    """A loader that remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, spec: str) -> Model:
        self.asked.append(spec)
        time.sleep(0.02)
        return Model(spec)


def test_concurrent_sessions_load_a_model_once() -> None:
    loader = Counting()
    shared = pool.Pool(loader=loader)

    def use(_: int) -> Model:
        with shared.use("fake:ok") as model:
            return model

    with ThreadPoolExecutor(8) as threads:
        models = set(threads.map(use, range(16)))
    assert loader.asked == ["fake:ok"]
    assert len(models) == 1


def test_the_least_recently_used_model_goes_first() -> None:
    loader = Counting()
    shared = pool.Pool(limit=2, loader=loader)
    for spec in ("a", "b", "a", "c"):
        with shared.use(spec):
            pass
    assert shared.loaded() == ["a", "c"]


def test_a_model_in_use_is_not_dropped() -> None:
    shared = pool.Pool(limit=1, loader=Counting())
    with shared.use("a"), shared.use("b"):
        assert shared.loaded() == ["a", "b"]
    with shared.use("b"):
        assert shared.loaded() == ["b"]


class Weights(torch.nn.Module):
    """Some bytes, half of them a buffer, and a second name for the first half."""

    def __init__(self, size: int) -> None:
        super().__init__()
        half = torch.zeros(size // 2, dtype=torch.uint8)
        self.first = self.tied = torch.nn.Parameter(half, requires_grad=False)
        self.register_buffer("second", half.clone())


class Sized:
    """A loader of models whose weights take as many bytes as their spec says."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, spec: str) -> Model:
        self.asked.append(spec)
        model = Model(spec)
        model.module = Weights(int(spec))
        return model


def test_models_go_where_together_they_take_too_much_memory() -> None:
    loader = Sized()
    shared = pool.Pool(loader=loader, memory_limit=100)
    for spec, there in [("40", ["40"]), ("50", ["40", "50"]), ("40", ["50", "40"]), ("30", ["40", "30"])]:
        with shared.use(spec):
            assert shared.loaded() == there
    with shared.use("500"):
        assert shared.loaded() == ["500"]  # too large by itself, but asked for
    with shared.use("40"):
        assert shared.loaded() == ["40"]
    assert loader.asked == ["40", "50", "30", "500", "40"]


def test_a_model_in_use_stays_though_it_takes_too_much() -> None:
    shared = pool.Pool(loader=Sized(), memory_limit=100)
    with shared.use("80"), shared.use("90"):
        assert shared.loaded() == ["80", "90"]
    with shared.use("10"):
        assert shared.loaded() == ["90", "10"]


def test_a_failing_load_is_one_sentence_and_is_tried_again() -> None:
    calls = []

    def loader(spec: str) -> Model:
        calls.append(spec)
        if len(calls) == 1:
            raise OSError("no such hub\nlong explanation")
        return Model(spec)

    shared = pool.Pool(loader=loader)
    with pytest.raises(FlipsideError, match="no such hub") as caught, shared.use("hf:x/y"):
        pass
    assert "\n" not in str(caught.value)
    with shared.use("hf:x/y") as model:
        assert model.spec == "hf:x/y"


def test_the_environment_replaces_the_bundled_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(pool.VARIABLE, "fake:ok fake:ok/itc,t2t")
    assert pool.available() == ["fake:ok", "fake:ok/itc,t2t"]


def test_bundled_models_are_found_by_their_config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(pool.VARIABLE, raising=False)
    monkeypatch.setattr(pool, "bundled_models_dir", lambda: tmp_path)
    assert pool.available() == []
    (tmp_path / "clip").mkdir()
    (tmp_path / "clip/config.json").write_text("{}")
    assert pool.available() == []
    (tmp_path / "clip/model.safetensors").write_bytes(b"")
    (tmp_path / "unfinished").mkdir()
    assert pool.available() == ["bundled:clip"]


def test_what_the_owner_lists_is_offered_and_a_relative_path_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(pool.VARIABLE, raising=False)
    bundled = pool.available()
    monkeypatch.setenv(permission.ALLOWED, "py:mine.py:Net 'py:/of mine/net.py:Net' py:package.module:Net")
    assert pool.available() == [*bundled, "py:/of mine/net.py:Net", "py:package.module:Net"]
    monkeypatch.setenv(permission.ALLOWED, "py:a:B 'py:c:D")
    assert pool.available() == bundled
