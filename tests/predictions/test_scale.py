"""Probabilities of itm and vqa are told from log-odds, and kept as log-odds in the file's own order."""

import json

import numpy as np
import pytest
from scipy.special import expit

from backend.errors import UsageError
from backend.items import ImageRef, Item, Kind, Protocol
from backend.predictions.claim import GivenScale
from backend.predictions.finding import Items
from backend.predictions.matching import match
from backend.predictions.reading import claims
from backend.predictions.scale import in_order, log_odds, transformations

PROBABILITY, LOG_ODDS = GivenScale
N = 60
STATEMENTS = [
    Item(f"z/{n}", "z", Protocol.ANSWERS, (ImageRef(f"{n}.jpg", ""),), (f"text {n}",), ((0, 0),))
    for n in range(1, N + 1)
]


def matched(path, kind=None, scale=None, items=STATEMENTS):
    return match(claims(path, None), Items(items.__getitem__, range(len(items)), len(items)), kind, scale)


def written(path, values, column="score", **more):
    path.write_text("\n".join(json.dumps({"id": f"z/{n}", column: v} | more) for n, v in enumerate(values, 1)))
    return path


def kept(found, part="itm"):
    """The stored numbers in the order of the items."""
    return np.array([value for _, value, _ in sorted(found.parts[part])])


def signs(values):
    return np.sign(values[:, None] - values[None, :])


@pytest.fixture
def p():
    return np.random.default_rng(1).uniform(0.01, 0.99, N)


@pytest.mark.parametrize("kind", [Kind.ITM, Kind.VQA])
def test_numbers_from_0_to_1_are_probabilities_and_the_guess_is_said(tmp_path, p, kind):
    found = matched(written(tmp_path / "a.jsonl", p), kind)
    np.testing.assert_allclose(kept(found, kind), np.log(p / (1 - p)), rtol=1e-6)
    assert f"The 60 numbers of {kind} all lie from 0 to 1 and were read as probabilities" in found.guesses[0]
    assert "--scale log-odds" in found.guesses[0]
    assert transformations(found.readings) == [
        {"kind": kind, "read_as": "probability", "stored_as": "log-odds", "by": "a guess: all lie from 0 to 1"}
    ]


def test_one_number_outside_makes_all_of_them_log_odds_and_is_named(tmp_path, p):
    found = matched(written(tmp_path / "a.jsonl", [*p[:-1], -1.5]), Kind.ITM)
    np.testing.assert_array_equal(kept(found), np.float32([*p[:-1], -1.5]))
    assert "1 of them lie outside 0 to 1 (the first: a.jsonl:60, -1.5)" in found.guesses[0]
    assert transformations(found.readings) == []


def test_percentages_are_asked_after(tmp_path, p):
    found = matched(written(tmp_path / "a.jsonl", 100 * p), Kind.ITM)
    assert "are they percentages?" in found.guesses[0]


def test_a_statement_about_no_item_tells_the_scale_too(tmp_path, p):
    path = tmp_path / "a.jsonl"
    written(path, p)
    path.write_text(path.read_text() + '\n{"id": "z/none", "score": 4.0}')
    np.testing.assert_array_equal(kept(matched(path, Kind.ITM)), p.astype(np.float32))


def test_the_option_comes_before_the_guess_in_both_directions(tmp_path, p):
    path = written(tmp_path / "a.jsonl", p)
    taken = matched(path, Kind.ITM, LOG_ODDS)
    np.testing.assert_array_equal(kept(taken), p.astype(np.float32))
    turned = matched(path, Kind.ITM, PROBABILITY)
    np.testing.assert_allclose(expit(kept(turned)), p, rtol=1e-6)
    assert not [guess for guess in taken.guesses + turned.guesses if "read as" in guess]


@pytest.mark.parametrize("column", ["prob", "Probability"])
def test_a_column_of_probabilities_says_so(tmp_path, p, column):
    found = matched(written(tmp_path / "a.jsonl", p, column), Kind.ITM)
    np.testing.assert_allclose(expit(kept(found)), p, rtol=1e-6)
    assert f"read as probabilities by the column '{column}'" in found.guesses[0]
    taken = matched(tmp_path / "a.jsonl", Kind.ITM, LOG_ODDS)
    np.testing.assert_array_equal(kept(taken), p.astype(np.float32))
    with pytest.raises(UsageError, match=r"b.jsonl:2: 3 is no probability.*the column 'prob' says.*1 of the 2"):
        matched(written(tmp_path / "b.jsonl", [0.5, 3.0], "prob"), Kind.ITM)


def test_a_column_a_text_says_it_too(tmp_path):
    item = Item("c/1", "c", Protocol.CHOICE, (ImageRef("1.jpg", ""),), ("truth", "foil"), ((0, 0),))
    (tmp_path / "a.csv").write_text("item_id,prob_0,prob_1\nc/1,0.75,0.25\n")
    found = matched(tmp_path / "a.csv", Kind.ITM, items=[item])
    np.testing.assert_allclose(kept(found), [np.log(3), -np.log(3)], rtol=1e-6)


def test_a_column_of_logits_and_an_own_export_are_taken_as_they_are(tmp_path, p):
    found = matched(written(tmp_path / "a.jsonl", p, "logit"), Kind.VQA)
    np.testing.assert_array_equal(kept(found, "vqa"), p.astype(np.float32))
    head = "item_id,kind,image_index,text_index,text_index_b,sample,value,n_tokens\n"
    own = tmp_path / "own.csv"
    own.write_text(head + "".join(f"z/{n},itm,0,0,,,{v!r},\n" for n, v in enumerate(p.tolist(), 1)))
    exported = matched(own)
    np.testing.assert_array_equal(kept(exported), p.astype(np.float32))
    assert "log-odds by the columns of `export --what scores`, though all lie from 0 to 1" in exported.guesses[0]
    np.testing.assert_allclose(expit(kept(matched(own, scale=PROBABILITY))), p, rtol=1e-6)
    own.write_text(own.read_text() + "z/60,itm,0,0,,,7.5,\n")
    assert matched(own).guesses == []  # nothing is open


@pytest.mark.parametrize("kind", [Kind.ITC, Kind.SCORE])
def test_other_kinds_are_not_touched(tmp_path, p, kind):
    found = matched(written(tmp_path / "a.jsonl", p, "prob"), kind)
    np.testing.assert_array_equal(kept(found, kind), p.astype(np.float32))
    assert found.readings == []
    with pytest.raises(UsageError, match="--scale probability is about numbers of itm and vqa"):
        matched(tmp_path / "a.jsonl", kind, PROBABILITY)


def test_what_is_no_probability_is_refused_with_its_line(tmp_path):
    values = [0.5] * 16 + [1.25, -2.0]
    path = written(tmp_path / "a.jsonl", values)
    with pytest.raises(UsageError, match=r"a.jsonl:17: 1.25 is no probability.*2 of the 18 numbers of itm lie outside"):
        matched(path, Kind.ITM, PROBABILITY)


def test_kinds_are_read_one_by_one(tmp_path, p):
    path = tmp_path / "a.jsonl"
    path.write_text(
        "\n".join(json.dumps({"id": f"z/{n}", "itm": v, "vqa": 9 * v - 5, "itc": v}) for n, v in enumerate(p, 1))
    )
    found = matched(path)
    np.testing.assert_allclose(expit(kept(found)), p, rtol=1e-6)
    np.testing.assert_array_equal(kept(found, "vqa"), np.float32(9 * p - 5))
    np.testing.assert_array_equal(kept(found, "itc"), np.float32(p))


def test_order_equality_and_the_side_of_one_half_are_the_files_own(tmp_path):
    """0 and 1, the doubles beside them and beside .5, neighbours that single precision cannot tell apart, and ties."""
    half, one = 0.5, 1.0
    p = np.array(
        [0.0, 5e-324, 1e-300, 0.3, np.nextafter(0.3, 1), 0.3, np.nextafter(half, 0), half, np.nextafter(half, 1), half,
         0.9, np.nextafter(0.9, 1), np.nextafter(np.nextafter(0.9, 1), 1), np.nextafter(one, 0), one, one, 0.0]
    )  # fmt: skip
    found = kept(matched(written(tmp_path / "a.jsonl", p.tolist()), Kind.ITM))
    assert np.isfinite(found).all()
    np.testing.assert_array_equal(signs(found), signs(p))
    np.testing.assert_array_equal(np.sign(found), np.sign(p - 0.5))
    np.testing.assert_array_equal(expit(found.astype(np.float64)) > 0.5, p > 0.5)  # as VALSE's threshold asks


def test_the_rounding_of_a_softmax_in_single_precision_is_no_reason_to_refuse(tmp_path):
    p = [1.0000001, 1.0, 0.25, -1e-9, 0.0]
    found = kept(matched(written(tmp_path / "a.jsonl", p), Kind.ITM))
    assert found[2] == pytest.approx(np.log(1 / 3))
    np.testing.assert_array_equal(signs(found), signs(np.array(p)))


def test_in_order_against_every_pair():
    rng = np.random.default_rng(0)
    own = rng.choice(np.concatenate([0.7 + np.arange(40) * 2.0**-50, rng.uniform(0, 1, 200)]), (3, 400))
    found = in_order(own, log_odds(own))
    for row, values in zip(own, found, strict=True):
        np.testing.assert_array_equal(signs(values), signs(row))
    np.testing.assert_allclose(found, log_odds(own), rtol=2e-5)


def test_a_table_of_vqascores_is_read_as_probabilities(tmp_path, p):
    """t2v_metrics' VQAScore is P(yes)."""
    np.save(tmp_path / "v.npy", p.astype(np.float32).reshape(N, 1, 1))
    found = matched(tmp_path / "v.npy", Kind.VQA)
    np.testing.assert_allclose(expit(kept(found, "vqa")), p, rtol=1e-5)
    assert "were read as probabilities" in found.guesses[0]
