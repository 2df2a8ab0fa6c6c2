"""Grouping of runs: near-identical ones alone are grouped, and none is lost."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.runs.history import groups, listing, matrix
from pages.runs.history.groups import Run

RUN = Run("r0", "bundled:clip", "b" * 16, "world", "", ("itc", "t2t"), ("images:20",), ("computed", ""), ("",) * 5, 100,
          True, "2026-01-01T10:00:00+00:00")  # fmt: skip
EDIT = replace(RUN, run_id="e0", benchmark="e" * 16, name="world~typos", edition_of="b" * 16)
PARENTS = {"b" * 16: "world", "e" * 16: "world~typos"}

#: What may differ inside of a group, and what may not.
SAME = {"run_id": "other", "priors": ("noise:3",), "stamp": "2026-02-02T10:00:00+00:00", "complete": False,
        "n_items": 90}  # fmt: skip
APART = {"model": "bundled:matcher", "kinds": ("itc",), "benchmark": "c" * 16, "origin": ("imported", "gpu.zip"),
         "picks": ("", "50", "", "", "")}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_what_is_near_identical_is_grouped(name: str) -> None:
    other = replace(RUN, **{"run_id": "other"} | {name: SAME[name]})  # type: ignore[arg-type]
    assert [len(group.runs) for group in groups.grouped([RUN, other])] == [2]


@pytest.mark.parametrize("name", APART)
def test_what_differs_in_more_stands_apart(name: str) -> None:
    other = replace(RUN, **{"run_id": "other", name: APART[name]})  # type: ignore[arg-type]
    assert len(groups.grouped([RUN, other])) == 2


def test_edits_of_one_benchmark_are_one_row_apart_from_it() -> None:
    edits = [
        replace(EDIT, run_id=f"e{n}", benchmark=f"{n:016x}", name=f"world~typos@{n}", n_items=200 - n)
        for n in range(14)
    ]
    found = groups.grouped([RUN, *edits])
    assert sorted(len(group.runs) for group in found) == [1, 14]
    (several,) = [group for group in found if len(group.runs) > 1]
    assert several.title(PARENTS) == "14 edits of world"
    assert several.items() == "187 to 200"
    other = replace(edits[0], run_id="x", benchmark="f" * 16, edition_of="a" * 16, name="visla~typos")
    assert len(groups.grouped([*edits, other])) == 2  # another benchmark's
    unknown = replace(edits[1], run_id="y", edition_of="")
    assert len(groups.grouped([*edits, unknown])) == 2  # a name alone makes no edit


def test_one_count_of_edits_stands_in_head_column_cell_and_row() -> None:
    """14 edits in the head (by content), 12 over the column and in the row (by name), 13 runs in the cell."""
    edits = [
        replace(EDIT, run_id=f"e{n}", benchmark=f"{n:016x}", name=f"world~typos@{min(n, 11)}") for n in range(14)
    ]  # the last three have one name
    again = replace(edits[0], run_id="again", picks=("", "50", "", "", ""))
    other = [replace(each, run_id=f"m{n}", model="bundled:matcher") for n, each in enumerate(edits[:12])]
    runs = [RUN, *edits, again, *other]
    assert "on 1 benchmark and 14 edits of it;" in groups.seen(runs)
    (column,) = [each for each in groups.columns(runs, PARENTS) if each.is_edits]
    cells = groups.cells(runs)
    assert matrix.how_many(cells[EDIT.model, column.key], column) == "all 14 edits in 15 runs"
    assert matrix.how_many(cells["bundled:matcher", column.key], column) == "12 of 14 edits"
    assert "(14 edits): 15 runs" in matrix.facts(cells[EDIT.model, column.key], "clip", column, has_newest=False)
    html = str(matrix.html(runs, PARENTS, {"b" * 16: 100}, ""))
    assert "<small>14 edits</small></th>" in html
    assert {group.title(PARENTS) for group in groups.grouped(runs) if len(group.runs) > 1} == {
        "14 edits of world", "12 edits of world",
    }  # fmt: skip
    said = dict.fromkeys([run.run_id for run in runs], "all")
    listed = str(listing.html(groups.grouped(runs), PARENTS, said, said, ""))
    assert "14 edits of world</button>" in listed, "as many runs as edits are no second count"


def test_of_one_benchmark_runs_are_counted_and_edits_are_not() -> None:
    twice = [RUN, replace(RUN, run_id="r1")]
    (column,) = groups.columns(twice, PARENTS)
    assert (matrix.how_many(twice, column), matrix.how_many([RUN], column)) == ("2 runs", "")
    assert "<small>2 runs</small></button>" in str(
        listing.html(groups.grouped(twice), PARENTS, {"r0": "all", "r1": "all"}, {"r0": "x", "r1": "x"}, "")
    )


def test_a_group_says_how_many_are_in_part() -> None:
    (group,) = groups.grouped([RUN, replace(RUN, run_id="r1", complete=False)])
    assert group.in_part == 1
    html = str(listing.html([group], PARENTS, {"r0": "all", "r1": "all"}, {"r0": "x", "r1": "x"}, ""))
    assert "◐ 1 in part" in html
    assert html.count("✓ complete") == 1


def drawn(number: int, said: tuple[int, ...]) -> Run:
    model, of, edit, kinds, picks, complete, stamp = said
    return Run(
        f"run{number}", f"m{model}", f"{of}{edit}" + "0" * 14, f"b{of}" + (f"~e{edit}" if edit else ""),
        f"{of}0" + "0" * 14 if edit else "", ("itc", "itm")[: kinds + 1], (), ("computed", ""),
        (str(picks), "", "", "", ""), 10 + number, bool(complete), f"2026-01-0{stamp + 1}T10:00:00+00:00",
    )  # fmt: skip


@given(st.lists(st.tuples(*(st.integers(0, n) for n in (2, 2, 3, 1, 1, 1, 5))), max_size=40))
def test_nothing_is_lost_and_nothing_is_there_twice(drawing: list[tuple[int, ...]]) -> None:
    runs = [drawn(number, said) for number, said in enumerate(drawing)]
    found = groups.grouped(runs)
    assert sorted(run.run_id for group in found for run in group.runs) == sorted(run.run_id for run in runs)
    for group in found:
        assert len({(run.model, run.kinds, run.picks, run.origin, run.column) for run in group.runs}) == 1
        assert [run.stamp for run in group.runs] == sorted((run.stamp for run in group.runs), reverse=True)
    cells = groups.cells(runs)
    assert sorted(run.run_id for each in cells.values() for run in each) == sorted(run.run_id for run in runs)
    keys = [column.key for column in groups.columns(runs, {})]
    assert len(set(keys)) == len(keys)
    assert set(keys) == {column for _, column in cells}


def test_the_line_of_what_is_seen_counts_what_is_there() -> None:
    assert groups.seen([RUN]) == "1 run: 1 model on 1 benchmark; all complete"
    edits = [replace(EDIT, run_id=f"e{n}", benchmark=f"{n:016x}") for n in range(3)]
    assert groups.seen([RUN, *edits]) == "4 runs: 1 model on 1 benchmark and 3 edits of it; all complete"
    part = replace(RUN, run_id="r1", model="m", benchmark="c" * 16, complete=False)
    assert groups.seen([RUN, part, *edits]) == "5 runs: 2 models on 2 benchmarks and 3 edits of world; 1 in part"
    own = [*edits, replace(EDIT, run_id="o", benchmark="d" * 16, edition_of=part.benchmark)]
    assert groups.seen([RUN, part, *own]) == "6 runs: 2 models on 2 benchmarks and 4 edits of them; 1 in part"
    third = replace(RUN, run_id="t", benchmark="e" * 16)
    assert "3 benchmarks and 4 edits of 2 benchmarks;" in groups.seen([RUN, part, third, *own])
    assert groups.seen([RUN, part], 2) == "2 runs: 2 models on 2 benchmarks; 1 in part, 2 jobs are not over"
    assert groups.seen([RUN], 0, 1) == "1 run: 1 model on 1 benchmark; 1 job ended unfinished", "it is not all complete"
    assert groups.seen([RUN, part], 1, 2).endswith("; 1 in part, 1 job is not over, 2 jobs ended unfinished")
    assert groups.seen([RUN], 1) == "1 run: 1 model on 1 benchmark; 1 job is not over"
    assert groups.seen(edits[:1]) == "1 run: 1 model on 1 edit; all complete"


def test_the_matrix_marks_the_newest_and_what_is_in_part() -> None:
    old = replace(RUN, run_id="old", model="bundled:matcher", stamp="2025-01-01T10:00:00+00:00", complete=False)
    html = str(matrix.html([RUN, old, EDIT], PARENTS, {"b" * 16: 100}, "old"))
    assert html.count("runs-newest") == 1
    assert html.count("runs-part") == 1
    assert "◐ in part" in html
    assert html.count("runs-picked") == 1
    assert html.count('class="runs-none"') == 1  # the matcher has no edits
    assert "world, edited" in html
    assert matrix.facts([old], "matcher", groups.columns([old], PARENTS)[0], has_newest=False) == (
        "matcher on world: 1 run, itc, t2t; 100 items with a verdict; in part; latest: 1 Jan 2025, 10:00 UTC"
    )


def test_a_cell_whose_runs_are_all_of_some_items_says_of_how_many() -> None:
    """A cell of 40 items of 100 looked like one of all of them."""
    one = replace(RUN, run_id="p", model="predictions:p", n_items=40)
    parts = {"p": "40 of the 100 quads"}
    html = str(matrix.html([RUN, one], PARENTS, {"b" * 16: 100}, "", parts=parts))
    assert html.count("◔ 40 items") == 1
    assert "40 items with a verdict (40 of the 100 quads); complete" in html
    again = replace(one, run_id="q", n_items=100)  # of all
    assert "◔" not in str(matrix.html([RUN, one, again], PARENTS, {"b" * 16: 100}, "", parts=parts))


def test_priors_and_seeds_of_a_group_are_said_in_words() -> None:
    said = {"r0": "50 at random (seed 0)", "r1": "50 at random (seed 3)"}
    found = groups.grouped([RUN, replace(RUN, run_id="r1", priors=("noise:3",))])
    html = str(listing.html(found, PARENTS, said, {"r0": "x", "r1": "x"}, ""))
    assert "and 1 other seed; prior from " in html
    assert "20 sampled images" in html
    assert "3 noise images" in html
    assert "images:20" not in html


def test_names_are_text() -> None:
    bad = '<img src=x onerror="alert(1)"> **b**'
    hostile = replace(RUN, model=bad, name=bad, kinds=("itc",))
    edits = [replace(hostile, run_id=f"h{n}", benchmark=f"{n:016x}", edition_of="b" * 16) for n in range(2)]
    runs = [hostile, *edits]
    known = {run.run_id: bad for run in runs}
    for html in (
        matrix.html(runs, {"b" * 16: bad}, {}, "r0"),
        listing.html(groups.grouped(runs), {"b" * 16: bad}, known, known, "r0"),
    ):
        assert "<img" not in html
        assert "&lt;img" in html
        assert 'onerror="alert' not in html


def test_every_pair_of_kinds_and_picks_is_its_own_group() -> None:
    runs = [
        replace(RUN, run_id=f"{kinds}{picks}", kinds=kinds, picks=(picks, "", "", "", ""))
        for kinds, picks in product((("itc",), ("itm",)), ("", "20", "50"))
    ]  # fmt: skip
    assert len(groups.grouped(runs)) == len(runs)


def test_an_empty_cell_offers_what_can_be_scored_alone() -> None:
    runs = [RUN, replace(RUN, run_id="x", model="predictions:other", benchmark="c" * 16, name="visla"), EDIT]
    html = str(matrix.html(runs, PARENTS | {"c" * 16: "visla"}, {}, "", ({"bundled:clip"}, {"c" * 16: "visla"})))
    assert html.count("runs-missing") == 1
    assert 'data-run="+bundled:clip\nvisla"' in html
    assert "Score clip on visla" in html


def test_a_very_long_name_stands_without_its_middle_and_in_full_where_it_is_pointed_at() -> None:
    """Failed before: the name took ten lines of the matrix, and widened the list by itself."""
    name = "a-model-of-a-very-long-name-" * 6
    model = f"hf:owner/{name}"
    one = replace(RUN, model=model)
    table = matrix.html([one], PARENTS, {}, "")
    assert f'title="{model}"' in table
    rows = listing.html(groups.grouped([one]), PARENTS, {"r0": "all"}, {"r0": "here"}, "")
    assert f'title="{model}"' in rows
    for said in (table, rows):
        assert f"{name[:16]}" in said
        assert f">{name}" not in said
        assert "…" in said
