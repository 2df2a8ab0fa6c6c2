"""What a page may start of `fetch`, and what it knows of what there is."""

import pytest

from backend.errors import UsageError
from backend.live import real_results
from backend.live.jobs import jobs


@pytest.mark.parametrize(
    "words",
    [
        ["sugarcrepe", "--to", "x"], ["results", "--yes", "--json", "--mirror", "https://evil.example"],
        ["results", "--from", "/etc", "--yes", "--json"], ["results", "--only", "../x", "--yes", "--json"], [],
    ],
)  # fmt: skip
def test_nothing_but_public_results_is_fetched_from_a_browser(words, flipside_cache):
    with pytest.raises(UsageError, match="nothing but public results"):
        jobs.start("fetch", words)
    assert not list(flipside_cache.glob("jobs/*/job.json"))


def test_a_job_takes_the_words_of_the_card(monkeypatch):
    started = []
    monkeypatch.setattr(jobs, "start", lambda verb, words, title: started.append((verb, words, title)))
    real_results.begin(["winoground", "visla"])
    verb, words, title = started[0]
    assert verb == "fetch"
    assert jobs.FETCHED.fullmatch(" ".join(words))
    assert words[1:5] == ["--only", "winoground", "--only", "visla"]
    assert "winoground, visla" in title


def test_offers_say_what_is_here():
    offers = {each.name: each for each in real_results.offers(["predictions:people"])}
    here = {name: each.here for name, each in offers.items()}
    assert here == {"winoground": True, "gpt-4v": False, "visla": False, "atlas": False}
    assert all(each.licence and each.terms and each.see and each.size > 100_000 for each in offers.values())
