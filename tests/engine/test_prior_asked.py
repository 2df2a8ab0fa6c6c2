"""A prior that is named is scored, whoever forgets to name its kind."""

import pytest

from backend.engine.runner import run, wanted_kinds
from backend.errors import UsageError
from backend.kinds import Kind
from tests.engine.samples import mixed


def test_a_named_source_asks_for_the_prior():
    assert wanted_kinds(None, {"gen"}, ["noise:1"]) == [Kind.GEN, Kind.PRIOR]
    assert wanted_kinds(None, {"gen"}, []) == [Kind.GEN]
    assert wanted_kinds(["gen"], {"gen"}, ["noise:1"]) == [Kind.GEN]


def test_it_is_stored_beside_what_is_usual_and_refused_where_kinds_are_named_without_it(tmp_path):
    benchmark = mixed(tmp_path / "p", 4)
    found = run("fake:ok", benchmark, None, priors=["noise:1"], root=tmp_path / "cache")
    assert list(found.run_dir.glob("prior*.parquet"))
    assert list(found.run_dir.glob("gen*.parquet"))
    with pytest.raises(UsageError, match="add prior to --kinds"):
        run("fake:ok", benchmark, ["gen"], priors=["noise:1"], root=tmp_path / "cache")
