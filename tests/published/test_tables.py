"""The printed tables: complete, unaltered, read as fractions, each odd number with its caveat."""

import csv
import hashlib
import json
import subprocess
import sys

import pytest

from backend import published
from backend.published import printed
from tests.conftest import ROOT

ROWS = {"visla": 600, "eqsim": 968, "svlc": 216, "visualgptscore": 348, "brittleness": 0}
SHARED = ROOT.parent / "shared" / "published"


def one(paper, table, model, benchmark, metric, subset=None):
    found = [
        number
        for number in published.table(paper)
        if (number.table, number.model, number.benchmark, number.metric) == (table, model, benchmark, metric)
        and subset in (None, number.subset)
    ]
    assert len(found) == 1
    return found[0]


def names(number):
    return {caveat.name for caveat in number.caveats}


@pytest.mark.parametrize("paper", ROWS)
def test_every_row_is_there_once(paper):
    numbers = published.table(paper)
    assert len(numbers) == ROWS[paper]
    assert {number.paper for number in numbers} <= {paper}
    keys = {(n.table, n.model, n.benchmark, n.subset, n.metric) for n in numbers}
    assert len(keys) == ROWS[paper]
    assert [number.row for number in numbers] == list(range(2, ROWS[paper] + 2))


@pytest.mark.parametrize("paper", ROWS)
def test_the_tables_are_unaltered_copies(paper):
    if not SHARED.is_dir():
        pytest.skip("no transcribed tables: ../shared/published is not beside this checkout")
    ours = printed.FOLDER / "tables" / f"{paper}.csv"
    assert hashlib.sha256(ours.read_bytes()).digest() == hashlib.sha256((SHARED / f"{paper}.csv").read_bytes()).digest()


def test_values_are_the_printed_ones_as_fractions():
    for paper in ROWS:
        with (printed.FOLDER / "tables" / f"{paper}.csv").open(newline="") as file:
            for row, number in zip(csv.DictReader(file), published.table(paper), strict=True):
                scale = 100 if row["unit"] == "percent" else 1
                assert number.value * scale == pytest.approx(float(row["value"]), abs=1e-12)
                # Differences of svlc may be negative; anything else that is a share lies in [0, 1].
                if row["unit"] == "percent" and "delta" not in row["metric"]:
                    assert 0 <= number.value <= 1, row


def test_half_a_printed_digit_may_differ():
    assert one("visla", "Table 2", "All-MiniLM-L6-v2", "VISLA-Generic", "t2t_accuracy").allow == 0.00005
    assert one("visualgptscore", "Table 3(b)", "ITMScore", "Winoground", "image_score").allow == 0.0005


@pytest.mark.parametrize(
    ("cell", "caveat", "allow"),
    [
        (("eqsim", "Table 3", "FIBER", "EqBen", "mean_score"), "eqsim-avg-fiber", 0.0139),
        (("eqsim", "Table 11", "METER + EqSim", "EqBen", "mean_score"), "eqsim-avg-meter", 0.0027),
        (("eqsim", "Table 11", "BLIP2", "EqBen", "mean_score"), "eqsim-avg-blip2", 0.008),
        (("eqsim", "Table 6", "FIBER + FT (F30K)", "Winoground", "group_score"), "eqsim-winoground-fiber-ft", 0.0076),
        (("eqsim", "Table 10", "FIBER + FT (F30K)", "EqBen", "group_score", "Eq-SD"), "eqsim-sd-fiber-ft", 0.0132),
        (("eqsim", "Table 2", "METER", "Winoground", "text_score"), "eqsim-winoground-truncated", 0.0001),
        (("eqsim", "Table 2", "METER", "VALSE", "accuracy"), "eqsim-valse-items", 0.00005),
        (("svlc", "Table 3", "Ours RB Neg", "ELEVATER", "accuracy"), "svlc-rb-neg", 0.0034),
        (("svlc", "Table 2", "CLIP", "ELEVATER", "accuracy"), "svlc-backbone", 0.00005),
        (("visla", "Table 8", "RN101", "VISLA-Generic", "t2t_accuracy"), "visla-rounding", 0.0001),
        (("visla", "Table 8", "RN50", "VISLA-Generic", "p1_n_accuracy"), "visla-task-inferred", 0.00005),
        (("visla", "Table 4", "SegCLIP", "VISLA-Generic", "t2t_accuracy"), "visla-not-a-multiple", 0.00005),
    ],
)
def test_odd_numbers_carry_their_caveat(cell, caveat, allow):
    number = one(*cell)
    assert caveat in names(number)
    assert number.allow == pytest.approx(allow, abs=1e-12)


def test_other_numbers_carry_none():
    assert one("visla", "Table 2", "All-MiniLM-L6-v2", "VISLA-Generic", "t2t_accuracy").caveats == ()
    assert one("visla", "Table 8", "RN50", "VISLA-Generic", "i2t_accuracy").caveats == ()
    assert one("eqsim", "Table 3", "FLAVA", "EqBen", "text_score", "Eq-SD").caveats == ()


def test_every_inconsistency_selects_something():
    entries = json.loads((printed.FOLDER / "inconsistencies.json").read_text(encoding="utf-8"))
    carried = {caveat.name for number in published.everything() for caveat in number.caveats}
    assert {entry["name"] for entry in entries} == carried
    assert len({entry["name"] for entry in entries}) == len(entries)


def test_as_many_odd_numbers_as_the_transcribers_counted():
    def count(name):
        return sum(name in names(number) for number in published.everything())

    assert count("visla-not-a-multiple") == 15
    assert count("visla-task-inferred") == 34 * 2 * 2
    assert count("eqsim-double-dagger") == 8 * 16
    assert count("visualgptscore-eqben-140") == 9 * 3
    # 13 cells are printed with two values: each of them in all its tables.
    rounded = [n for n in published.table("visla") if "visla-rounding" in names(n)]
    assert len(rounded) == 4 + 12 * 2


def test_rounded_cells_are_those_that_tables_print_differently():
    """Recomputed from the tables: the same model under its spellings, the same column, another value."""
    cells = {}
    for number in published.table("visla"):
        if number.table not in ("Table 3", "Table 5") and number.metric in ("t2t_accuracy", "i2t_accuracy"):
            spelled = number.model.lower().replace("/", "-").replace("xvlm-itr-", "xvlm-16m-")
            cells.setdefault((spelled, number.benchmark, number.metric), []).append(number)
    apart = [numbers for numbers in cells.values() if len({number.value for number in numbers}) > 1]
    assert len(apart) == 13
    assert {n.row for numbers in apart for n in numbers} == {
        n.row for n in published.table("visla") if "visla-rounding" in names(n)
    }
    for numbers in apart:
        assert max(n.value for n in numbers) - min(n.value for n in numbers) <= 0.0001 + 1e-12


def test_no_heavy_library_is_loaded():
    code = (
        "import sys, backend.published as p; p.search('visla'); "
        "print([m for m in ('torch', 'streamlit', 'duckdb', 'pandas', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
