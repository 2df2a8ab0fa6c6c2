"""Two versions beside each other: the joined picture, its size in bytes, the table of measures."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from scripts import side_by_side


def test_before_is_left_and_after_is_right() -> None:
    joined = side_by_side.beside(Image.new("RGB", (1440, 900), "red"), Image.new("RGB", (1440, 600), "blue"))
    assert joined.size == (2 * 720 + side_by_side.GAP, 450 + 6)
    assert joined.getpixel((360, 200)) == (255, 0, 0)
    assert joined.getpixel((720 + side_by_side.GAP + 360, 200)) == (0, 0, 255)
    assert joined.getpixel((720 + side_by_side.GAP + 360, 400)) == (255, 255, 255)  # the shorter one ends


def test_a_picture_is_packed_into_the_bytes_that_it_may_have() -> None:
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 255, (200, 300, 3), dtype=np.uint8))
    fine = side_by_side.packed(noise, 10_000_000)
    small = side_by_side.packed(noise, len(fine) // 2)
    assert len(small) <= len(fine) // 2
    with Image.open(io.BytesIO(small)) as back:
        assert (back.format, back.size) == ("WEBP", noise.size)


def test_pages_in_both_folders_are_joined_and_measures_become_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after, out = (tmp_path / name for name in ("before", "after", "out"))
    for folder, height in ((before, 3900), (after, 900)):
        folder.mkdir()
        Image.new("RGB", (1440, 900), "white").save(folder / "runs.png")
        measured = {"runs": {"height": height, "controls": 5, "parts": 0}}
        (folder / "measures.json").write_text(json.dumps(measured), encoding="utf-8")
    Image.new("RGB", (1440, 900)).save(before / "gone.png")
    assert side_by_side.join(before, after, out) == 0
    assert [path.name for path in sorted(out.iterdir())] == ["measures.md", "runs.webp"]
    assert "| runs | 3,900 → **900** | 5 → **5** |" in (out / "measures.md").read_text(encoding="utf-8")
    assert "runs.webp" in capsys.readouterr().out


def test_nothing_in_common_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("before", "after"):
        (tmp_path / name).mkdir()
    assert side_by_side.join(tmp_path / "before", tmp_path / "after", tmp_path / "out") == 1
    assert "no page is in" in capsys.readouterr().err
