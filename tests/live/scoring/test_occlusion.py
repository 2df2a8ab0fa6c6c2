"""Occlusion maps against one call at a time, and on scenes whose objects' places are known."""

import numpy as np
import pytest
from PIL import Image, ImageFilter

from backend.errors import FlipsideError, UsageError
from backend.images import open_image
from backend.live.scoring import occlusion
from backend.live.scoring.examples import BY_NAME
from backend.live.scoring.grid import table
from backend.live.scoring.occlusion import BLUR, MEAN, Grid, Occlusion, cover, covered
from backend.live.scoring.pool import Pool
from backend.world import sample
from backend.world.attributes import COLOURS, RADIUS

EXAMPLE = BY_NAME["binding"]
IMAGE = open_image(EXAMPLE.images[0])
TEXTS = EXAMPLE.texts
POOL = Pool()


@pytest.mark.parametrize("size", [(256, 256), (300, 100), (97, 201), (5, 400), (3, 3)])
@pytest.mark.parametrize("cells", [2, 8, 13])
def test_the_cells_tile_the_image(size: tuple[int, int], cells: int) -> None:
    grid = Grid(*size, cells)
    hit = np.zeros((size[1], size[0]), dtype=int)
    for left, top, right, bottom in grid.boxes:
        assert left < right
        assert top < bottom
        hit[top:bottom, left:right] += 1
    assert (hit == 1).all()
    assert len(grid.boxes) == grid.shape[0] * grid.shape[1]
    assert max(grid.shape) <= cells


def test_patches_lie_around_their_cells_and_are_cut_at_the_border() -> None:
    grid = Grid(256, 256, 8, 2.0)
    assert grid.boxes[9] == (32, 32, 64, 64)
    assert grid.patches[9] == (16, 16, 80, 80)
    assert grid.patches[0] == (0, 0, 48, 48)
    assert Grid(256, 256, 8).patches == Grid(256, 256, 8).boxes


@pytest.mark.parametrize(("cells", "patch"), [(1, 1.0), (99, 1.0), (8, 0.5), (8, 9.0)])
def test_senseless_grids_are_refused(cells: int, patch: float) -> None:
    with pytest.raises(UsageError, match="choose"):
        Grid(256, 256, cells, patch)


def test_what_covers() -> None:
    grid = Grid(256, 256, 8)
    pixels = np.asarray(IMAGE, dtype=float)
    mean = cover(IMAGE, grid, MEAN)
    assert mean.getpixel((7, 7)) == tuple(np.rint(pixels.mean(axis=(0, 1))).astype(int))
    assert cover(IMAGE, grid, BLUR).tobytes() == IMAGE.filter(ImageFilter.GaussianBlur(16)).tobytes()
    copy = np.asarray(covered(IMAGE, mean, (32, 64, 64, 96)))
    changed = (copy != np.asarray(IMAGE)).any(axis=2)
    assert not changed[:64].any()
    assert not changed[:, 64:].any()
    assert (copy[64:96, 32:64] == mean.getpixel((0, 0))).all()
    with pytest.raises(UsageError, match="choose one of"):
        cover(IMAGE, grid, "paint")


def by_brute_force(spec: str, kind: str, grid: Grid, occluder: str) -> np.ndarray:
    """The same definition written once more, one model call for every patch and text, no shared code but the model."""
    scores = []
    with POOL.use(spec) as model:

        def ask(image: Image.Image, text: str) -> float:
            if kind == "itc":
                return float(model.pair_cosines([image], [text])[0])
            if kind == "itm":
                return float(model.itm_logits([image], [text])[0])
            if kind == "vqa":
                return float(model.vqa_logits([image], [text])[0])
            return float(model.caption_logprobs([image], [text])[0][1].mean())

        for left, top, right, bottom in grid.patches:
            pixels = np.asarray(IMAGE).copy()
            if occluder == MEAN:
                fill = np.rint(np.asarray(IMAGE, dtype=float).mean(axis=(0, 1)))
            else:
                blurred = IMAGE.filter(ImageFilter.GaussianBlur(grid.patch * 256 / grid.cells / 2))
                fill = np.asarray(blurred)[top:bottom, left:right]
            pixels[top:bottom, left:right] = fill
            scores.append([ask(IMAGE, text) - ask(Image.fromarray(pixels), text) for text in TEXTS])
    return np.array(scores).T.reshape(len(TEXTS), *grid.shape)


@pytest.mark.parametrize("kind", ["itc", "itm", "gen", "vqa"])
@pytest.mark.parametrize("batch", [1, 5, 64])
def test_batches_equal_one_call_at_a_time(kind: str, batch: int) -> None:
    grid = Grid(256, 256, 4, 1.5)
    job = Occlusion("fake:ok", kind, TEXTS, grid)
    assert job.step(POOL, IMAGE, batch=batch)
    expected = by_brute_force("fake:ok", kind, grid, MEAN)
    assert job.drops(0) == pytest.approx(expected[0], abs=1e-6)
    assert job.drops(0, 1) == pytest.approx(expected[0] - expected[1], abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "kind"), [("bundled:clip", "itc"), ("bundled:matcher", "itm"), ("bundled:captioner", "gen")]
)
@pytest.mark.parametrize("occluder", [MEAN, BLUR])
def test_bundled_models_in_batches_equal_one_call_at_a_time(spec: str, kind: str, occluder: str) -> None:
    grid = Grid(256, 256, 4, 2.0)
    job = Occlusion(spec, kind, TEXTS, grid, occluder)
    job.step(POOL, IMAGE)
    expected = by_brute_force(spec, kind, grid, occluder)
    assert job.drops(0) == pytest.approx(expected[0], abs=1e-4)
    assert job.drops(0, 1) == pytest.approx(expected[0] - expected[1], abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "kind"), [("bundled:clip", "itc"), ("bundled:matcher", "itm"), ("bundled:captioner", "gen")]
)
def test_a_patch_on_the_object_moves_the_score_more_than_one_beside_it(spec: str, kind: str) -> None:
    """Scenes of one object, never trained on; judged where the model prefers its colour to another. With blur, patches
    of two cells: what the page starts with (docs/pages/try-it-explanations.md has the other settings)."""
    rng, judged, held = np.random.default_rng(0), 0, 0
    after = dict(zip(COLOURS, COLOURS[1:] + COLOURS[:1], strict=True))
    while judged < 12:
        scene = sample(rng, "test")
        one = scene.objects[0]
        if len(scene.objects) > 1 or one.fill != "plain":
            continue
        texts = (f"a {one.colour} {one.shape}", f"a {after[one.colour]} {one.shape}")
        job = Occlusion(spec, kind, texts, Grid(256, 256, 8, 2.0), BLUR)
        job.step(POOL, open_image(scene.uri))
        if job.whole[0] <= job.whole[1]:
            continue
        judged += 1
        reach = RADIUS[one.size]
        middles = [((x0 + x1) / 2, (y0 + y1) / 2) for x0, y0, x1, y1 in job.grid.boxes]
        on = [abs(one.x - x) < reach and abs(one.y - y) < reach for x, y in middles]
        off = [
            x1 < one.x - reach - 16 or x0 > one.x + reach + 16 or y1 < one.y - reach - 16 or y0 > one.y + reach + 16
            for x0, y0, x1, y1 in job.grid.patches
        ]
        for map_ in (job.drops(0).ravel(), job.drops(0, 1).ravel()):
            held += np.abs(map_[on]).mean() > np.abs(map_[off]).mean()
    assert held == 2 * judged


def test_values_are_those_of_the_page() -> None:
    from backend.live.scoring.scoring import score

    images = [open_image(uri) for uri in EXAMPLE.images]
    for spec in ("fake:ok", "fake:pairwise"):
        scores = score(POOL, spec, images, TEXTS, "noise:3")
        assert {"itc", "itm", "gen"} <= scores.matrices.keys()
        with POOL.use(spec) as model:
            for kind in scores.matrices:
                assert table(model, kind, images, TEXTS) == pytest.approx(scores.judged(kind), abs=1e-6)


def test_a_step_is_bounded_and_the_map_goes_on_where_it_was() -> None:
    whole = Occlusion("fake:ok", "itm", TEXTS, Grid(256, 256, 6))
    whole.step(POOL, IMAGE)
    job = Occlusion("fake:ok", "itm", TEXTS, Grid(256, 256, 6))
    assert not job.step(POOL, IMAGE, seconds=0.0)
    assert job.done == 8
    assert np.isnan(job.drops()).sum() == 28
    seen = [job.done]
    while not job.step(POOL, IMAGE, seconds=0.0):
        seen.append(job.done)
    assert seen == list(range(8, 36))
    assert job.drops() == pytest.approx(whole.drops())


def test_large_pictures_are_covered_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def count(model: object, kind: str, images: list[Image.Image], texts: list[str]) -> np.ndarray:
        asked.append(len(images))
        return np.zeros((len(images), len(texts)))

    monkeypatch.setattr(occlusion, "table", count)
    Occlusion("fake:ok", "itc", TEXTS, Grid(2000, 2000, 4)).step(POOL, Image.new("RGB", (2000, 2000)))
    assert asked == [5, 4, 4, 4]


def test_batches_are_as_large_as_a_step_has_time_for() -> None:
    slow = Occlusion("fake:slow/itm", "itm", TEXTS[:1], Grid(256, 256, 8))  # 20 ms an image
    slow.step(POOL, IMAGE, seconds=0.1)
    assert 1 <= slow.pace <= 5
    quick = Occlusion("fake:ok", "itm", TEXTS[:1], Grid(256, 256, 8))
    quick.step(POOL, IMAGE, seconds=30.0)
    assert quick.pace == occlusion.BATCH


def test_failures_are_one_sentence_and_keep_what_was_scored() -> None:
    with pytest.raises(FlipsideError, match="on purpose"):
        Occlusion("fake:raise", "itc", TEXTS, Grid(256, 256, 4)).step(POOL, IMAGE)
    with pytest.raises(UsageError, match="no score of an image"):
        Occlusion("fake:ok", "t2t", TEXTS, Grid(256, 256, 4)).step(POOL, IMAGE)
    with pytest.raises(UsageError, match="The grid is for"):
        Occlusion("fake:ok", "itc", TEXTS, Grid(64, 64, 4)).step(POOL, IMAGE)
