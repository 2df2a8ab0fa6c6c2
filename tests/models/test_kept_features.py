"""What pictures bring to their pairs is computed once a run, not once a window, and never another picture's."""

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from backend.engine.runner import run
from backend.engine.storage import shards
from backend.engine.storage.ledger import Pace
from backend.errors import FlipsideError, UsageError
from backend.models import load
from backend.models.kept_features import VARIABLE, KeptFeatures, room
from bench.paired import made
from tests.engine.samples import mixed

BYTES = 40


def named(*pictures: Image.Image) -> dict[int, str]:
    return {id(picture): f"digest {k}" for k, picture in enumerate(pictures)}


def test_the_last_used_stay_as_many_as_there_is_room_for() -> None:
    pictures = [Image.new("RGB", (2, 2)) for _ in range(3)]
    kept = KeptFeatures(2 * BYTES)
    kept.digests = named(*pictures)
    features = [torch.full((10,), float(k)) for k in range(3)]
    for k in (0, 1):
        kept.put("encode", pictures[k], features[k])
    assert kept.get("encode", pictures[0]) is not None
    kept.put("encode", pictures[2], features[2])
    assert kept.bytes == 2 * BYTES
    found = [kept.get("encode", picture) for picture in pictures]
    assert [None if each is None else float(each[0]) for each in found] == [0.0, None, 2.0]
    assert kept.get("another encoder", pictures[0]) is None


def test_a_picture_that_nobody_names_or_that_is_too_large_is_not_kept() -> None:
    picture = Image.new("RGB", (2, 2))
    kept = KeptFeatures(BYTES)
    kept.put("encode", picture, torch.zeros(10))
    kept.digests = {id(picture): ""}
    kept.put("encode", picture, torch.zeros(10))
    kept.digests = named(picture)
    kept.put("encode", picture, torch.zeros(11))
    assert len(kept) == 0


def test_when_memory_runs_out_features_go_before_the_batch_is_halved() -> None:
    model = load("bundled:captioner", "cpu", "float32")
    model.keep_features(keep=True)
    picture = Image.new("RGB", (2, 2))
    model.pictures_are(named(picture))
    model.features.put("encode", picture, torch.zeros(10))
    sizes: list[int] = []

    def work(part: np.ndarray) -> None:
        sizes.append(len(part))
        if model.features.bytes or len(part) > 8:
            raise torch.OutOfMemoryError("no memory")

    before = model.features.room
    model.in_batches(np.arange(8), work)
    assert sizes == [8, 8]
    assert (len(model.features), model.features.bytes, model.features.room) == (0, 0, before // 2)
    sizes.clear()
    model.batch_size = 16
    model.in_batches(np.arange(16), work)
    assert sizes == [16, 8, 8]
    model.keep_features(keep=False)


def test_a_part_of_a_batch_does_not_keep_the_batch() -> None:
    picture = Image.new("RGB", (2, 2))
    kept = KeptFeatures(BYTES)
    kept.digests = named(picture)
    batch = torch.zeros(1000, 10)
    kept.put("encode", picture, batch[3])
    found = kept.get("encode", picture)
    assert found is not None
    assert found.untyped_storage().nbytes() == BYTES


def test_room_is_said_as_a_size_and_a_bare_number_stays_megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert room() == 1 << 30
    monkeypatch.setenv(VARIABLE, "3")
    assert room() == 3 << 20
    monkeypatch.setenv(VARIABLE, "2GB")
    assert room() == 2 * 10**9
    monkeypatch.setenv(VARIABLE, "much")
    with pytest.raises(UsageError, match="FLIPSIDE_KEEP_FEATURES=much: expected a size such as 500MB or 4GB, or 0 for"):
        room()


@pytest.fixture(scope="module")
def matcher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("matcher")
    made.blip(folder, "BlipForImageTextRetrieval", made.SMALL)
    return folder


def looked_at(model, monkeypatch: pytest.MonkeyPatch) -> list[int]:  # type: ignore[no-untyped-def]
    """How many pictures each call of the vision tower has brought, from now on."""
    sizes: list[int] = []
    before = model.patches

    def patches(images):  # type: ignore[no-untyped-def]
        sizes.append(len(images))
        return before(images)

    patches.__qualname__ = before.__qualname__
    monkeypatch.setattr(model, "patches", patches)
    return sizes


def values(summary, part: str) -> np.ndarray:  # type: ignore[no-untyped-def]
    rows = shards.read_part(summary.run_dir, part).to_pylist()
    return np.array([row["value"] for row in sorted(rows, key=lambda row: [row[name] for name in list(row)[:4]])])


def test_under_other_pictures_each_is_looked_at_once_however_small_the_windows(
    matcher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Failed before: 10 items under 4 other pictures each, a few at a time, and each window looked at its own anew."""
    benchmark, few = mixed(tmp_path / "p", 20), Pace(cells=8, first_cells=8)
    model = load(f"hf:{matcher}", "cpu", "float32")
    sizes = looked_at(model, monkeypatch)
    monkeypatch.setenv(VARIABLE, "0")
    without = run(model, benchmark, ["itm"], counterfactual=4, root=tmp_path / "without", pace=few)
    anew = sum(sizes)
    sizes.clear()
    monkeypatch.delenv(VARIABLE)
    kept = run(model, benchmark, ["itm"], counterfactual=4, root=tmp_path / "kept", pace=few)
    alone = sum(size == 1 for size in sizes)  # what batching changes is measured by single pictures at the end
    assert sum(sizes) < anew / 2
    assert sum(sizes) - alone <= kept.n_items
    assert model.features is None, "nothing stays when the run is over"
    for part in ("itm", "counterfactual:itm"):
        assert len(values(kept, part)) == len(values(without, part)) > 0
        assert np.abs(values(kept, part) - values(without, part)).max() < 1e-4


def test_where_batches_are_planned_nothing_is_kept(
    matcher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches are the plan's alone there, so that one process and many give the same scores to the bit."""
    from backend.engine.session import Session

    model = load(f"hf:{matcher}", "cpu", "float32")
    kept: list[bool] = []
    before = Session._one

    def one(self, scorer, items):  # type: ignore[no-untyped-def]
        before(self, scorer, items)
        kept.append(model.features is not None)

    monkeypatch.setattr(Session, "_one", one)
    run(model, mixed(tmp_path / "p", 8), ["itm"], counterfactual=2, root=tmp_path / "r", planned=True)
    assert kept
    assert not any(kept)
    kept.clear()
    run(model, mixed(tmp_path / "q", 8), ["itm"], counterfactual=2, root=tmp_path / "s")
    assert kept
    assert all(kept)


def test_a_run_that_ends_by_an_error_leaves_nothing_on_the_model(
    matcher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Failed before: the model went on taking new pictures for old ones, whose objects were gone."""
    from backend.engine.session import Session

    model = load(f"hf:{matcher}", "cpu", "float32")
    before, windows, named = Session._one, [], []
    pictures_are = model.pictures_are
    monkeypatch.setattr(model, "pictures_are", lambda digests: (named.append(dict(digests)), pictures_are(digests)))

    def one(self, scorer, items):  # type: ignore[no-untyped-def]
        windows.append(1)
        if len(windows) == 3:
            assert model.features is not None
            assert len(model.features)
            raise FlipsideError("the disk is full")
        before(self, scorer, items)

    monkeypatch.setattr(Session, "_one", one)
    with pytest.raises(FlipsideError, match="full"):
        run(
            model,
            mixed(tmp_path / "p", 20),
            ["itm"],
            counterfactual=4,
            root=tmp_path / "r",
            pace=Pace(cells=8, first_cells=8),
        )
    assert model.features is None
    assert named[-1] == {}, "what an object shows holds for one call"
