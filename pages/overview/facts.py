"""Below the heat map: what to notice, and every rate as a table to sort and to take away."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st
from markupsafe import Markup

from backend.metrics.core.registry import by_name
from backend.store.rates.both_paraphrases import WHY
from backend.taxonomy import title
from pages.overview import latex as overview_latex
from pages.overview.view import Grid
from pages.shared.drawing.colours import labels
from pages.shared.drawing.numbers import listing
from pages.shared.frame import downloads
from pages.shared.frame.style import show
from pages.shared.frame.tips import metric_title

#: Stands before a rate that is a lower bound.
AT_LEAST = "≥"
#: Letters of a line of what is seen.
LINE = 160
COLUMNS = {
    "model": "model", "kind": "kind", "group": "group", "metric": "metric", "value": "rate", "low": "from",
    "high": "to", "n": "n", "ties": "ties", "chance": "chance",
    "within_noise": "within noise", "lowest": "if all of these were wrong", "highest": "if all were right",
    "disagreements": "orders disagree", "neither": "chose neither", "lower_bound": "lower bound",
    "of": "of items",
}  # fmt: skip


def facts_html(facts: Sequence[tuple[str, str]]) -> Markup:
    """Facts side by side.

    >>> print(facts_html([("A < B", "c")]))
    <div class="fs-notice"><div><strong>A &lt; B</strong><p>c</p></div></div>
    """
    inner = Markup().join(Markup("<div><strong>{}</strong><p>{}</p></div>").format(head, text) for head, text in facts)
    return Markup('<div class="fs-notice">{}</div>').format(inner)


def is_short(fact: tuple[str, str]) -> bool:
    """Whether all of a fact fits into the line of what is seen."""
    return len(" ".join(fact)) <= LINE


def sentence(fact: tuple[str, str]) -> Markup:
    """One fact as the line of what is seen: what it is about, then what is said, where that fits.

    >>> print(sentence(("A < B", "c.")))
    <b>A &lt; B.</b> c.
    >>> print(sentence(("a", "b" * 200)))
    <b>a.</b>
    """
    return Markup("<b>{}.</b> {}").format(fact[0], fact[1] if is_short(fact) else "").strip()


def draw(facts: Sequence[tuple[str, str]]) -> None:
    """What to notice."""
    show(facts_html(facts))


def measured(rates: pd.DataFrame) -> pd.DataFrame:
    """The rows that say something: a metric that no item of a group is judged by has no rate there, of no items."""
    return rates[rates["value"].notna() | (rates["n"] > 0)].reset_index(drop=True)


def as_table(rates: pd.DataFrame) -> pd.DataFrame:
    """The rates with their columns in reading order and named for people; fractions stay fractions. A rate that is a
    lower bound says "yes" in a column of its own, which is empty beside any other."""
    bound = rates["lower_bound"].map({True: "yes", False: ""})
    return rates.assign(lower_bound=bound)[list(COLUMNS)].rename(columns=COLUMNS)


def no_shares(rates: pd.DataFrame) -> pd.DataFrame:
    """The rows of metrics that are no share of items (ranks, sums), with the unit of each in place of per cent."""
    metrics = [by_name(str(name)) for name in rates["metric"]]
    rows = rates[[not metric.share for metric in metrics]]
    unit = [metric.unit for metric in metrics if not metric.share]
    listed = rows.assign(unit=unit, metric=rows["metric"].map(metric_title), group=rows["group"].map(title))[
        ["model", "kind", "group", "metric", "value", "unit", "low", "high", "n"]
    ]
    return listed.rename(columns={"low": "from", "high": "to"})


def table(rates: pd.DataFrame, file_name: str) -> None:
    """All rates, sortable, with a button to download them."""
    rates = measured(rates)
    listed = as_table(rates)
    names = labels(rates["model"])
    shown = listed.assign(
        model=listed["model"].map(names), metric=listed["metric"].map(metric_title), group=listed["group"].map(title)
    )
    bound = shown.pop("lower bound") == "yes"
    if shown["of items"].isna().all():
        shown = shown.drop(columns="of items")
    if bound.any():  # its sign stands before the number, which stays one that can be sorted
        shown.insert(list(shown).index("rate"), AT_LEAST, bound.map({True: AT_LEAST, False: ""}))
    per_cent = {
        name: st.column_config.NumberColumn(name, format="percent", help=tip)
        for name, tip in (("rate", "Share of items right"), ("from", "Lower end of the 95 % interval"),
                          ("to", "Upper end of the 95 % interval"), ("chance", "What random scores reach"),
                          ("if all of these were wrong", "The rate if all verdicts within noise were wrong"),
                          ("if all were right", "The rate if all verdicts within noise were right"))
    }  # fmt: skip
    counted = {
        name: st.column_config.NumberColumn(name, help=tip)
        for name, tip in (("ties", "Wrong only because two scores are equal"),
                          ("within noise", "Verdicts whose margin lies within what batching can change"),
                          ("orders disagree", "Items with different answers in two orders of asking; no ties"),
                          ("chose neither", "Answers that named no caption; no ties"),
                          ("of items", "How many there are, where the model has judged fewer: the rate is of a part"))
    }  # fmt: skip
    shares = [by_name(str(name)).share for name in rates["metric"]]
    st.dataframe(
        shown[shares], hide_index=True, column_config=per_cent | counted, height=420, alt="All rates as a table"
    )
    if bound.any():
        st.caption(
            f"{AT_LEAST} ({listing([metric_title(name) for name in dict.fromkeys(listed['metric'][bound])])} of "
            f"{listing([names[model] for model in dict.fromkeys(listed['model'][bound])])}): a lower bound, not to be "
            f"set against chance or another model: {WHY}."
        )
    if "group_match" in set(rates["metric"]):
        st.caption(f"{metric_title('group_match')} depends on the score's scale: compare it within one score kind.")
    others = no_shares(rates).assign(model=lambda frame: frame["model"].map(names))
    if len(others):
        st.caption("Metrics that are no share of items, in their own units.")
        st.dataframe(others, hide_index=True, alt="Metrics that are no share of items as a table")
    st.download_button(
        f"Download {len(listed):,} rates as CSV", downloads.csv(listed), file_name, "text/csv",
        icon=":material/download:", on_click="ignore",
    )  # fmt: skip


def latex(shown: Grid, benchmark: str, file_name: str) -> None:
    """The heat map as it is now, as a LaTeX table to take away."""
    caption = f"Per cent of items right on {benchmark}, with the ends of the 95 % interval; ties count as failures."
    if any(cell.of for cell in shown.cells.values()):
        caption += " With a share behind it: of so much of the items only, of which alone it has verdicts."
    if any(column.unit is not None for column in shown.columns):
        caption += " A column that names a unit is in that unit."
    text = overview_latex.table(shown, caption)
    st.download_button(
        "Download the heat map as LaTeX", text, file_name, "text/x-tex", icon=":material/download:", on_click="ignore",
    )  # fmt: skip
