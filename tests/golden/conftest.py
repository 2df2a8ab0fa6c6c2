"""Stored runs of every protocol, made once for all tests here that only read them."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.engine.runner import run
from tests.benchmarks.samples import coco, elevater, video_grounding, winoground
from tests.engine.samples import PARTS_OF_ALL, mixed
from tests.golden.calls import call

MODEL = "fake:ok"


def _visla(folder: Path) -> None:
    """As many items as VISLA's generic part has, so that printed numbers stand beside ours; no pictures."""
    rows = "".join(f"{n}.jpg\ta red {n}\t{n}, red\ta blue {n}\n" for n in range(973))
    (folder / "Generic_VISLA.tsv").write_text(f"filename\tcaption\tsecond positive\tnegative_caption\n{rows}")


#: Benchmarks of the samples that are run as they are published: (name, kinds, what writes the files).
SAMPLES: tuple[tuple[str, str, Callable[[Path], None]], ...] = (
    ("elevater", "itc,gen,prior", elevater.write),
    ("video_grounding", "itc,gen", video_grounding.write),
    ("winoground", "itc,gen,prior", winoground.write),
    ("coco", "itc", coco.write),
    ("visla", "t2t", _visla),
)
#: A table of choices, which has no pictures, and what two orders of asking gave on it.
OWN = "id,image,caption,foil_1\n1,a.png,a red cube,a blue cube\n2,b.png,two cups,three cups\n3,c.png,a dog,a cat\n"
ORDERS = {"first": "1,1\n2,1\n3,0\n", "second": "1,1\n2,0\n3,0\n"}


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with runs of the fake model on every protocol, and predictions asked for in two orders."""
    root, files = tmp_path_factory.mktemp("golden"), tmp_path_factory.mktemp("files")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        patch.setenv("FLIPSIDE_CACHE", str(root))
        patch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: root / "nothing")
        done = run(MODEL, mixed(files / "mixed", 6), PARTS_OF_ALL, priors=["noise:2", "images:2"], root=root)
        assert done.exit_code == 0
        for name, kinds, write in SAMPLES:
            (files / name).mkdir()
            write(files / name)
            ran = call("run", "--model", MODEL, "--benchmark", name, "--data", files / name, "--kinds", kinds)
            assert ran.code == 0 or name == "video_grounding", ran.err
        (files / "set.csv").write_text(OWN)
        for order, rows in ORDERS.items():
            said = files / f"{order}.csv"
            said.write_text("item_id,correct,order\n" + "".join(f"{r},{order}\n" for r in rows.splitlines()))
            added = call(
                "add-predictions", said, "--as", "sys", "--benchmark", "custom", "--data", files / "set.csv", "--json"
            )
            assert added.code == 0, added.err
            assert json.loads(added.out)["matched"] == 3
    return root


@pytest.fixture
def stored(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The command line on these runs, and on nothing that ships; the cache's folder."""
    monkeypatch.setenv("FLIPSIDE_CACHE", str(made))
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: made / "nothing")
    return made
