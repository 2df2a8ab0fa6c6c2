import builtins
import threading

import pytest

from backend.engine.cluster import connection
from backend.errors import FlipsideError


def test_without_the_package_the_command_that_installs_it_is_said(monkeypatch):
    original = builtins.__import__

    def without(name, *rest, **more):
        if name.partition(".")[0] == "ray":
            raise ImportError("No module named 'ray'")
        return original(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(FlipsideError, match=r"pip install 'flipside\[ray\] @ file:"):
        connection.ray()


def test_nothing_is_connected_without_an_address():
    with connection.on_cluster(None) as cluster:
        assert cluster is None


def test_what_other_threads_print_is_no_part_of_the_answer(capsys):
    with connection._its_words_to_stderr():
        other = threading.Thread(target=print, args=("(raylet) a worker died",))
        other.start()
        other.join()
        print('{"scores": 3}')  # noqa: T201 - it is printing that is tested
    assert capsys.readouterr() == ('{"scores": 3}\n', "(raylet) a worker died\n")
    print("afterwards")  # noqa: T201
    assert capsys.readouterr().out == "afterwards\n"
