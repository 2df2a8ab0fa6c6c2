"""`bench.interaction`: how often filters are set, and which pages are over what was promised."""

from types import SimpleNamespace

import pytest

from bench import interaction, plain


@pytest.fixture
def page():
    """A page on which nothing but a key can be pressed."""
    return SimpleNamespace(keyboard=SimpleNamespace(press=lambda _: None))


@pytest.fixture
def at(monkeypatch, page):
    """The waits at the filters of a page, made up: label -> the waits in turn, or why it cannot be set."""

    def measured(labels, waits):
        turns = iter(waits)
        monkeypatch.setattr(
            interaction,
            "filters",
            lambda _: ((label, lambda: None) for label in labels for _ in range(interaction.ROUNDS)),
        )

        def wait(*_):
            if isinstance(found := next(turns), Exception):
                raise found
            return found

        monkeypatch.setattr(interaction, "wait", wait)
        return interaction._at_filters(page, "a page")

    return measured


def test_a_page_of_one_filter_is_gone_through_until_its_median_is_of_six(at):
    assert at(["Benchmark"], [440.0, 216.0, 220.0, 210.0, 225.0, 215.0, 1.0]) == {
        "Benchmark": [440.0, 216.0, 220.0, 210.0, 225.0, 215.0]
    }


def test_a_page_of_many_filters_is_gone_through_once(at):
    waits = [float(n) for n in range(1, 9)]
    assert at("abcd", waits) == {label: waits[2 * k : 2 * k + 2] for k, label in enumerate("abcd")}


def test_filters_that_cannot_be_set_are_said_once_and_end_nothing(at, capsys):
    assert at(["Model"], [LookupError("has one option only")] * 99) == {}
    assert capsys.readouterr().err.count("has one option only") == 1
    first = [LookupError("has one option only")] * 2 + [5.0, 6.0]
    assert at(["Model", "View"], first * 9) == {"View": [5.0, 6.0] * 3}


def test_an_input_that_changes_nothing_is_no_wait_and_is_said_once(at, capsys):
    assert at(["Slider", "View"], [0.0, 0.0, 800.0, 802.0] * 9) == {"View": [800.0, 802.0] * 3}
    assert capsys.readouterr().err.count("it changed nothing") == 1


def test_a_wait_that_is_not_over_in_time_counts_as_the_limit_and_is_waited_for(monkeypatch):
    def not_in_time(*_, **__):
        raise interaction.NotInTime("half a minute")

    waited = []
    monkeypatch.setattr(interaction, "settle", lambda _, seconds: waited.append(seconds))
    page = SimpleNamespace(evaluate=lambda _: 1.0, wait_for_timeout=lambda _: None, wait_for_function=not_in_time)
    assert interaction.wait(page, lambda: None) == interaction.LIMIT > interaction.WORST
    assert waited == [interaction.LIMIT / 1000]


@pytest.mark.parametrize("words", [["--stored", "1000"], ["--stored", "1000", "--benchmark", "many", "--cache", "x"]])
def test_what_would_be_called_by_another_name_is_refused(monkeypatch, words):
    monkeypatch.setattr("sys.argv", ["bench.interaction", *words])
    with pytest.raises(SystemExit) as ended:
        interaction.main()
    assert ended.value.code == 2


def test_first_visits_of_further_servers_are_added_to_their_pages():
    rows = [("a", "first visit", [1.0], ""), ("a", "again", [2.0], ""), ("a", "filters", [3.0], "X")]
    more = [("a", "first visit", [4.0], ""), ("b", "first visit", [5.0], "")]
    assert interaction.with_more(rows, more) == [("a", "first visit", [1.0, 4.0], ""), *rows[1:]]


def test_the_slowest_page_and_all_over_the_limit_are_named():
    rows = [("a", "filters", [100.0, 200.0], "X"), ("b", "filters", [310.0, 330.0], "Y"),
            ("c", "filters", [400.0], "Z"), ("a", "first visit", [90.0], "")]  # fmt: skip
    first, median, worst = interaction.promised(rows, "made up", plain.Waits(70.0, 80.0))
    assert (first.value, first.bound, first.kept) == (90.0, 70.0, True)
    assert (median.value, median.bound, median.kept) == (400.0, 80.0, False)
    assert "over the limit: c, b of 3 pages" in median.what
    assert (worst.value, worst.limit, worst.kept) == (400.0, interaction.WORST, True)
    assert "(c, Z)" in worst.what
