"""Options of report that would change nothing."""

import pytest

ARGS = ("report", "--model", "bundled:clip", "--benchmark", "world", "--kind", "itc")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--by", "nonsense"), "--by nonsense: no item here has this tag. There is: subset, concept"),
        (("--published-as", "LaBSE"), "It is printed for VISLA-Generic"),
    ],
)
@pytest.mark.usefixtures("shipped_imported")
def test_they_are_wrong_use(flipside, more, said):
    answer = flipside(*ARGS, *more)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


@pytest.mark.slow
@pytest.mark.usefixtures("shipped_imported")
def test_a_tag_that_is_there_groups(flipside):
    assert flipside(*ARGS, "--by", "split", "--json").json["by"]
