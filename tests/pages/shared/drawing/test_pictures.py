"""No stylesheet and no thumbnail cuts a picture: its whole is what a model sees."""

import re
from base64 import b64decode
from io import BytesIO
from pathlib import Path

from PIL import Image

from pages.shared.drawing.thumbnails import encode

PAGES = Path(__file__).resolve().parents[4] / "pages"


def test_no_stylesheet_cuts_pictures() -> None:
    cuts = re.compile(r"object-fit: *(cover|fill|none)|background-size: *cover|objectFit")
    files = [path for path in PAGES.rglob("*") if path.suffix in (".css", ".js", ".py")]
    assert len(files) > 100
    assert not [path.name for path in files if cuts.search(path.read_text(encoding="utf-8"))]
    assert "aspect-ratio: 1; object-fit: contain" in (PAGES / "shared/frame/style.css").read_text(encoding="utf-8")


def test_a_thumbnail_keeps_the_shape() -> None:
    for size, small in {(900, 180): (128, 26), (180, 900): (26, 128), (64, 32): (64, 32)}.items():
        data = encode(Image.new("RGB", size)).partition(",")[2]
        assert Image.open(BytesIO(b64decode(data))).size == small
