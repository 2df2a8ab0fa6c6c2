"""Editions and probes in folders: written, read back, refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from backend.errors import UsageError
from backend.world import benchmark, edition
from backend.world.drawing.render import pixels
from backend.world.language.reading import read
from backend.world.probes import DIFFERENCES, differences, probe
from backend.world.scenes import Obj, Scene
from backend.world.truth import holds
from backend.world.verb import generate


def test_an_edition_reads_back_as_it_was_made(tmp_path: Path) -> None:
    out = tmp_path / "edition"
    summary = generate(out, 24, 3)
    assert json.loads(json.dumps(summary))["n_items"] == 24
    back, made = benchmark.load(out), benchmark.make(24, 3)
    assert back.content_hash() == made.content_hash() == summary["content_hash"]
    for read_back, item in zip(back, made, strict=True):
        assert (read_back.texts, read_back.tags, read_back.truth) == (item.texts, item.tags, item.truth)
        for ref, original in zip(read_back.images, item.images, strict=True):
            assert Path(ref.uri).is_absolute()
            assert np.array_equal(np.asarray(Image.open(ref.uri)), pixels(Scene.decode(original.uri)))
    with pytest.raises(UsageError, match="another world"):
        generate(out, 3, 4)
    assert len(list(benchmark.load(out))) == 24


def test_a_damaged_edition_says_which_line(tmp_path: Path) -> None:
    generate(tmp_path, 4, 1)
    lines = (tmp_path / "items.jsonl").read_text().splitlines()
    broken = json.loads(lines[2])
    broken["images"][0]["file"] = "../elsewhere.png"
    (tmp_path / "items.jsonl").write_text("\n".join([lines[0], "{", json.dumps(broken), lines[3]]))
    loaded = benchmark.load(tmp_path)
    (skipped,) = loaded.skipped()
    assert (skipped.file, skipped.line) == ("items.jsonl", 2)
    assert [item.images[0].missing for item in loaded] == [False, True, False]


def test_wrong_folders_and_numbers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no edition"):
        benchmark.load(tmp_path)
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(UsageError, match="something else"):
        generate(tmp_path, 3, 0)
    with pytest.raises(UsageError, match="is a file"):
        generate(tmp_path / "thesis.tex", 3, 0)
    with pytest.raises(UsageError, match="from 1 to 10,000,000"):
        generate(tmp_path / "new", 0, 0)
    with pytest.raises(UsageError, match="Available: shape, colour"):
        generate(tmp_path / "new", 3, 0, "weight")


@pytest.mark.parametrize("what", list(DIFFERENCES))
def test_a_probe_differs_only_in_what_was_asked(what: str) -> None:
    items = list(probe(40, what, 5))
    assert items == list(probe(40, what, 5))
    for item in items:
        scenes = [Scene.decode(ref.uri) for ref in item.images]
        assert differences(*scenes) == {what}
        meanings = [read(text) for text in item.texts]
        assert [[m is not None and holds(m, s) for m in meanings] for s in scenes] == [[True, False], [False, True]]
        assert item.tags["concept"] == (what,)


def test_a_probe_can_be_written(tmp_path: Path) -> None:
    summary = generate(tmp_path / "probe", 5, 2, "colour")
    assert (summary["subsets"], summary["n_images"]) == ({"probe_colour": 5}, 10)


def test_what_two_scenes_differ_in() -> None:
    a, b = Obj("circle", "red", "big", "plain", 64, 64), Obj("star", "blue", "big", "dotted", 160, 160)
    scene = Scene((a, b), 1)
    assert differences(scene, Scene((b, a), 1)) == set()
    assert differences(scene, Scene((a, b), 2)) == {"background"}
    assert differences(scene, Scene((a,), 1)) == {"count"}
    moved = Obj("star", "red", "big", "dotted", 164, 160)
    assert differences(scene, Scene((a, moved), 1)) == {"other"}
    swapped = Obj("circle", "blue", "big", "plain", 64, 64), Obj("star", "red", "big", "striped", 160, 160)
    assert differences(scene, Scene(swapped, 1)) == {"binding", "fill"}


def test_an_unfinished_edition_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "items.jsonl").write_text('{"half": ')
    with pytest.raises(UsageError, match="something else"):  # which may be anybody's
        generate(tmp_path, 5, 1)
    assert (tmp_path / "items.jsonl").read_text() == '{"half": '
    (tmp_path / edition.UNFINISHED).touch()
    assert generate(tmp_path, 5, 1)["n_items"] == 5
    assert sorted(path.name for path in tmp_path.iterdir()) == ["images", "items.jsonl", "manifest.json"]


def test_what_is_stopped_in_the_middle_is_known_as_unfinished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(edition, "_record", stopped)
    with pytest.raises(KeyboardInterrupt):
        generate(tmp_path / "w", 5, 1)
    monkeypatch.undo()
    assert generate(tmp_path / "w", 5, 1)["n_items"] == 5
