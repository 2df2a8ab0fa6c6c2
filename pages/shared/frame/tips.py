"""Help tips: the formula of a metric and the paper it is from, taken from the metrics' own declarations."""

from collections.abc import Iterable

from markupsafe import Markup

from backend.kinds import OWN_UNIT, Kind, in_own_unit, unit_of
from backend.metrics.core import registry

#: Columns of tables that are no metric of the registry: what they are, and whose.
COLUMNS = {
    "weakest text weighs like": "Effective samples of an item, those of its text that has fewest, median over items: "
    "as many images of equal weight would say as much, (Σ w)² / Σ w² (Kish 1965).",
    "a text weighs like": "Effective samples of a caption, median over all captions, true and false: as many images of "
    "equal weight would say as much, (Σ w)² / Σ w² (Kish 1965).",
    "se, median": "Monte-Carlo standard error of log P(t), delta method on log-mean-exp; the median over captions.",
    "se, largest": "The same, of the caption where it is largest.",
    "meaning kept": "Share of verdicts that flip under edits that keep the meaning: the model's own restlessness.",
    "meaning changed": "Share of verdicts that flip under edits that change the meaning.",
    "beyond": "Meaning changed − meaning kept, in points, by item, with its 95 % interval over images.",
    "text right": "Share of pairs with s11 > s12 and s22 > s21; ties fail (Winoground).",
    "image right": "Share of pairs with s11 > s21 and s22 > s12; ties fail (Winoground).",
    "group right": "Share of pairs that are right both ways; ties fail (Winoground).",
    "drop, 95 %": "Rate before − rate after on the same items; holds 0 just where the exact p is above .05.",
    "right → wrong": "Share of items whose right verdict turns wrong under the edit.",
    "wrong → right": "Share of items whose wrong verdict turns right under the edit.",
    "McNemar p": "Exact and two-sided, on the items that flip (McNemar 1947).",
    "Ours": "The rate here with the ends of its 95 % interval.",
    "Published": "The number as the paper prints it, in per cent.",
    "Ours − published": "In points; ✓ where it lies within half of the last printed digit.",
    "best α* on all, plateau": "The α with the highest rate on all items, from the exact curve (VisualGPTScore, "
    "Eq. 7), in its plateau: the α that give these items the same rate. No confidence interval.",
    "test gain over α = 0": "Points that α* of the dev half wins over α = 0 on the test half, its 95 % interval "
    "and the exact p of won against lost.",
    "value": "The rate at that α: chosen and reported on the same items, so it flatters.",
    "at α = 0": "log P(t | i) alone (VisualGPTScore, Eq. 5).",
    "at α = 1 (PMI)": "log P(t | i) − log P(t), pointwise mutual information (VisualGPTScore, Eq. 6 and 8).",
    "α* of the dev half": "The best α on the dev half of the items.",
    "test at it": "The rate of the test half at that α.",
    "test at 0": "The rate of the test half at α = 0.",
    "test at 1": "The rate of the test half at α = 1.",
    "won": "Items wrong at α = 0 and right at α = 1.",
    "lost": "Items right at α = 0 and wrong at α = 1.",
    "won, priors exchanged": "Items won where each gets the prior of another item: mean and range of 20 exchanges.",
    "enough": "Items whose every text rests on at least five effective samples; of others nothing is said.",
    "certain": "Wrong, the winning foil likelier without the image, right once its prior is gone by more than two "
    "Monte-Carlo errors, and more than the mirror leaves to luck.",
    "cell": "What would have to change for the model to be right, by the numbers of the quad alone.",
    "quads": "Share of the quads that are in the cell.",
    "luck alone": "The share of quads in the cell with their binding turned round, their biases kept: what a coin "
    "would put there.",
    "solved without the image": "Share of items whose truth two blind scorers find, less the share in which they find "
    "a foil once it is called the truth.",
    "item by item": "Items that are solved blind by more than luck, at most 5 % of them by luck.",
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


def kind_unit(kind: str, model: str = "") -> str:
    """The unit of a kind's scores as axes and matrices show them; margins are in `margin_unit`. model: the spec whose
    scores they are: of another system's similarities nobody knows it."""
    return unit_of(kind, model) if kind in set(Kind) else ""


def margin_unit(kind: str, model: str = "") -> str:
    """The unit of a kind's margins. model: as in `kind_unit`.

    >>> kind_unit("itm"), margin_unit("itm"), margin_unit("itc", "predictions:theirs")
    ('probability', 'log-odds', "the system's own unit")
    """
    if in_own_unit(kind, model):
        return OWN_UNIT
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


def in_sentence(title: str) -> str:
    """A title inside a sentence: small, but for what is written large for good.

    >>> in_sentence("Group score"), in_sentence("R@1, image to text"), in_sentence("P1-N, text to text")
    ('group score', 'R@1 (image to text)', 'P1-N (text to text)')
    """
    head, _, rest = title.partition(", ")
    head = head[:1].lower() + head[1:] if head[1:2].islower() else head
    return f"{head} ({rest})" if rest else head


def metric_title(name: str) -> str:
    """A metric's name for people."""
    metric = registry.known(name)
    return metric.title if metric else name
