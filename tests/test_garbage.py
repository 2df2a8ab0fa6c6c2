"""What is imported behind a page is not searched for garbage, neither meanwhile nor from then on."""

import gc
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


def test_a_search_takes_what_has_itself():
    class Ring:
        """Garbage as soon as nobody has it."""

        def __init__(self) -> None:
            self.own = self

    gone = weakref.ref(Ring())
    search()
    assert gone() is None
