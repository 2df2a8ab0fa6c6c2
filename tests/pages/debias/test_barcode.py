"""What the barcode shows of an item: its words in JavaScript, and what the server gives it to show."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from backend.metrics.alpha import Intervals, curve
from backend.store.alpha.curves import AlphaCurve
from pages.debias import barcode
from pages.shared.data.stored import StoredBenchmark
from tests.pages.scripts import Script


@pytest.fixture(scope="module")
def script() -> Script:
    return Script("debias/curve.js")


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        ("[[0.211, 0.87]]", "right for 0.211 < α < 0.870"),
        ("[[-Infinity, 0.5], [0.75, Infinity]]", "right for α < 0.500 and α > 0.750"),
        ("[[-Infinity, Infinity]]", "right for every α"),
        ("[]", "right at no α"),
    ],
)
def test_a_range_in_words(script: Script, pieces: str, said: str) -> None:
    assert script(f"rangeSaid({pieces})") == said


def test_the_row_that_flips_closest_to_alpha(script: Script) -> None:
    rows = "[{pieces: [[0.2, Infinity]]}, {pieces: [[-Infinity, 0.6]]}, {pieces: [[0.1, 0.9]]}]"
    ends = f"endsOf({rows})"
    assert script(ends) == [[0.1, 2], [0.2, 0], [0.6, 1], [0.9, 2]]
    for alpha, wanted in ((0.0, [0.1, 2]), (0.16, [0.2, 0]), (0.6, [0.6, 1]), (0.8, [0.9, 2]), (1.0, [0.9, 2])):
        assert script(f"nearestRow({ends}, {alpha})") == wanted
    assert script("nearestRow([], 0.5)") is None


def _curve(n: int) -> AlphaCurve:
    sets = Intervals(np.full(n, -np.inf), np.linspace(0.1, 1.4, n))
    items = pd.DataFrame({"item_id": [f"choice/{k}" for k in range(n)]})
    return AlphaCurve("accuracy", "lm:a", "token", items, sets, curve(sets), None, None, "", None)


def _benchmark(protocol: str) -> StoredBenchmark:
    return StoredBenchmark("b", "hash", {"s": 9}, {"s": protocol}, {}, {}, {})


def _known(monkeypatch: pytest.MonkeyPatch, texts: list[str]) -> None:
    def found(_: str, ids: tuple[str, ...]) -> dict[str, Any]:
        return {each: (texts, ["world:2.hybhdr.tyshPF"]) for each in ids}

    monkeypatch.setattr(barcode, "_found", found)


@pytest.mark.parametrize(
    ("protocol", "right"),
    [
        ("choice", [True, False, False]),
        ("triplet", [True, True, False]),
        ("quad", [None, None, None]),
        ("classify", []),
    ],
)
def test_an_item_s_captions_say_which_is_right_where_no_image_has_to_be_asked(
    monkeypatch: pytest.MonkeyPatch, protocol: str, right: list[bool | None]
) -> None:
    _known(monkeypatch, ["a", "b" * 500, "c"])
    found = barcode.items(_benchmark(protocol), _curve(3), "s", (0.0, 1.0))
    assert [each["id"] for each in found.values()] == ["choice/0", "choice/1"]  # the third ends beyond the domain
    assert [said for _, _, said in found["0"]["texts"]] == right
    assert all(len(text) <= barcode.LETTERS + 1 for _, text, _ in found["0"]["texts"])
    assert len(found["0"]["images"]) == 1


def test_of_very_many_rows_some_carry_their_item(monkeypatch: pytest.MonkeyPatch) -> None:
    _known(monkeypatch, ["a", "b"])
    found = barcode.items(_benchmark("choice"), _curve(5000), "s", (0.0, 2.0))
    assert len(found) == barcode.MOST
    assert {"0", "4999"} <= found.keys()
