"""Files of a user's own models, and a small benchmark of pictures with a colour each."""

import sys
import textwrap
from pathlib import Path

import pytest
from PIL import Image

from backend.items import Benchmark, ImageRef, Item, Protocol

COLOURS = {"red": (220, 20, 20), "green": (20, 200, 20), "blue": (20, 20, 220)}

#: A model that works: colours of pictures against words for colours.
GOOD = """
    import numpy as np

    WORDS = {"red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1)}

    class Colours:
        weights_id = "colours 1"

        def encode_image(self, images):
            return np.array([np.asarray(image, float).reshape(-1, 3).mean(0) for image in images])

        def encode_text(self, texts):
            return [np.sum([WORDS.get(word, (0.01, 0.01, 0.01)) for word in text.split()], 0) for text in texts]
"""


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write a file of Python; its spec, without the object. Its folder is on the path as long as the test."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "mine", raising=False)

    def write(code: str, name: str = "mine.py") -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(code), encoding="utf-8")
        return f"py:{path}"

    return write


@pytest.fixture
def good(written):
    return f"{written(GOOD)}:Colours"


@pytest.fixture
def colours(tmp_path) -> Benchmark:
    """Two quads, a triplet and two choices."""
    return benchmark(tmp_path / "pictures")


def benchmark(folder: Path) -> Benchmark:
    folder.mkdir(exist_ok=True)
    for name, colour in COLOURS.items():
        Image.new("RGB", (8, 8), colour).save(folder / f"{name}.png")

    def made(item_id, protocol, images, texts):
        refs = tuple(ImageRef(f"{name}.png", str(folder / f"{name}.png")) for name in images)
        truth = {Protocol.QUAD: ((0, 0), (1, 1)), Protocol.TRIPLET: ((0, 0), (0, 1))}.get(protocol, ((0, 0),))
        return Item(item_id, item_id.split("/")[0], protocol, refs, texts, truth, {}, "test")

    def items():
        yield made("quad/1", Protocol.QUAD, ("red", "green"), ("a red thing", "a green thing"))
        yield made("quad/2", Protocol.QUAD, ("green", "blue"), ("a blue thing", "a green thing"))
        yield made("tri/1", Protocol.TRIPLET, ("blue",), ("a blue thing", "one blue thing", "a red thing"))
        yield made("choice/1", Protocol.CHOICE, ("red",), ("a red thing", "a green thing", "a blue thing"))
        yield made("choice/2", Protocol.CHOICE, ("red",), ("a blue thing", "a red thing"))

    return Benchmark("colours", items)
