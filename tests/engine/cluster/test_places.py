import pytest

from backend.engine.cluster.places import Need, Node, first_place, places, wants_gpu
from backend.errors import FlipsideError, UsageError

GB = 1 << 30


def test_one_process_a_gpu_and_the_processors_are_shared_out():
    found = places([Node("a", 16, 4, 200 * GB, "A100", 80 * GB), Node("b", 8, 8, 200 * GB, "A100", 80 * GB)],
                   Need(6 * GB, 15 * GB))  # fmt: skip
    assert found.on == {"a": 4, "b": 8}
    assert found.asked() == {"num_cpus": 1, "num_gpus": 1, "memory": int(7.5 * GB)}


def test_a_model_goes_only_where_the_gpu_is_large_enough():
    nodes = [Node("small", 8, 2, 64 * GB, "T4", 16 * GB), Node("large", 8, 2, 64 * GB, "A100", 80 * GB)]
    found = places(nodes, Need(4 * GB, 20 * GB))
    assert found.on == {"large": 2}
    assert found.asked()["label_selector"] == {"ray.io/accelerator-type": "in(A100)"}
    assert places(nodes, Need(4 * GB, 4 * GB)).n == 4


def test_memory_bounds_the_processes_of_a_machine():
    assert places([Node("a", 64, 0, 20 * GB), Node("b", 64, 0, 200 * GB)], Need(8 * GB)).on == {"a": 2, "b": 16}


@pytest.mark.parametrize(
    ("nodes", "need", "says"),
    [
        ([Node("a", 8, 0, 4 * GB)], Need(8 * GB), r"takes 10.0 GB; .* offers 4.0 GB"),
        ([Node("a", 8, 1, 64 * GB, "T4", 16 * GB)], Need(GB, 15 * GB), r"15.0 GB of a GPU's memory; .* has 16.0 GB"),
        ([], Need(GB), "offers 0 MB"),
    ],
)
def test_what_fits_nowhere_is_said_with_both_sizes(nodes, need, says):
    with pytest.raises(FlipsideError, match=says):
        places(nodes, need)


def test_a_device_that_a_cluster_cannot_give_is_refused():
    gpus, none = [Node("a", 4, 2, GB)], [Node("b", 4, 0, GB)]
    assert wants_gpu("auto", gpus)
    assert wants_gpu("cuda", gpus)
    assert not wants_gpu("cpu", gpus)
    assert not wants_gpu("auto", none)
    with pytest.raises(UsageError, match="no machine of the cluster has a GPU"):
        wants_gpu("cuda", none)
    with pytest.raises(UsageError, match="a GPU of its own"):
        wants_gpu("cuda:1", gpus)


def test_a_model_is_looked_at_where_there_is_most_room():
    nodes = [
        Node("head", 0, 0, GB),
        Node("small", 4, 1, 8 * GB, "T4", 16 * GB),
        Node("large", 4, 1, 4 * GB, "X", 80 * GB),
    ]
    assert first_place(nodes, gpu=True).id == "large"
    assert first_place(nodes, gpu=False).id == "small"
    with pytest.raises(FlipsideError, match="no machine of the cluster offers a processor"):
        first_place(nodes[:1], gpu=False)
