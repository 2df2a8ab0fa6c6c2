"""An item's verdicts under the α that is taken along (`pages.shared.frame.alpha`), beside those as scored."""

from collections.abc import Sequence

from markupsafe import Markup

from backend.kinds import Kind
from backend.store.queries import ItemDetail
from pages.item.view import correct
from pages.shared.data import stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import score
from pages.shared.drawing.verdicts import chip, chips
from pages.shared.frame import alpha
from pages.shared.frame.tips import margin_unit


def html(benchmark: stored.StoredBenchmark, detail: ItemDetail, metric: str, models: Sequence[str]) -> Markup:
    """A chip for each model that is judged so; nothing where none is."""
    names = colours.labels(models)
    found = []
    for model, setting in alpha.judged(benchmark):
        if model not in names:
            continue
        rows = stored.outcomes(benchmark.runs[model], setting)
        rows = rows[(rows["item_id"] == detail.item_id) & (rows["metric"] == metric)]
        for line in lines_of(rows.head(1)):
            is_right = correct(line)
            margin = float(line.margin) if line.margin == line.margin else None
            word = "undefined" if is_right is None else "right" if is_right else "wrong"
            tip = f"{names[model]}{alpha.said(setting)}: {word}"
            if margin is not None:
                tip += f", margin {score(margin, signed=True)} ({margin_unit(Kind.GEN)})"
            found.append(chip(names[model], is_right, margin, dot=colours.dot(model), title=tip))
    now = alpha.taken()
    if not found or now is None:
        return Markup()
    head = Markup(
        '<p class="fs-card-head" style="margin-top:.5rem">at α = {}, generation; the reasons below are of the scores '
        "as they are (α = 0)</p>"
    ).format(alpha.number(now.alpha))
    return head + chips(found)
