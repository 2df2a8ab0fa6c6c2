"""What is imported behind a page is not searched for garbage, neither meanwhile nor from then on."""

import gc
import subprocess
import sys
import weakref

import pytest

from backend.garbage import importing, search


def test_python_looks_for_garbage_by_itself_again_once_the_last_one_has_imported():
    assert gc.isenabled()
    with importing():
        with importing():
            assert not gc.isenabled()
        assert not gc.isenabled(), "the other thread still imports"
    assert gc.isenabled()
    with pytest.raises(ImportError), importing():
        raise ImportError
    assert gc.isenabled()


def test_where_it_was_off_it_stays_off():
    gc.disable()
    try:
        with importing():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_is_there_at_the_end_is_out_of_the_search():
    before = gc.get_freeze_count()
    with importing():
        made = [[] for _ in range(5000)]
    assert gc.get_freeze_count() - before >= len(made)


#: A dozen threads take memory at once; how many places the C library then takes it from.
THREADS = """
import ctypes, sys, threading
from pathlib import Path
from backend import garbage
if sys.argv[1] == "few":
    garbage.few_arenas()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
all_there = threading.Barrier(12)
def take():
    all_there.wait()
    libc.malloc(1000)
    all_there.wait()
threads = [threading.Thread(target=take) for _ in range(12)]
[each.start() for each in threads]
[each.join() for each in threads]
libc.fopen.restype = ctypes.c_void_p
out = ctypes.c_void_p(libc.fopen(sys.argv[2].encode(), b"w"))
libc.malloc_info(0, out)
libc.fclose(out)
print(Path(sys.argv[2]).read_text().count("<heap nr="))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the C library elsewhere has none")
def test_threads_share_few_places_to_take_memory_from(tmp_path):
    def places(how: str) -> int:
        told = [sys.executable, "-c", THREADS, how, str(tmp_path / how)]
        return int(subprocess.run(told, capture_output=True, text=True, check=True).stdout)

    assert places("few") <= 2 < places("many")


def test_a_search_takes_what_has_itself():
    class Ring:
        """Garbage as soon as nobody has it."""

        def __init__(self) -> None:
            self.own = self

    gone = weakref.ref(Ring())
    search()
    assert gone() is None
