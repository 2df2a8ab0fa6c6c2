"""Code of one's own that was written to break things: a sentence each, and no wrong number."""

import sys
import textwrap

import numpy as np
import pytest
import torch

from backend.errors import FlipsideError, UsageError
from backend.evaluation import evaluate
from backend.models import kinds_of, load
from backend.models.own import arrays, identity
from backend.models.own.code import find
from backend.models.own.target import parse
from tests.models.own.conftest import GOOD


def test_very_long_and_very_short_rows_keep_their_direction():
    rows = [[3e200, 4e200], [3e-200, 4e-200], [3.0, 4.0], [3e-320, 4e-320]]
    np.testing.assert_allclose(
        arrays.rows(torch.tensor(rows, dtype=torch.float64), 4, "x"), [[0.6, 0.8]] * 4, rtol=1e-3
    )
    with pytest.raises(FlipsideError, match="only zeros for number 2 of 2"):
        arrays.rows([[1e300, 1.0], [0.0, 0.0]], 2, "x")
    assert np.isnan(arrays.rows([[np.inf, 1.0]], 1, "x")).any()


class Odd:
    def __array__(self, *_, **__):
        raise TypeError("no array")


def _itself():
    found = []
    found.append(found)
    return found


@pytest.mark.parametrize(
    "value",
    [
        torch.ones(2, device="meta"),
        torch.ones(2).to_sparse(),
        torch.ones(2, dtype=torch.complex64).conj(),
        Odd(),
        _itself(),
        np.ma.masked_all(2),
    ],
    ids=["meta", "sparse", "conjugate", "no array", "holds itself", "masked"],
)
def test_what_cannot_be_read_is_a_sentence_with_the_model_s_name(value):
    with pytest.raises(FlipsideError, match=r"^py:m: score gave an? "):
        arrays.one_each(value, 2, "py:m: score")


class Base(BaseException):
    pass


class MuteError(Exception):
    def __str__(self):
        raise RuntimeError("cannot even say it")


@pytest.mark.parametrize("error", [Base("x"), GeneratorExit(), MuteError(), SystemExit("bye")])
def test_any_error_of_score_is_a_sentence(error, colours, flipside_cache):
    class Mine:
        def score(self, images, texts):
            raise error

    with pytest.raises(FlipsideError, match=type(error).__name__):
        evaluate(Mine(), colours)


@pytest.mark.parametrize(
    "member",
    [
        "@property\n    def preprocess(self): raise RuntimeError('from within')",
        "@property\n    def weights_id(self): raise RuntimeError('from within')",
        "def state_dict(self): raise RuntimeError('from within')",
        "def named_parameters(self): raise RuntimeError('from within')",
        "def __getattr__(self, name): raise RuntimeError('from within')",
    ],
)
@pytest.mark.parametrize("as_object", [False, True])
def test_attributes_that_raise_are_a_sentence(member, as_object, written, colours, flipside_cache):
    code = textwrap.dedent(GOOD).replace('weights_id = "colours 1"', member)
    spec = f"{written(code)}:Colours"

    def asked():
        if as_object:
            made = find(parse(spec.removeprefix("py:")))[0]()
            return evaluate(made, colours, kinds="itc", keep=True)
        return load(spec).describe()

    if as_object and "named_parameters" in member:
        asked()  # nobody asks for them
        return
    with pytest.raises(FlipsideError, match="raised RuntimeError: from within"):
        asked()


@pytest.mark.parametrize("line", ["raise Base", "raise GeneratorExit", "import sys; sys.exit(3)"])
def test_any_error_of_a_file_is_a_sentence(line, written):
    code = f"class Base(BaseException): pass\n{line}\nclass Net: pass\n"
    spec = f"{written(code)}:Net"
    for ask in (kinds_of, load):
        with pytest.raises(FlipsideError, match=r"mine\.py, line 2"):
            ask(spec)


def test_a_package_that_cannot_be_imported_does_not_stop_the_search_for_sources(written, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "brokenpackage").mkdir()
    (tmp_path / "brokenpackage" / "__init__.py").write_text("raise RuntimeError('broken')")
    (tmp_path / "brokenpackage" / "part.py").write_text("")
    path = tmp_path / "mine.py"
    path.write_text("try:\n    import brokenpackage.part\nexcept RuntimeError:\n    pass\n")
    package = tmp_path / "brokenpackage"
    assert {*identity.sources(path)} == {path, package / "__init__.py", package / "part.py"}


def test_the_search_for_sources_imports_nothing(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "lazy_neighbour.py").write_text("x = 1")
    path = tmp_path / "mine.py"
    path.write_text("def later():\n    from lazy_neighbour import x\n")
    assert identity.sources(path) == [path, tmp_path / "lazy_neighbour.py"]
    assert "lazy_neighbour" not in sys.modules


def test_a_score_that_is_no_number_names_no_dtype(colours, flipside_cache):
    class Mine:
        def score(self, images, texts):
            return [float("nan")] * len(texts)

    with pytest.raises(FlipsideError, match="no finite number") as said:
        evaluate(Mine(), colours)
    assert "--dtype" not in str(said.value)


def test_a_helper_of_another_folder_is_not_taken_for_the_neighbour(written):
    code = """
        import attacked_helper

        class Net:
            def score(self, images, texts):
                return [attacked_helper.x]
    """
    for name, x in (("one", 1), ("two", 2)):
        written(f"x = {x}", f"{name}/attacked_helper.py")
    first, second = (f"{written(code, f'{name}/mine.py')}:Net" for name in ("one", "two"))
    assert load(first).thing.score([], []) == [1]
    with pytest.raises(UsageError, match=r"imports attacked_helper, which is .*/one/attacked_helper\.py"):
        load(second)
    assert load(first).thing.score([], []) == [1]


def test_a_helper_that_was_edited_is_not_scored_as_if_it_were_imported_anew(written):
    written("x = 1", "edited/edited_helper.py")
    code = """
        import edited_helper

        def bare(images, texts):
            return [edited_helper.x]
    """
    spec = f"{written(code, 'edited/mine.py')}:bare"
    assert load(spec).thing([], []) == [1]
    written("x = 2", "edited/edited_helper.py")
    with pytest.raises(UsageError, match=r"edited_helper\.py was edited after it had been imported"):
        load(spec)
