"""Answers about a map on disk: they come back to the bit, and only where everything they were made of is the same."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from backend.live.maps import maps
from backend.metrics.enrichment import Contrast
from backend.metrics.near_errors import NearErrors
from backend.store.build import first
from backend.store.enrichment.clumps import Clump, Clumps
from backend.store.enrichment.traits import Trait
from backend.store.items.embeddings import Points
from pages.embeddings import kept


@pytest.fixture(autouse=True)
def _nothing_set_up(flipside_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first, "folder", lambda: tmp_path / "set-up")


def found() -> Clumps:
    odd = Contrast(3, 3, 0, 7, float("inf"), 0.1 + 0.2, 1e300, 1 / 3, 5e-324)
    errors = Contrast(1, 3, 2, 7, 7 / 6, 0.1, 9.9, 0.7, 0.7)
    each = [
        Clump(np.array([4, 0, 2]), (0.1, -2 / 3), 3, [(Trait("word", "“ö” \n"), odd)], errors),
        Clump(np.array([1]), (1e-17, 3.0), 1, [], None),
    ]
    return Clumps(each, 12, 0.005)


@pytest.mark.parametrize("clumps", [found(), Clumps([], 0, None), Clumps([], 7, 0.25)])
def test_clumps_come_back_to_the_bit(clumps: Clumps) -> None:
    kept.keep_clumps("a", clumps)
    back = kept.read_clumps("a", 5)
    assert back is not None
    assert (back.tested, back.by_chance) == (clumps.tested, clumps.by_chance)
    for one, other in zip(back.each, clumps.each, strict=True):
        assert one.contents.dtype == np.intp
        assert one.contents.tolist() == other.contents.tolist()
        assert (one.at, one.n_items, one.found, one.errors) == (other.at, other.n_items, other.found, other.errors)


def test_whether_wrong_ones_lie_together_comes_back_also_where_there_is_nothing_to_say() -> None:
    said = NearErrors(1 / 3, 0.1, 0.2, 0.30000000000000004, 0.0024937655860349127, 187, 5)
    kept.keep_errors("a", said)
    kept.keep_errors("b", None)
    assert (kept.read_errors("a"), kept.read_errors("b"), kept.read_errors("c")) == ((said,), (None,), None)


def test_neighbours_come_back() -> None:
    rows, cosines = np.array([[1, -1], [0, 2], [1, 0]]), np.array([[0.5, np.nan], [1, 0], [0, 0.1]], np.float32)
    kept.keep_near("a", (rows, cosines))
    back = kept.read_near("a", 3)
    assert back is not None
    np.testing.assert_array_equal(back[0], rows)
    np.testing.assert_array_equal(back[1], cosines)
    assert back[1].dtype == np.float32
    assert kept.read_near("a", 2) is None, "of another number of contents"
    (kept.folder() / "a.npz").rename(kept.folder() / "b.npz")
    assert kept.read_near("b", 3) is None, "another question's answer under this name"


@pytest.mark.parametrize("spoilt", ["cut", "other", "dots", "form"])
def test_a_file_that_is_no_answer_is_none(spoilt: str) -> None:
    path = kept.folder() / "a.npz"
    kept.keep_clumps("a", found())
    if spoilt == "cut":
        path.write_bytes(path.read_bytes()[:100])
    elif spoilt == "other":
        maps.write_arrays(path, rows=np.zeros(3))
    elif spoilt == "dots":
        assert kept.read_clumps("a", 4) is None, "a dot that is not there"
        return
    else:
        maps.write_arrays(
            path, said=kept._bytes({"each": [{"at": [1]}], "tested": 1, "by_chance": None}),
            dots=np.zeros(1, np.int32), sizes=np.ones(1, np.int64),
        )  # fmt: skip
    assert kept.read_clumps("a", 5) is None
    assert kept.read_errors("a") is None
    assert kept.read_near("a", 3) is None


def points(**change: list[str]) -> Points:
    columns = {
        "item_no": [0, 0, 1, 1], "item_id": ["a", "a", "b", "b"], "subset": ["s"] * 4, "concept": ["x", "x", "", ""],
        "modality": ["image", "text"] * 2, "content": [0, 1, 0, 2],
    }  # fmt: skip
    labels = change.pop("label", ["one", "one", "two"])
    contents = pd.DataFrame({"modality": ["image", "text", "text"], "label": labels}, dtype=object)
    return Points(pd.DataFrame({**columns, **change}), contents, np.array([[0, 1], [2, 3]]), 2, 2)


def test_other_words_items_or_verdicts_are_another_question() -> None:
    usual = kept.of_points(points())
    assert kept.of_points(points()) == usual
    changed: list[dict[str, list[str]]] = [
        {"concept": ["y", "y", "", ""]}, {"concept": ["x", "x", "x", ""]}, {"item_id": ["a", "a", "c", "c"]},
        {"subset": ["s", "s", "t", "t"]}, {"label": ["one", "one", "three"]},
    ]  # fmt: skip
    assert len({usual, *(kept.of_points(points(**change)) for change in changed)}) == 1 + len(changed)
    told = pd.DataFrame({"correct": pd.array([True, None, False], "boolean"), "reason": ["", "x", "y"]})
    others = [
        told.assign(correct=pd.array([True, False, False], "boolean")), told.assign(reason=["", "x", "z"]), None,
        told.assign(correct=pd.array([True, None, True], "boolean")),
    ]  # fmt: skip
    assert len({kept.of_verdicts(one) for one in (told, *others)}) == 5
    assert kept.of_verdicts(told.copy()) == kept.of_verdicts(told)


def test_other_code_or_another_library_is_another_question(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(kept.__file__).parents[2]
    assert all((root / name).is_file() for name in kept.CODE)
    before = kept.key("a", np.arange(3))
    assert kept.key("a", np.arange(3)) == before
    assert kept.key("a", np.arange(3).astype(np.int32)) != before
    kept.code.cache_clear()
    monkeypatch.setattr(kept, "_version", lambda name: "99")
    assert kept.key("a", np.arange(3)) != before
    kept.code.cache_clear()


def test_an_answer_of_set_up_is_read(tmp_path: Path) -> None:
    kept.keep_errors("a", None)
    kept.set_up().mkdir(parents=True)
    (kept.folder() / "a.npz").rename(kept.set_up() / "a.npz")
    assert kept.read_errors("a") == (None,)
