import pytest

from backend.benchmarks import REGISTRY, declaration, load_benchmark
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
