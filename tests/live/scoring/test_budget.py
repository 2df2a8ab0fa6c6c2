"""What live models may hold: the owner's word, or half of the memory that there is."""

from pathlib import Path

import pytest

from backend.errors import UsageError
from backend.live.scoring import budget
from backend.models import load


@pytest.mark.parametrize(("said", "found"), [("500MB", 5 * 10**8), ("4GB", 4 * 10**9), ("1.5 gb", 15 * 10**8)])
def test_the_owner_says_how_much(monkeypatch: pytest.MonkeyPatch, said: str, found: int) -> None:
    monkeypatch.setenv(budget.VARIABLE, said)
    assert budget.budget() == found


@pytest.mark.parametrize("said", ["much", "4", "-1GB", "4 XB", "1e3MB"])
def test_what_is_no_size_is_told(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setenv(budget.VARIABLE, said)
    with pytest.raises(UsageError, match="expected a size such as 500MB or 4GB"):
        budget.budget()


def test_otherwise_half_of_what_there_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(budget.VARIABLE, raising=False)
    monkeypatch.setattr(budget, "_CGROUP", tmp_path / "memory.max")
    machine = budget.total()
    assert 10**8 < machine < 10**14
    for said, most in [("max", machine), (str(2**28), 2**28), (str(2**60), machine)]:
        (tmp_path / "memory.max").write_text(f"{said}\n")
        assert budget.budget() == most // 2


def test_the_weights_of_a_model_count_and_a_server_has_none() -> None:
    model = load("bundled:lm")
    different = {each.data_ptr(): each.nbytes for each in model.module.state_dict().values()}  # some are tied
    assert budget.size_of(model) == sum(different.values()) > 10**5
    assert budget.size_of(load("fake:ok")) == 0
