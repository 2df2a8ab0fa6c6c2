"""Options given more than once: every option of every verb, found by looking at the commands themselves."""

import pytest

from backend import cli
from backend.engine.inputs.prior import PriorSource
from backend.errors import UsageError

COMMANDS = {verb: cli.LazyVerbs(name="flipside").get_command(None, verb) for verb in cli.VERBS}
OPTIONS = [
    (verb, option)
    for verb, command in COMMANDS.items()
    for option in command.params
    if option.param_type_name == "option"
]
LISTS = ("--kinds", "--subset", "--models", "--benchmarks", "--metrics", "--concept", "--reason")


MORE_LISTS = (("run", "--model"), ("run", "--benchmark"))


def takes_one(verb, option) -> bool:
    more = (verb, option.opts[0]) in MORE_LISTS
    return not (option.is_flag or option.multiple or more or option.opts[0] in LISTS)


def of(options) -> dict:
    return {"argnames": ("verb", "option"), "argvalues": options, "ids": [f"{v} {o.opts[0]}" for v, o in options]}


def test_there_are_options_of_each_sort():
    assert {"report --model", "report --run", "world --seed", "import --as"} <= {
        f"{verb} {option.opts[0]}" for verb, option in OPTIONS if takes_one(verb, option)
    }
    assert {"run --prior", "fetch --file"} <= {f"{v} {o.opts[0]}" for v, o in OPTIONS if o.multiple}
    assert {"run --kinds", "perturb --kinds"} <= {f"{v} {o.opts[0]}" for v, o in OPTIONS if o.opts[0] in LISTS}


@pytest.mark.parametrize(**of([(verb, option) for verb, option in OPTIONS if takes_one(verb, option)]))
def test_an_option_of_one_value_given_twice_is_wrong_use_and_says_both(flipside, verb, option):
    for arguments in (
        [option.opts[0], "7", option.opts[-1], "8"],
        [f"{option.opts[0]}=7", option.opts[-1], "8"],
        [option.opts[0], "7", f"{option.opts[-1]}=8"],
    ):
        answer = flipside(verb, *arguments)
        assert answer.code == 2
        assert answer.out == ""
        assert f"{'/'.join(option.opts)} was given twice: 7 and 8." in answer.err


@pytest.mark.parametrize(**of([(verb, option) for verb, option in OPTIONS if option.is_flag]))
def test_a_flag_may_be_given_twice(verb, option):
    """It says the same twice."""
    command = COMMANDS[verb]
    needed = [p for p in command.params if p.required]
    others = [a for p in needed if p.param_type_name == "option" for a in (p.opts[0], "7")]
    values = ["7" for p in needed if p.param_type_name == "argument"]
    context = command.make_context(verb, [*others, *values, option.opts[0], option.opts[0]])
    assert context.params[option.name] is True


def test_the_same_value_twice_is_two_values_still(flipside):
    answer = flipside("report", "--model", "bundled:clip", "--benchmark", "world", "--model", "bundled:clip")
    assert answer.code == 2
    assert "--model was given twice: bundled:clip and bundled:clip." in answer.err


def test_three_values_are_all_named(flipside):
    answer = flipside("run", "--limit", "3", "--limit=5", "--limit", "8")
    assert answer.code == 2
    assert "--limit was given 3 times: 3, 5 and 8." in answer.err


def test_both_spellings_of_an_option_are_one_option(flipside):
    answer = flipside("perturb", "--proposer", "lm:a", "--endpoint", "lm:b")
    assert answer.code == 2
    assert "--proposer/--endpoint was given twice: lm:a and lm:b." in answer.err


@pytest.mark.parametrize(
    "given",
    [["--subset", "relation,count"], ["--subset", "count", "--subset=relation"], ["--subset", "count, relation,"]],
)
def test_subsets_may_be_repeated_or_parted_by_commas(flipside, given):
    found = flipside("import", "world", *given, "--json").json
    assert sorted(found["subsets"]) == ["count", "relation"]


@pytest.mark.parametrize("verb", [v for v, o in OPTIONS if o.opts[0] == "--subset"])
@pytest.mark.parametrize("nothing", ["", " , "])
def test_a_subset_without_a_name_is_wrong_use(flipside, verb, nothing):
    """An unset variable of a script would mean all of them."""
    answer = flipside(verb, "--subset", nothing)
    assert answer.code == 2
    assert "--subset names nothing" in answer.err


@pytest.mark.parametrize(
    ("verb", "given"),
    [
        ("import-results", [""]),
        ("add-predictions", [" "]),
        ("import", ["custom", "--data", ""]),
        ("import", ["custom", "--images="]),
        ("run", ["--data", ""]),
        ("teach", ["--file", ""]),
    ],
)
def test_an_empty_path_is_not_the_folder_one_is_in(flipside, verb, given):
    """An unset variable of a script would mean all files of it."""
    answer = flipside(verb, *given)
    assert answer.code == 2
    assert "is empty, which would mean the folder you are in" in answer.err


@pytest.mark.parametrize(
    "given",
    [
        ["--kinds", "itc,prior", "--prior", "noise:1,noise:2"],
        ["--kinds", "itc", "--kinds", "prior", "--prior", "noise:1", "--prior=noise:2"],
    ],
)
def test_kinds_and_priors_may_be_repeated_or_parted_by_commas(flipside, given):
    found = flipside("run", "--model", "fake:ok", "--benchmark", "world", "--limit", "2", *given, "--json").json
    assert {part for part in found["parts"] if not part.startswith("vectors:")} == {
        "itc", "prior@noise:1", "prior@noise:2",
    }  # fmt: skip


def test_a_comma_in_a_folders_name_is_no_end_of_a_prior():
    """What stands after `lm:` and begins as no spec does is a language model's own name: its spec is lm:NAME."""
    found = PriorSource.parse_all(["lm:/models/a, b,noise:2", "self,lm:bundled:lm,lm:x"])
    assert [source.part for source in found] == [
        "prior@lm:lm:/models/a, b", "prior@noise:2", "prior@self", "prior@lm:bundled:lm", "prior@lm:lm:x",
    ]  # fmt: skip
    with pytest.raises(UsageError, match="--prior imges:20"):
        PriorSource.parse_all(["noise:3,imges:20"])


def test_two_protocols_of_one_table_are_wrong_use(flipside, tmp_path):
    (tmp_path / "t.csv").write_text("photo,good,bad\na.png,one,two\n")
    maps = [f"--map={said}" for said in ("protocol=choice", "image=photo", "caption=good", "negative=bad")]
    answer = flipside("import", "custom", "--data", tmp_path / "t.csv", *maps, "--map", "protocol=quad")
    assert answer.code == 2
    assert "protocol was given twice: choice and quad" in answer.err


@pytest.mark.long
@pytest.mark.usefixtures("shipped_imported")
def test_one_column_named_twice_is_one_foil(flipside, tmp_path):
    (tmp_path / "t.csv").write_text("photo,good,bad\na.png,one,two\n")
    maps = [f"--map={said}" for said in ("protocol=choice", "image=photo", "caption=good", "negative=bad")]
    found = flipside("import", "custom", "--data", tmp_path / "t.csv", *maps, "--map", "negative=bad", "--json").json
    (item,) = flipside("sql", f"SELECT texts FROM items WHERE benchmark = '{found['hash'][:16]}'", "--json").json
    assert item["texts"] == ["one", "two"]


@pytest.mark.slow
@pytest.mark.usefixtures("shipped_imported")
def test_report_names_the_subsets_it_is_about(flipside):
    asked = ("report", "--model", "bundled:clip", "--benchmark", "world", "--kind", "itc")
    assert ", all 8 subsets, " in flipside(*asked).out.splitlines()[0]
    assert ", subset relation (of 8), " in flipside(*asked, "--subset", "relation").out.splitlines()[0]
    several = flipside(*asked, "--subset", "relation", "--subset", "count")
    assert ", subsets relation, count (of 8), " in several.out.splitlines()[0]
    document = flipside(*asked, "--subset", "relation", "--subset", "count", "--json").json
    assert (document["subset"], sorted(document["subsets"]), document["of_subsets"]) == (
        "relation,count",
        ["count", "relation"],
        8,
    )


def test_models_and_benchmarks_of_a_run_go_on_as_docs_say(flipside):
    twice = ("--model", "bundled:nobody", "--model", "bundled:lm", "--benchmark", "world", "--benchmark", "none")
    answer = flipside("run", *twice)
    assert answer.code == 2
    assert "no bundled model 'nobody'" in answer.err
    context = COMMANDS["run"].make_context("run", list(twice))
    assert (context.params["model"], context.params["benchmark"]) == ("bundled:nobody,bundled:lm", "world,none")


def test_a_flag_and_its_opposite_are_refused_in_words_that_were_typed(flipside):
    answer = flipside("run", "--model", "bundled:lm", "--benchmark", "world", "--reuse", "--no-reuse")
    assert (answer.code, answer.out) == (2, "")
    assert "--reuse and --no-reuse were given together: leave one of them out." in answer.err
