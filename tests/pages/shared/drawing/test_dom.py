"""Numbers and colours that the browser writes, against those that Python writes."""

import math
import re

import numpy as np
import pytest

from backend.written import percent
from pages.debias.view import encoded
from pages.equivariance import pick
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import fixed
from tests.pages.scripts import Script

ODD = [0.0, -0.0, 1e-9, -1e-9, 0.004, -0.004, 0.996, -12.3456, 1234.5678, 1e6, math.nan, math.inf, -math.inf]
#: Exactly between two numbers of so many decimals, in binary or only in decimal digits: away from zero on either side.
HALVES = [0.5, 1.5, 2.5, 99.5, 0.25, 0.75, 6.25, 0.125, 0.375, 12.125, 0.0625, 0.1875, 1000.0625]
HALVES += [28.749999999999996, 0.35, 2.675, 1.005, 0.15]


@pytest.fixture(scope="module")
def dom() -> Script:
    return Script("shared/drawing/heatmap.js")


@pytest.mark.parametrize("digits", [0, 1, 2, 3])
def test_signed_numbers_are_those_of_python(dom: Script, digits: int) -> None:
    values = [*ODD, *HALVES, *(-half for half in HALVES), *np.random.default_rng(1).normal(0, 2, 300).tolist()]
    assert dom("a.map((v) => signed(v, b))", values, digits) == [fixed(v, digits, signed=True) for v in values]
    assert dom("a.map((v) => plain(v, b))", values, digits) == [fixed(v, digits) for v in values]
    assert dom("signed(null)") == "–"


def test_shares_and_points(dom: Script) -> None:
    rng = np.random.default_rng(2)
    values = [0.0, 1.0, 1e-9, *rng.random(300).tolist(), *(k / n for n in (16, 80, 400, 2000) for k in range(n))]
    assert dom("a.map(percent)", values) == [percent(v) for v in values]
    assert dom("a.map(percent)", [115 / 400, 123 / 400]) == ["28.8 %", "30.8 %"]
    assert dom("a.map(points)", [0.0, 0.1234, -0.1234, 0.0001]) == ["0.0", "+12.3", "−12.3", "0.0"]
    assert dom("a.map(percent)", [None, math.nan]) == ["–", "–"]
    assert dom("a.map(whole)", [0, 999, 1000, 1234567]) == ["0", "999", "1,000", "1,234,567"]


@pytest.mark.parametrize(("form", "name"), [("<f8", "Float64Array"), ("<i4", "Int32Array"), ("<u2", "Uint16Array")])
def test_packed_numbers_arrive_to_the_bit(dom: Script, form: str, name: str) -> None:
    rng = np.random.default_rng(3)
    for n in (0, 1, 2, 3, 257):
        values = (rng.normal(0, 1e3, n) if form == "<f8" else rng.integers(0, 60000, n)).astype(form)
        if form == "<f8" and n > 2:
            values[:3] = np.inf, -np.inf, np.nan
        found = dom(f"[...unpack(a, {name})]", encoded(values, form))
        assert np.array_equal(np.array(found, dtype=form), values, equal_nan=form == "<f8")


@pytest.mark.parametrize("scale", [colours.CIVIDIS, colours.DIVERGING, ("#000000", "#ffffff")])
def test_colours_along_a_scale_and_the_ink_on_them(dom: Script, scale: tuple[str, ...]) -> None:
    places = [-1.0, 0.0, 1e-12, 0.5, 1.0, 1.5, *np.random.default_rng(4).random(200).tolist()]
    found = dom("b.map((at) => [along(a, at), inkOn(along(a, at))])", list(scale), places)
    for at, (mixed, ink) in zip(places, found, strict=True):
        wanted = colours.along(scale, at)
        theirs = [int(pair, 16) for pair in re.findall("..", wanted[1:])]
        assert max(abs(a - b) for a, b in zip(mixed, theirs, strict=True)) <= 1, "a half may be rounded either way"
        if mixed == theirs:
            assert ink == colours.ink_on(wanted)


def test_a_lasso_catches_the_points_that_python_catches() -> None:
    scatter = Script("embeddings/scatter.js")
    rng = np.random.default_rng(5)
    for corners in (0, 1, 2, 3, 4, 17):
        path, places = rng.random((corners, 2)), rng.random((200, 2))
        if corners > 3:
            path[2, 1] = path[1, 1]  # an edge that lies level
            places[:4] = path[:4]  # points on corners
        found = scatter("a.map(([x, y]) => inside(x, y, b))", places.tolist(), path.tolist())
        assert found == pick.inside(places, path[:, 0].tolist(), path[:, 1].tolist()).tolist()


def test_the_order_after_a_click_and_rows_without_a_rate(dom: Script) -> None:
    assert [dom("next(a, 'k')", order) for order in ("", "-k", "k", "-other")] == ["-k", "k", "", "-k"]
    rows = [{"n": n, "cells": [None if rate is None else {"rate": rate}]} for n, rate in
            enumerate([0.5, None, 0.9, 0.0, None, 0.5])]  # fmt: skip
    columns = [{"key": "k"}]
    assert dom("sorted(a, b, '-k').map((row) => row.n)", rows, columns) == [2, 0, 5, 3, 1, 4]
    assert dom("sorted(a, b, 'k').map((row) => row.n)", rows, columns) == [3, 0, 5, 2, 1, 4]
    assert dom("sorted(a, b, '').map((row) => row.n)", rows, columns) == [0, 1, 2, 3, 4, 5]
    assert dom("sorted(a, b, '-gone').map((row) => row.n)", rows, columns) == [0, 1, 2, 3, 4, 5]
