"""The simulated `study --ray`, by cases that one can solve by hand."""

import pytest

from bench.scaling.machines import Chances
from bench.scaling.pool import Cell, Driver, Outcome
from bench.scaling.schedule import divided, side_by_side, study

FOUR = Cell("a", 4, 10, 5)


def held_together(out: Outcome) -> bool:
    """Whether what the GPUs were at is no more than what they were held for."""
    return out.busy + out.loading + out.waiting + out.lost <= out.held + 1e-6


def test_a_cell_is_looked_at_on_one_gpu_then_loaded_on_each():
    """Until 5 one GPU loads and the other waits, until 8 both wait for the plan, until 13 both load, then each scores
    two windows."""
    out = study([FOUR], 1, 2, driver=Driver(before=3))
    assert (out.end, out.busy, out.loading, out.waiting, out.lost, out.held) == (33, 40, 15, 11, 0, 66)
    assert (out.loads, out.done) == (3, {"a": 4})


def test_each_cell_loads_its_model_anew():
    """Two models on 3 GPUs, one of two windows, which has two processes only: 1 + 3 and 1 + 2 loads. They end one after
    the other; of the second one the process that is there first holds both windows."""
    out = study([Cell("a", 6, 10, 5), Cell("b", 2, 10, 5)], 3, 1)
    assert out.loads == 7
    assert out.end == (5 + 5 + 20) + (5 + 5 + 20)


def test_one_process_takes_what_all_others_score():
    """Two windows come at 20, two at 30; taking one takes 6 s: until 26, 32, 38, 44. For the last 14 s both wait."""
    out = study([Cell("a", 4, 10, 5, rows=2)], 1, 2, driver=Driver(row=3))
    assert (out.end, out.waiting) == (44, 5 + 2 * 14)


def test_a_slow_process_keeps_the_window_that_waits_there():
    """Of four windows each process holds two from the start: the one that takes thrice as long ends at 10 + 60, though
    the other one has nothing to do from 30 on."""
    draws = (study([FOUR], 1, 2, Chances(slow=0.5, slowness=3), seed) for seed in range(20))
    assert {out.end for out in draws} == {30, 70}


def test_a_machine_that_is_taken_gives_its_windows_to_others():
    """The second machine is taken at 25, within its second window; the first one ends its own at 30 and scores that one
    until 40. The second is back at 33 and would have loaded at 38: its windows are gone by then, so nothing is left."""
    moments = {0: [], 1: [25.0]}
    out = study([FOUR], 2, 1, Chances(back=8), taking=lambda machine: iter(moments[machine]))
    assert (out.end, out.busy, out.lost, out.taken, out.loads) == (40, 40, 5, 1, 4)
    assert out.held == 40 + 25 + (40 - 33)


def test_a_study_whose_own_machine_is_taken_goes_on_from_the_last_commit():
    """Two windows of 20,000 rows come at 20 and are committed, two more are half done when the driver's machine is
    taken at 25. It is back at 30, looks until 35, loads until 40; the process that is first has both, until 60."""
    moments = {0: [25.0], 1: []}
    cell = Cell("a", 4, 10, 5, rows=20_000)
    out = study([cell], 2, 1, Chances(back=5), taking=lambda machine: iter(moments[machine]))
    assert (out.end, out.lost, out.taken, out.loads) == (60, 10, 1, 6)
    few = study([FOUR], 2, 1, Chances(back=5), taking=lambda machine: iter(moments[machine]))
    assert (few.end, few.lost, few.done) == (60, 30, {"a": 4})  # nothing was due to be committed


def test_a_study_whose_own_machine_is_taken_while_it_looks_begins_anew():
    out = study([FOUR], 1, 1, Chances(back=8), taking=lambda _: iter([2.0]))
    assert (out.end, out.loads, out.loading, out.lost) == (2 + 8 + 5 + 5 + 40, 3, 2 + 5 + 5, 0)


def test_studies_side_by_side_end_with_the_last_and_hold_what_each_holds():
    cells = [Cell("a", 4, 10, 5), Cell("b", 2, 10, 5)]
    both, first, second = side_by_side([[cells[0]], [cells[1]]], 1, 1), study(cells[:1], 1, 1), study(cells[1:], 1, 1)
    assert (both.end, both.held) == (max(first.end, second.end), first.held + second.held)
    assert (both.loads, both.done) == (4, {"a": 4, "b": 2})


def test_models_are_divided_the_longest_first():
    cells = [Cell(name, windows, 10, 1) for name, windows in (("a", 3), ("b", 9), ("c", 4), ("d", 2))]
    parts = divided(cells, 2, 1, Driver())
    assert [[cell.name for cell in part] for part in parts] == [["b"], ["c", "a", "d"]]


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_lost_nor_done_twice(seed):
    """Whatever is taken away, each window is committed once, and the seconds of the GPUs add up."""
    cells = [Cell(f"m{n}", 25 + n, 40 + 10 * n, 20, 4096) for n in range(6)]
    out = study(cells, 3, 2, Chances(0.3, 0.3, 2, taken=9, back=60), seed, driver=Driver(9, 1e-3))
    assert out.done == {cell.name: cell.windows for cell in cells}
    assert out.taken > 0
    assert out.lost > 0
    assert held_together(out)
    assert out.held <= 6 * out.end


def test_the_same_seed_gives_the_same_schedule():
    chances = Chances(spread=0.2, slow=0.2, slowness=1.5, taken=3, back=30)
    first, again, other = (study([Cell("a", 60, 9, 5)], 3, 1, chances, seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
