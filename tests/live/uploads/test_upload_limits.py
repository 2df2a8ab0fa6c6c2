"""What pages offer to upload is what the server takes: no larger, and no page without its own limit."""

import ast
import errno
import tomllib
from pathlib import Path

import pytest
from PIL import Image

from backend.errors import FlipsideError
from backend.live.uploads import uploads
from backend.live.uploads.uploads import LARGEST_MB, MAX_BYTES, PHOTO_MB

ROOT = Path(__file__).resolve().parents[3]


def uploaders():
    for path in sorted((ROOT / "pages").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "file_uploader":
                limit = next((word.value for word in node.keywords if word.arg == "max_upload_size"), None)
                yield path.name, ast.unparse(limit) if limit else None


def test_every_uploader_shows_its_true_limit():
    found = list(uploaders())
    assert len(found) >= 6
    assert {limit for _, limit in found} == {"LARGEST_MB", "PHOTO_MB"}
    assert {name for name, limit in found if limit == "PHOTO_MB"} == {"inputs.py", "rank_images.py"}


def test_the_server_takes_the_largest_that_is_offered_and_no_more():
    server = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["server"]
    assert server["maxUploadSize"] == LARGEST_MB == max(LARGEST_MB, PHOTO_MB)
    assert MAX_BYTES == PHOTO_MB * 2**20


def test_a_shared_picture_on_a_full_disk_is_a_sentence_and_leaves_no_part(flipside_cache, monkeypatch):
    def no_room(_image, path, *_more):
        path.write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Image.Image, "save", no_room)
    picture = Image.new("RGB", (4, 4))
    with pytest.raises(FlipsideError, match="No space is left"):
        uploads.save(uploads.Upload("a.png", picture, uploads.content_key(picture)))
    assert not list((flipside_cache / "uploads").iterdir())
