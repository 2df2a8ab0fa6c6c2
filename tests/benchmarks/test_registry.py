import pytest

from backend.benchmarks import REGISTRY, declaration, load_benchmark, recognise
from backend.errors import UsageError


@pytest.mark.parametrize("name", REGISTRY)
def test_a_declaration_is_complete(name):
    known = declaration(name)
    assert known.name == name
    for field in ("title", "source", "revision", "licence", "citation"):
        assert getattr(known, field).strip(), field
    assert known.protocols
    assert set(known.files) <= set(known.protocols)
    assert set(known.expected) <= set(known.protocols)


def test_a_wrong_name_gets_near_matches():
    with pytest.raises(
        UsageError, match=r"unknown benchmark 'vilsa'\. Did you mean visla or valse\? Available: world, visla, "
    ):
        load_benchmark("vilsa")


def test_a_written_edition_of_the_world_is_recognised_as_what_it_is(flipside, tmp_path):
    assert flipside("world", "--items", 8, "--out", tmp_path / "edition", "--json").code == 0
    assert recognise(tmp_path / "edition") == ["world"]
    (tmp_path / "empty").mkdir()
    assert recognise(tmp_path / "empty") == []
