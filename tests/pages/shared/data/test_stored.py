"""What pages know of the benchmarks: worked out once a generation, made anew with the data, and the caller's own."""

from pathlib import Path

import pytest

from backend.store import queries
from pages.shared.data import stored
from tests.pages import results
from tests.store.writer import write_run


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Hashes of the benchmarks whose models the store was asked for, one a question."""
    found: list[str] = []
    ask = queries.models

    def noted(store: object, benchmark: str) -> object:
        found.append(benchmark)
        return ask(store, benchmark)  # type: ignore[arg-type]

    monkeypatch.setattr(queries, "models", noted)
    return found


@pytest.mark.usefixtures("small")
def test_the_benchmarks_are_worked_out_once_however_often_a_page_asks(asked: list[str]) -> None:
    first = stored.chosen()
    n = len(asked)
    assert n > 0
    bare = stored.unscored()
    for _ in range(3):
        assert stored.chosen() == first
        assert stored.unscored() == bare
    assert len(asked) == n


@pytest.mark.usefixtures("small")
def test_what_a_page_adds_to_its_own_list_is_not_in_the_next_one() -> None:
    mine = stored.chosen()
    mine["also mine"] = next(iter(mine.values()))
    assert "also mine" not in stored.chosen()
    assert set(stored.chosen()) == set(mine) - {"also mine"}


def test_a_run_that_is_new_is_known_at_once(small: Path) -> None:
    before = stored.chosen()
    write_run(small, results.world(80)[:30], "5" * 16, ["itc"], model=results.STRONG, skill=0.0, seed=9, name="other")
    stored.store().refresh()
    after = stored.chosen()
    assert set(after) - set(before) == {"other"}
    assert after["other"].runs == {results.STRONG: "5" * 16}
