"""The α that is taken along, over stored scores: every page counts what a brute-force recount counts."""

from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.queries import FailureFilter, Setting
from pages.shared.data import under
from pages.shared.frame.alpha import Taken
from tests.pages import results

Visit = Callable[..., AppTest]
RUN, PRIOR, ALPHA = "3" * 16, "images:3", 0.61


def html(page: AppTest) -> str:
    return " ".join(str(getattr(block.proto, "body", "")) for block in page.get("html"))


def recounted(subset: str, alpha: float) -> tuple[int, int]:
    """(right, all) of the choices of a subset by their stored scores: sums of log-probabilities over tokens, P(t) the
    mean over its samples, both a token. Slow, and no code of the program's own."""
    frame = open_store().cursor().execute(
        """SELECT i.item_id, s.part, s.text_index, s.sample, s.value, s.n_tokens FROM scores s
        JOIN items i USING (item_no) WHERE s.run_id = ? AND i.subset = ?""",
        [RUN, subset],
    ).df()  # fmt: skip
    right = n = 0
    for _, own in frame.groupby("item_id"):
        scores = {}
        for text, of in own.groupby("text_index"):
            gen = of[of["part"] == "gen"].iloc[0]
            prior = of[of["part"] == f"prior@{PRIOR}"]["value"].to_numpy(dtype=float)
            mean = float(np.log(np.mean(np.exp(prior - prior.max()))) + prior.max())
            scores[int(text)] = (float(gen["value"]) - alpha * mean) / int(gen["n_tokens"])
        n += 1
        right += all(scores[0] > value for text, value in scores.items() if text)
    return right, n


@pytest.mark.usefixtures("small")
def test_failures_counts_what_the_curve_and_a_recount_count() -> None:
    store = open_store()
    (curve,) = queries.alpha_curves(store, RUN, PRIOR, "token", "choice")
    for alpha in (0.0, ALPHA, 1.0):
        wanted = FailureFilter(RUN, Setting("gen", alpha, PRIOR), correct=False, subsets=("choice",), limit=1)
        right, n = recounted("choice", alpha)
        assert queries.failures(store, wanted).total == n - right
        assert int(curve.sets.contains(alpha).sum()) == right
        assert curve.curve.n == n


@pytest.mark.usefixtures("small")
def test_rates_and_bars_of_these_models_alone_are_judged_so() -> None:
    from pages.shared.data import cell_bars, stored

    benchmark = next(iter(stored.chosen().values()))
    judged = ((results.SPEAKER, Setting("gen", ALPHA, PRIOR)),)
    plain, found = under.headlines(benchmark, "subset"), under.headlines(benchmark, "subset", judged=judged)
    assert list(found.columns) == list(plain.columns)
    assert (found[["model", "kind"]].to_numpy() == plain[["model", "kind"]].to_numpy()).all()
    mine = (found["model"] == results.SPEAKER).to_numpy()
    assert found[~mine].equals(plain[~mine])
    row = found[mine & (found["group"] == "choice").to_numpy()].iloc[0]
    right, n = recounted("choice", ALPHA)
    assert (round(row["value"] * row["n"]), row["n"]) == (right, n)
    assert under.rates(benchmark, "subset", judged).shape[1] == stored.rates(benchmark, "subset").shape[1]
    rows = ((results.STRONG, "itc"), (results.SPEAKER, "gen"))
    assert under.bars(benchmark, rows) == cell_bars.of_benchmark(benchmark, rows)
    bars, _ = under.bars(benchmark, rows, judged)
    own, _ = cell_bars.of_model(benchmark, results.SPEAKER, judged[0][1])
    assert [bar for bar in bars if bar.model == results.SPEAKER] == own


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_overview_and_failures_open_under_the_alpha_of_a_link(visit: Visit) -> None:
    asked = {"alpha": str(ALPHA), "prior": PRIOR}
    right, n = recounted("choice", ALPHA)
    page = visit("failures", model=results.SPEAKER, subset="choice", **asked)
    assert not page.exception
    assert f"<b>{n - right:,}</b>" in html(page)
    assert page.query_params["prior"] in (PRIOR, [PRIOR])
    for name in ("overview", "failures"):
        page = visit(name, model=results.SPEAKER, **asked) if name == "failures" else visit(name, **asked)
        assert not page.exception
        assert page.button(key="alpha-back").label == "×"
        page.button(key="alpha-back").click().run()
        assert not page.exception
        assert "alpha" not in page.query_params
        assert not [button for button in page.button if button.key == "alpha-back"]


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_prior_that_is_not_here_judges_nothing_and_says_so(visit: Visit) -> None:
    page = visit("failures", model=results.SPEAKER, alpha="0.5", prior="<b>gone</b>")
    assert not page.exception
    assert any("not used here" in link.proto.label for link in page.get("page_link"))
    plain = visit("failures", model=results.SPEAKER)
    count = 'class="fs-count"'
    assert html(page).partition(count)[2][:60] == html(plain).partition(count)[2][:60]


@pytest.mark.slow
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", ["robustness", "embeddings", "teach", "equivariance"])
def test_a_page_that_judges_as_scored_says_so(visit: Visit, name: str) -> None:
    """Robustness, Embeddings and Teach showed other verdicts than Failures beside it, without a word."""
    page = visit(name)
    assert not [button for button in page.button if button.key == "alpha-back"]
    page.session_state["_alpha_taken"] = Taken(0.5, PRIOR)
    page.run()
    assert not page.exception
    (said,) = [link.proto.label for link in page.get("page_link") if "not used here" in link.proto.label]
    assert "as scored" in said
    page.button(key="alpha-back").click().run()
    assert not [button for button in page.button if button.key == "alpha-back"]
