"""Other sources beside the Atlas: what differs by how many items, and what the table itself tells of why."""

import pytest

from backend.published.atlas import beside, reading
from backend.published.printed import everything
from tests.published.atlas import made


@pytest.fixture
def real(shared_data):
    path = shared_data / "vl_compo" / "individual_results.csv"
    if not path.is_file():
        pytest.skip("the Atlas' file is not in ../shared/data")
    return reading.read(path)


def test_both_numbers_of_winoground_stand_side_by_side(real):
    found = [o for o in beside.others(real) if o.column.benchmark == "winoground" and "Winoground" in o.source]
    assert [(o.ours, o.value, round(o.items), o.agrees) for o in found] == [
        (31.25, 30.75, 2, False), (11.0, 10.5, 2, False), (8.75, 8.0, 3, False)
    ]  # fmt: skip


def test_clipscores_numbers_are_those_of_its_table(real):
    ours = [o for o in beside.others(real) if o.source == "visualgptscore, Table 4"]
    wanted = ("visualgptscore", "Table 4", "CLIPScore", "Winoground")
    table = {
        n.metric: 100 * n.value for n in everything() if (n.paper, n.table, n.model, n.benchmark) == wanted
    }  # fmt: skip
    assert {o.column.part + "_score": o.value for o in ours} == pytest.approx(table)
    assert all(o.agrees and o.digits == 1 for o in ours)


def test_papers_are_found_by_the_alias_tables(real):
    found = {(real.entries[o.row].arch, o.column.key): o for o in beside.others(real) if o.source.startswith("eqsim")}
    assert found["RN50", "eqben::eqbenag::text"].value == pytest.approx(14.52)
    assert found["ViT-B-32", "eqben::eqbensd::text"].agrees
    assert len(found) == 30


def test_rates_that_are_no_whole_counts_are_found(real, tmp_path):
    (found,) = beside.odd(real)
    assert real.entries[found.row].name == "ViT-B-32 openai"
    assert {column.key.split("::")[1] for column in found.columns} == {"eqbenyoucook2", "eqbenag"}
    assert found.would_be == 5000
    assert beside.odd(reading.read(made.write(tmp_path / "a.csv"))) == ()
    table = made.rows()
    place = table[0].index("winoground::text")
    table[1][place] = "33.333333333333336"  # a third of 400 is no whole count; of 3 it is
    (found,) = beside.odd(reading.read(made.write(tmp_path / "b.csv", table)))
    assert ([column.key for column in found.columns], found.would_be) == (["winoground::text"], 3)


def test_one_computation_under_two_names(real, tmp_path):
    names = [tuple(real.entries[row].name for row in pair) for pair in beside.twins(real)]
    assert ("RN101 openai", "RN101-quickgelu openai") in names
    assert len(names) == 2
    assert beside.twins(reading.read(made.write(tmp_path / "a.csv"))) == ((1, 2),)
