"""Equivariance, folded: all models' rates beside their losses, and how the plane is made."""

from pages.equivariance import judged, knows, reasons
from pages.equivariance.options import Options
from pages.shared.data import stored
from pages.shared.drawing import signs
from pages.shared.frame.header import chart_caption, empty
from pages.shared.frame.style import show


def draw(benchmark: stored.StoredBenchmark, options: Options) -> None:
    """A row a model with scores of the kind."""
    lines = []
    for model in options.able:
        frame = reasons.of(benchmark, model, options.kind, options.category)
        if len(frame):
            found, known = knows.counted(benchmark.runs[model], options.kind, options.category)
            lines.append((model, known, found))
    if not lines:
        empty("No model has quads here that are scored by this kind", "Choose another score kind, subset or concept.")
        return
    show(knows.everyone(lines, options.model, benchmark.name))
    chart_caption(
        f"Left what each model knows, right what it loses, of {options.quads}. {signs.OPEN}: the 95 % interval holds "
        f"chance; {signs.DOWN}: it lies below. A small loss of a model at chance is no merit: it has nothing to lose."
        + judged.caption(benchmark, options, [(model, found.n) for model, _, found in lines])
    )


def how(benchmark: stored.StoredBenchmark, options: Options) -> None:
    """The plane in words."""
    frame = reasons.of(benchmark, options.model, options.kind, options.category)
    if len(frame):
        found, _ = knows.counted(benchmark.runs[options.model], options.kind, options.category)
        chart_caption(reasons.how(found, str(frame["scale"].iloc[0]), options.kind))
