"""How the model reacts to edits of the captions, where perturbed editions of the benchmark have been scored."""

from collections.abc import Mapping

from markupsafe import Markup

from backend import written
from backend.items import Kind
from backend.metrics.statistics import Paired, Rate
from backend.store.labels import sensitive as measured
from backend.store.labels.asked_again import LeftOut
from backend.store.labels.sensitive import Sensitive
from backend.store.robustness import editions
from pages.shared.data import asked_orders, stored
from pages.shared.drawing import colours
from pages.shared.drawing.facts import facts
from pages.shared.drawing.numbers import DASH, count
from pages.shared.frame.header import chart_caption, section
from pages.shared.frame.style import show


@stored.kept("Measuring sensitivity to edits …")
def _counts(benchmark: str) -> list[Sensitive]:
    return measured.counts(stored.store(), benchmark)


def found(benchmark: stored.StoredBenchmark, model: str, kind: str) -> Sensitive | None:
    """The same numbers as on Robustness; None where no edition was scored by this model and kind."""
    return next((each for each in _counts(benchmark.hash) if (each.model, each.kind) == (model, kind)), None)


def left_out(benchmark: stored.StoredBenchmark, model: str, kind: str) -> LeftOut | None:
    """Which of the model's choices on edited captions are compared with none on the originals; None where none."""
    known = editions.left_out(stored.store(), benchmark.hash) if kind == Kind.VERDICT else []
    return next((each for each in known if each.model == model), None)


def draw(benchmark: stored.StoredBenchmark, model: str, kind: str) -> bool:
    """The section; False, and nothing, without editions."""
    of = found(benchmark, model, kind)
    if of is None:
        return False
    section("Does it react to the meaning, or to the wording?", "captions edited")
    rows = Markup().join(
        Markup('<div class="md-fact"><b>{}</b><span>{}</span></div>').format(value, words)
        for words, value in numbers(of).items()
    )
    show(Markup('<div class="md-facts">{}</div>').format(rows))
    caption = (
        "d′ above 0: more margin is lost where the meaning changes. A near miss: an edit that keeps the meaning moves "
        "its margin by as much as it is wrong by."
    )
    if left := left_out(benchmark, model, kind):
        caption += f" {asked_orders.edits_left_out(colours.label(model), left)} {asked_orders.WHY_UNLIKE}"
    chart_caption(caption)
    return True


def numbers(of: Sensitive) -> Mapping[str, Markup]:
    """What is shown: words -> a number with its facts."""
    lost, won = _beyond(of.lost.beyond, of), _beyond(of.won.beyond, of)
    found = {
        "points more verdicts turn from right to wrong where an edit changes the meaning than where it keeps it": lost,
        "points more turn from wrong to right there": won,
        "d′": _d_prime(of),
    }
    if of.near_miss.n:
        found[
            f"of the {count(of.near_miss.n, 'wrong item')} for which eight or more edits that keep the meaning were "
            "scored are near misses; of its other wrong items that is not known"
        ] = _share(of.near_miss)
    return found


def _beyond(beyond: Paired, of: Sensitive) -> Markup:
    if beyond.difference is None:
        return Markup("{}").format(DASH)
    low, high = beyond.ci95 or (None, None)
    return facts(
        written.number(100 * beyond.difference, 1, signed=True), n=beyond.n,
        low=None if low is None else 100 * low, high=None if high is None else 100 * high, unit="points",
        note=f"{len(of.kept)} editions keep the meaning, {len(of.changed)} change it",
    )  # fmt: skip


def _d_prime(of: Sensitive) -> Markup:
    if of.d_prime.d_prime is None:
        return Markup("{}").format(DASH)
    low, high = of.d_prime.ci95 or (None, None)
    rests = f"{of.d_prime.n_preserving:,} edits keep the meaning, {of.d_prime.n_changing:,} change it"
    return facts(written.number(of.d_prime.d_prime, 2, signed=True), low=low, high=high, unit="", note=rests)


def _share(rate: Rate) -> Markup:
    if rate.value is None:
        return Markup("{}").format(DASH)
    low, high = rate.ci95 or (None, None)
    return facts(
        written.percent(rate.value, rate.n), n=rate.n, low=None if low is None else 100 * low,
        high=None if high is None else 100 * high, note="wrong items with eight edits that differ for the model",
    )  # fmt: skip
