"""What of an object goes into its identity besides its parameters."""

import functools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from backend.models.own.settings import settings_of

ROOT = Path(__file__).resolve().parents[3]


class Config:
    def __init__(self, pooling):
        self.pooling = pooling


class Net(torch.nn.Module):
    def __init__(self, **more):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(0.1))
        vars(self).update(more)


def hidden(value):
    net = Net()
    net.layers[0].hidden = [torch.full((2,), value)]
    return net


def buffered(value):
    net = Net()
    net.register_buffer("loose", torch.tensor([value]), persistent=False)
    return net


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Net(scale=1), Net(scale=2)),
        (Net(scale=1), Net(scale=1.0)),
        (Net(words={"a": (1, 2)}), Net(words={"a": (1, 3)})),
        (Net(config=Config("mean")), Net(config=Config("max"))),
        (Net(act=functools.partial(max, 1)), Net(act=functools.partial(max, 2))),
        (Net(act=lambda x: x + 1), Net(act=lambda x: x + 2)),
        (Net(act=lambda x: x.mean()), Net(act=lambda x: x.max())),
        (Net(act=torch.relu), Net(act=torch.tanh)),
        (Net(places=np.arange(3)), Net(places=np.arange(4))),
        (Net(dtype=torch.float16), Net(dtype=torch.bfloat16)),
        (hidden(1.0), hidden(2.0)),
        (buffered(1.0), buffered(2.0)),
    ],
)
def test_what_decides_scores_counts(one, other):
    assert settings_of(one) != settings_of(other)


def test_what_does_not_decide_them_does_not():
    one, other = Net(scale=1, names={"b", "a"}), Net(scale=1, names={"a", "b"})
    other.layers[0].weight.data += 1  # parameters are read as the state_dict
    other.eval()
    assert settings_of(one) == settings_of(other)
    assert settings_of(one, None) == settings_of(other, None)


def test_objects_that_hold_themselves_and_large_ones_end():
    net = Net(numbers=[object() for _ in range(30_000)])
    object.__setattr__(net, "me", [net])
    assert settings_of(net).startswith("settings ")


def test_another_process_and_another_folder_say_the_same(tmp_path):
    code = (
        "class Net:\n    words = frozenset('abc')\n    def __init__(self, scale): self.scale = scale\n"
        "    def score(self, images, texts): return [len({*t} & {'a', 'b', 'c'}) * self.scale for t in texts]\n"
        "def make(): return Net(2)\n"
    )
    said = []
    for name in ("one", "two"):
        file = tmp_path / name / "mine.py"
        file.parent.mkdir()
        file.write_text(code)
        asked = (
            f"from backend.models import load\nfrom backend.models.own.settings import settings_of\n"
            f"print(settings_of(load('py:{file}:make').thing))"
        )
        done = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True)
        said.append(done.stdout)
    assert said[0] == said[1]
