"""Help tips: the formula of a metric and the paper it is from, taken from the metrics' own declarations."""

from collections.abc import Iterable

from markupsafe import Markup

from backend.kinds import Kind
from backend.metrics.core import registry

#: Columns of tables that are no metric of the registry: what they are, and whose.
COLUMNS = {
    "weigh like": "Effective samples: as many images of equal weight would say as much, (Σ w)² / Σ w² (Kish 1965).",
    "se, median": "Monte-Carlo standard error of log P(t), delta method on log-mean-exp; the median over captions.",
    "se, largest": "The same, of the caption where it is largest.",
    "brittle": "A meaning-preserving edit flips the verdict. Share of the items with at least one scored edit, 95 %.",
    "of them right before": "Brittle items whose unedited captions are judged right.",
    "near misses": "|margin| below the 90th percentile of its own change under 8 or more meaning-preserving edits.",
    "edits an item": "Median number of scored meaning-preserving edits of one item.",
    "text right": "Share of pairs with s11 > s12 and s22 > s21; ties fail (Winoground).",
    "image right": "Share of pairs with s11 > s21 and s22 > s12; ties fail (Winoground).",
    "group right": "Share of pairs that are right both ways; ties fail (Winoground).",
    "drop, 95 %": "Rate before − rate after, paired bootstrap over the same items.",
    "right → wrong": "Share of items whose right verdict turns wrong under the edit.",
    "wrong → right": "Share of items whose wrong verdict turns right under the edit.",
    "McNemar p": "Exact and two-sided, on the items that flip (McNemar 1947).",
    "Ours": "The rate here with the ends of its 95 % interval.",
    "Published": "The number as the paper prints it, in per cent.",
    "Ours − published": "In points; ✓ where it lies within half of the last printed digit.",
    "best α* on all": "The α with the highest rate on all items, from the exact curve (VisualGPTScore, Eq. 7).",
    "value": "The rate at that α: chosen and reported on the same items, so it flatters.",
    "at α = 0": "log P(t | i) alone (VisualGPTScore, Eq. 5).",
    "at α = 1 (PMI)": "log P(t | i) − log P(t), pointwise mutual information (VisualGPTScore, Eq. 6 and 8).",
    "α* of the dev half": "The best α on the dev half of the items.",
    "test at it": "The rate of the test half at that α.",
    "test at 0": "The rate of the test half at α = 0.",
    "test at 1": "The rate of the test half at α = 1.",
    "blind-solvable": "At least two blind scorers find the truth from the texts alone.",
    "shuffled null": "The share that would seem so were truths shuffled between items.",
    "difference": "Mean of the second set − mean of the first.",
    "ratio": "Mean of the second set over mean of the first.",
}


def column_head(name: str) -> Markup:
    """A column's header in HTML, with its tip where it has one.

    >>> print(column_head("<b>"))
    <th scope="col">&lt;b&gt;</th>
    """
    tip = Markup(' title="{}"').format(COLUMNS[name]) if name in COLUMNS else ""
    return Markup('<th scope="col"{}>{}</th>').format(tip, name)


def kind_name(kind: str) -> str:
    """A score kind in words.

    >>> kind_name("itc"), kind_name("someone else's")
    ('similarity', "someone else's")
    """
    return Kind(kind).info.title if kind in set(Kind) else kind


def kind_unit(kind: str) -> str:
    """The unit of a kind's scores as axes and matrices show them; margins are in `margin_unit`."""
    return Kind(kind).info.unit if kind in set(Kind) else ""


def margin_unit(kind: str) -> str:
    """The unit of a kind's margins.

    >>> kind_unit("itm"), margin_unit("itm")
    ('probability', 'log-odds')
    """
    return Kind(kind).info.judged if kind in set(Kind) else ""


def kinds_help(kinds: Iterable[str]) -> str:
    """Name and formula of some kinds, as Markdown: the help text of a choice among them."""
    known = [Kind(kind).info for kind in kinds if kind in set(Kind)]
    return "\n\n".join(f"**{info.title}** ({info.name}): {info.formula}" for info in known)


def metric_tip(name: str) -> str:
    """A metric's title, formula and source in one line, from its declaration.

    >>> metric_tip("text_score")
    'Text score: s11 > s12 and s22 > s21 (Winoground, also EqSim, section 5.1)'
    """
    metric = registry.known(name)
    if metric is None:
        return f"{name}: of a package that is no longer installed"
    return f"{metric.title}: {metric.formula} ({metric.paper}, {metric.where})"


def metric_title(name: str) -> str:
    """A metric's name for people."""
    metric = registry.known(name)
    return metric.title if metric else name
