"""What a model answered where it was asked to choose between captions, order of asking by order of asking."""

from collections.abc import Collection

import pandas as pd
from markupsafe import Markup

from backend.kinds import ORDER, PREDICTIONS, Kind
from backend.protocols import Protocol
from backend.store.queries import ItemDetail
from pages.item.view import roles
from pages.shared.data.frames import lines_of
from pages.shared.drawing import colours

HEAD = "Answers, by order of asking"
CAPTION = (
    "Which caption was chosen when the captions were put in this order; “neither” where the answer chose none. Where "
    "two differ, the order changed the answer, or the answer varies by itself: each order was asked once."
)
#: What stands for the order of a system whose file names none.
ONE = "one answer"


def html(detail: ItemDetail, only: Collection[str] | None = None) -> Markup:
    """A row a model, a column an order; empty where nobody was asked. only: these models alone."""
    said = answers(detail)
    names = colours.labels(said)
    shown = {model: each for model, each in said.items() if only is None or model in only}
    orders = list(dict.fromkeys(order for each in shown.values() for order in each))
    if not orders:
        return Markup()
    head = Markup().join(Markup('<th scope="col">{}</th>').format(order) for order in orders)
    rows = [
        Markup('<tr><th scope="row">{} {}</th>{}</tr>').format(
            colours.dot(model), names[model],
            Markup().join(Markup("<td>{}</td>").format(each.get(order, "not asked")) for order in orders),
        )
        for model, each in shown.items()
    ]  # fmt: skip
    return Markup(
        '<div class="fs-scroll" tabindex="0" role="region" aria-label="{0}"><table class="fs-by fs-answers">'
        "<thead><tr><td></td>{1}</tr></thead><tbody>{2}</tbody></table></div>"
    ).format(HEAD, head, Markup().join(rows))


def answers(detail: ItemDetail) -> dict[str, dict[str, str]]:
    """Model -> order of asking -> what was chosen, in words. A server that was asked in both orders by `flipside run`
    has its shares alone, and is left out; an order that has a name is that order where it is the only one, too."""
    short = roles(detail.protocol, len(detail.texts), len(detail.truth))
    names = [f"{role} {k}" if short.count(role) > 1 else role for k, role in enumerate(short)]
    found: dict[str, dict[str, str]] = {}
    rows = detail.scores
    for model in colours.order(rows.loc[rows["part"].str.startswith(str(Kind.VERDICT)), "model"].unique()):
        own = rows[rows["model"] == model]
        parts = sorted(part for part in own["part"].unique() if str(part).startswith(ORDER))
        if not parts and model.startswith(PREDICTIONS):
            parts = [str(Kind.VERDICT)]
        each = {part.removeprefix(ORDER): _chosen(own[own["part"] == part], names, detail.protocol) for part in parts}
        if each:
            only = detail.order.get(str(own["run_id"].iloc[0]), "") or ONE
            found[model] = {only if order == Kind.VERDICT else order or "unnamed": said for order, said in each.items()}
    return found


def _chosen(rows: pd.DataFrame, names: list[str], protocol: str) -> str:
    """The caption that was chosen; of several questions each with what it was asked about. Where a foil was chosen of
    several, nothing is known between the truth and the others, which is no “neither” (`asking_orders`)."""
    if protocol == Protocol.CHOICE and (rows["value"] < 0.5).any():
        rows = rows[rows["value"] != 0.5]
    several, images = len(rows) > 1, rows["image_index"].nunique() > 1
    said = []
    for line in lines_of(rows):
        a, b = (
            names[int(text)] if int(text) < len(names) else str(text) for text in (line.text_index, line.text_index_b)
        )
        won, lost = (a, b) if line.value > 0.5 else (b, a)
        word = f"{won} over {lost}" if several and not images else won
        if line.value == 0.5:
            word = f"neither of {a} and {b}" if several and not images else "neither"
        said.append(f"image {int(line.image_index) + 1}: {word}" if images else word)
    return ", ".join(said)
