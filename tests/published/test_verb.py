"""`flipside published`: the tables as they are, with what is odd about them."""

import pytest


def test_everything(flipside):
    found = flipside("published", "--json").json
    assert len(found["numbers"]) == 600 + 968 + 216 + 348 + 12
    assert set(found["papers"]) == {"visla", "eqsim", "svlc", "visualgptscore", "winoground"}


def test_one_number_in_full(flipside):
    numbers = flipside("published", "--model", "all-minilm-l6-v2", "--paper", "visla", "--json").json["numbers"]
    assert len(numbers) == 10
    first = numbers[0]
    assert (first["table"], first["value"], first["unit"]) == ("Table 2", 0.5889, "percent")
    assert first["measured"]["kind"] == "t2t"
    assert first["ours"] == {
        "benchmark": "visla", "subsets": ["generic"], "split": None, "metric": "t2t_accuracy", "comparable": True,
        "note": "",
    }  # fmt: skip


def test_our_name_and_the_printed_name_of_a_benchmark(flipside):
    ours = flipside("published", "--benchmark", "visla", "--json").json["numbers"]
    printed = flipside("published", "--benchmark", "visla-generic", "--json").json["numbers"]
    assert (len(ours), {number["benchmark"] for number in printed}) == (600, {"VISLA-Generic"})
    assert 0 < len(printed) < 600


def test_the_table_numbers_its_caveats(flipside):
    answer = flipside("published", "--paper", "eqsim", "--benchmark", "winoground", "--model", "FIBER + FT (F30K)")
    assert answer.code == 0
    row = next(line for line in answer.out.splitlines() if "Table 6" in line)
    assert "22.24 %" in row
    assert "[1]" in row
    assert "look cut off" in answer.out
    assert "Tables 2, 5, 9 and 10 print 23.00" in answer.out
    assert "7 numbers" in answer.err


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("--paper", "vislaa"), "Did you mean visla"),
        (("--benchmark", "winground"), "Did you mean"),
        (("--model", "LaBES"), "Did you mean LaBSE"),
    ],
)
def test_wrong_names_are_one_sentence(flipside, wrong, said):
    answer = flipside("published", *wrong)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert answer.err.count("\n") == 1


def test_a_combination_that_no_table_has(flipside):
    answer = flipside("published", "--paper", "svlc", "--benchmark", "visla", "--json")
    assert (answer.code, answer.json["numbers"]) == (0, [])


def test_benchmarks_say_how_many_numbers_there_are(flipside):
    found = {each["name"]: each for each in flipside("benchmarks", "--json").json["benchmarks"]}
    assert (found["visla"]["published_numbers"], found["world"]["published_numbers"]) == (600, 0)
