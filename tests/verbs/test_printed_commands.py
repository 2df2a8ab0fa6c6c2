"""Commands that a verb prints are pasted into a shell: what a stranger named stays one word in them."""

import re
import shlex

import pytest

from backend.benchmarks import typed
from tests.store import writer

#: What a bundle may call its model, and a folder of one's own its benchmark.
NAMES = ("bundled:clip; rm -rf ~", "predictions:my sys (a)", "py:$(touch x)`y`", "a'b\"c")


def words_after(said, verb):
    """The words of the command that names this verb, as a shell would read them."""
    (line,) = re.findall(rf"flipside (?:{verb}) .*", said)
    return shlex.split(line)


@pytest.mark.parametrize("name", NAMES)
def test_compare_and_runs_quote_a_model_of_any_name(flipside, flipside_cache, name):
    """Failed before: the command of `compare` held `; rm -rf ~` as it was, and no --run."""
    items = writer.items()
    writer.write_run(flipside_cache, items, "1" * 16, ["itc"], model="fake:ok", name="small (v2)")
    writer.write_run(flipside_cache, items, "2" * 16, ["itc"], model=name, name="small (v2)", skill=-9.0)
    done = flipside("compare", name, "fake:ok", "--benchmark", "small (v2)", "--metric", "accuracy")
    assert done.code == 0, done.err
    if "to see why" in done.out:
        words = words_after(done.out, "report")
        assert words[words.index("--model") + 1] == name
        assert words[words.index("--benchmark") + 1] == "small (v2)"
        assert words[words.index("--run") + 1] == "2" * 16
    shown = flipside("runs", "2" * 16)
    assert shown.code == 0, shown.err
    words = words_after(shown.out, "report|run")
    assert name in words
    assert "small (v2)" in words


def test_a_benchmark_that_is_suggested_is_quoted():
    assert shlex.split(typed.words("custom:mine; rm -rf ~")) == ["custom:mine; rm -rf ~"]
