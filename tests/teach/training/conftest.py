"""A student whose vectors are looked up, and small data of the world."""

import numpy as np
import pytest

from backend.items import ImageRef
from backend.teach.pairs.batches import Batch
from backend.teach.pairs.examples import Example, from_world


@pytest.fixture
def table():
    """A dual encoder without towers: every image and text has a random unit vector; the logit scale is 10."""
    torch = pytest.importorskip("torch")
    from backend.teach.students.dual import DualStudent

    class Table(DualStudent):
        def __init__(self):
            super().__init__(None)
            self.vectors = torch.nn.ParameterDict()

        def vector(self, name):
            key = name.replace(".", "-")
            if key not in self.vectors:
                seed = int.from_bytes(name.encode()[-6:], "little")
                drawn = torch.randn(8, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
                self.vectors[key] = torch.nn.Parameter(drawn / drawn.norm())
            return self.vectors[key]

        def see(self, images):
            return torch.stack([self.vector(f"i {name}") for name in images])

        def read(self, texts):
            return torch.stack([self.vector(f"t {name}") for name in texts])

        def scale(self):
            return torch.tensor(10.0, dtype=torch.float64)

        def bias(self):
            return torch.zeros((), dtype=torch.float64)

    return Table()


@pytest.fixture
def batch():
    """Five examples: a quad, one with a negative, one with a positive, one whose caption is true of another image."""
    names = ["a", "b", "c", "d", "e"]
    examples = tuple(Example(n, ImageRef(n, f"img {n}"), f"text {n}") for n in names)
    same = np.zeros((5, 5), dtype=bool)
    same[2, 4] = True
    negatives = ("neg a", None, "neg c", None, None)
    positives = (None, None, None, "pos d", "pos e")
    return Batch(examples, np.array([[0, 1]]), negatives, positives, same)


@pytest.fixture(scope="session")
def world():
    return from_world(16, ("attribute", "size"), 5)
