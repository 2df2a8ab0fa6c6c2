"""The simulated schedule, by cases that one can solve by hand."""

import pytest

from bench.scaling.schedule import Chances, Job, simulate


def test_four_shards_on_two_gpus():
    """Both load for 5 seconds and take two shards of 10."""
    out = simulate([Job("a", 4, 10, 5)], 2)
    assert (out.end, out.busy, out.loading, out.lost, out.held) == (25, 40, 10, 0, 50)
    assert out.done == {"a": 4}
    assert out.used == 0.8


def test_a_gpu_that_is_taken_loses_its_shard_and_loads_again():
    """The first GPU loads until 5, is taken at 12 within its shard, is back at 20, has loaded at 25 and takes a shard
    until 35. The second takes shards until 15, 25 and 35. 40 s of work, 7 s lost, three times loaded."""
    moments = {0: [12.0], 1: []}
    out = simulate([Job("a", 4, 10, 5)], 2, Chances(back=8), taking=lambda gpu: iter(moments[gpu]))
    assert (out.end, out.busy, out.loading, out.lost, out.taken) == (35, 40, 15, 7, 1)
    assert out.held == 12 + 15 + 35


def test_the_last_gpu_is_taken_and_an_idle_one_takes_over():
    """One shard each; the second GPU would end at 25, is taken at 24, and the first, idle since 15, loads the second
    model until 29 and ends at 49. Back at 34, the second finds nothing to do."""
    moments = {0: [], 1: [24.0]}
    jobs = [Job("b", 1, 20, 5), Job("a", 1, 10, 5)]
    out = simulate(jobs, 2, Chances(back=10), taking=lambda gpu: iter(moments[1 - gpu]))
    assert (out.end, out.lost, out.done) == (49, 19, {"a": 1, "b": 1})


def test_one_gpu_a_model_waits_for_the_longest():
    """Three models of 4, 2 and 2 shards on two GPUs: shared, the second GPU joins the first model when that pays."""
    jobs = [Job("long", 8, 10, 1), Job("short", 2, 10, 1)]
    apart, shared = simulate(jobs, 2, share=False), simulate(jobs, 2)
    assert (apart.end, shared.end) == (81, 52)
    assert apart.busy == shared.busy == 100


def test_a_model_is_not_loaded_for_less_work_than_loading_takes():
    """While one GPU does the two shards that are left, another one would load for longer than it could help."""
    out = simulate([Job("a", 3, 10, 100)], 3)
    assert (out.end, out.loading) == (130, 100)


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_lost_nor_done_twice(seed):
    """Whatever is taken away, each shard is committed once, and the seconds of the GPUs add up."""
    jobs = [Job(f"m{n}", 5 + n, 40 + 10 * n, 20) for n in range(6)]
    out = simulate(jobs, 4, Chances(spread=0.3, slow=0.3, slowness=2, taken=20, back=60), seed)
    assert out.done == {job.name: job.shards for job in jobs}
    assert out.taken > 0
    assert out.lost > 0
    assert out.busy + out.loading + out.lost <= out.held <= 4 * out.end


def test_the_same_seed_gives_the_same_schedule():
    chances = Chances(spread=0.2, slow=0.2, slowness=1.5, taken=3, back=30)
    first, again, other = (simulate([Job("a", 60, 9, 5)], 3, chances, seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
