"""How much the model's verdicts hang on what is usually said: rates as scored and with the whole prior taken away."""

from dataclasses import dataclass

from backend import written
from backend.kinds import Kind
from backend.metrics.alpha.gains import Gain, gain
from backend.metrics.core.registry import by_name, headlines
from backend.metrics.reasons.priors import ENOUGH_SAMPLES
from backend.prior_names import prior_name
from backend.protocols import Protocol
from backend.store.alpha.effective import prior_samples
from backend.taxonomy import title
from pages.model import lines
from pages.model.lines import Line
from pages.shared.data import stored
from pages.shared.drawing.facts import told
from pages.shared.drawing.numbers import count
from pages.shared.frame.header import chart_caption, section

#: Of subsets with these protocols: those whose verdicts compare captions of one image.
PROTOCOLS = (Protocol.QUAD, Protocol.CHOICE, Protocol.TRIPLET)


@dataclass(frozen=True)
class Moved:
    """One subset by its headline metric: from α = 0 to α = 1 (`gains.gain`), and the α that is best on these items."""

    subset: str
    metric: str
    of: Gain
    chance: float | None
    best: str


def applies(benchmark: stored.StoredBenchmark, model: str) -> bool:
    """Whether generation scores and a P(t) are stored."""
    return Kind.GEN in benchmark.kinds[model] and bool(benchmark.priors[model])


@stored.kept("Taking the prior away …")
def found(benchmark: stored.StoredBenchmark, model: str) -> tuple[list[Moved], str]:
    """Every subset that a prior can be taken away of, by the model's default P(t); and why nothing is said, where too
    few samples stand behind that P(t), "" where enough do."""
    run, source = benchmark.runs[model], benchmark.priors[model][0]
    samples = prior_samples(stored.store(), run, source)
    median = None if samples is None else samples["effective_median"]
    if median is not None and not median >= ENOUGH_SAMPLES:
        few = f"{prior_name(source)} count as {written.number(median)} (the median item; {ENOUGH_SAMPLES:g} are needed)"
        return [], f"Nothing is said of its prior: {few}."
    moved = []
    for subset, protocol in benchmark.protocols.items():
        if protocol not in PROTOCOLS:
            continue
        wanted = "group_score" if protocol == Protocol.QUAD else next(iter(headlines(Protocol(protocol))), "")
        for curve in stored.alpha_curves(run, source, "token", subset, None):
            if curve.metric == wanted:
                of = gain(curve.sets, 1.0, 0.0, None, curve.items["cluster"].to_numpy())
                best = "" if curve.best is None else curve.best.text()
                moved.append(Moved(subset, wanted, of, curve.chance, best))
    return moved, ""


def as_lines(moved: list[Moved]) -> list[Line]:
    """A line a subset, from its rate at α = 0 to that at α = 1."""
    drawn = []
    for each in moved:
        of = each.of
        if of.before is None or of.after is None or of.value is None:
            continue
        low, high = of.ci95 or (None, None)
        facts = told(
            n=of.n, low=None if low is None else 100 * low, high=None if high is None else 100 * high, p=of.p,
            unit="points", note=f"{count(of.won, 'item')} won, {of.lost:,} lost; McNemar’s exact test, images as units",
        )  # fmt: skip
        best = f" Best α on these very items: {each.best}." if each.best else ""
        tip = (
            f"{title(each.subset)}, {by_name(each.metric).label}: {written.percent(of.before, of.n)} as scored, "
            f"{written.percent(of.after, of.n)} at α = 1, {written.number(100 * of.value, 1, signed=True)} points · "
            f"{facts}.{best} Open it on Debias."
        )
        drawn.append(
            Line(
                each.subset, title(each.subset), by_name(each.metric).label, "", of.after, None, None, each.chance,
                of.n, tip, before=of.before, text=written.number(100 * of.value, 1, signed=True),
            )
        )  # fmt: skip
    return drawn


def draw(benchmark: stored.StoredBenchmark, model: str) -> dict[str, str] | None:
    """The section; the address on Debias of the line that was clicked. Nothing where it does not apply."""
    if not applies(benchmark, model):
        return None
    moved, why = found(benchmark, model)
    drawn = as_lines(moved)
    if not drawn and not why:
        return None
    section("What does its language prior decide?", f"P(t) from {prior_name(benchmark.priors[model][0])}")
    if why:
        chart_caption(why)
        return None
    opened = lines.draw(lines.view(drawn, "Rates as scored and with the prior taken away"), f"model-prior-{model}")
    chart_caption(
        "○ as scored (α = 0) → ● with the whole prior taken away (α = 1), and the change in points; the tick is chance."
    )
    if not opened:
        return None
    metric = next(each.metric for each in moved if each.subset == opened)
    return {"benchmark": benchmark.name, "model": model, "subset": opened, "metric": metric, "alpha": "1.0"}


def summary(moved: list[Moved]) -> str:
    """How the items that are won and lost add up, for a finding."""
    won, lost = sum(each.of.won for each in moved), sum(each.of.lost for each in moved)
    return f"taking its prior away wins {count(won, 'item')} and loses {lost:,}" if moved else ""
