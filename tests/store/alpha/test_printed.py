"""Printed points on an α-curve: where they are, whose they are, and where there are none."""

from pathlib import Path

import pytest

from backend.items import ImageRef, Item, Protocol
from backend.store.alpha import printed
from backend.store.build.reader import open_store
from backend.store.catalog.default_run import ChosenRun
from tests.store.writer import write_benchmark, write_run


def quads(n: int) -> list[Item]:
    found = []
    for k in range(n):
        images = (ImageRef(f"{k}a", ""), ImageRef(f"{k}b", ""))
        texts = (f"a {k}", f"b {k}")
        found.append(Item(f"all/{k}", "all", Protocol.QUAD, images, texts, ((0, 0), (1, 1)), {}, "t"))
    return found


@pytest.mark.long
def test_winoground_has_the_paper_s_points_of_another_model(
    flipside_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: flipside_cache / "none")
    items = quads(6)
    write_run(flipside_cache, items, "a" * 16, ["gen", "prior@noise:1"], model="fake:speaker", name="winoground")
    digest = write_benchmark(flipside_cache, items, "winoground")
    chosen = ChosenRun("a" * 16, "fake:speaker", "winoground", digest, ["gen"], [])

    def points(metric: str, *, whole: bool = True) -> list[printed.PrintedPoint]:
        return printed.printed_points(open_store(), chosen, "noise:1", "token", "all", whole, metric)

    found = points("text_score")
    assert [p.alpha for p in found] == sorted(p.alpha for p in found)
    assert {p.alpha for p in found} >= {0.0, 1.0}
    assert not any(p.mine for p in found), "fake:speaker is nobody's model"
    assert all(0 < p.value < 1 for p in found)
    assert points("accuracy") == []
    assert points("text_score", whole=False) == [], "a part is not the benchmark that was printed"


def test_a_tuned_value_stands_at_the_alpha_that_is_printed_for_it() -> None:
    tuned = printed._tuned_alphas()
    assert {key[3]: value for key, value in tuned.items()}["COCO"] == pytest.approx(0.819)
