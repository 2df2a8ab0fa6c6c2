"""Items, sides and verdicts of one benchmark as a published site holds them. A side is a model under a score kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from backend.benchmarks.publishing import Allowed, scores_allowed
from backend.kinds import IMAGE_KINDS, Kind
from backend.metrics.core import registry
from backend.metrics.reasons.names import CELLS, reasons_of
from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.catalog import not_scored as left_out
from backend.store.catalog import public
from backend.store.exchange import listed
from backend.store.rates import asking_orders
from backend.taxonomy import title
from pages.item.view import roles
from pages.shared.drawing import colours
from pages.shared.drawing.words import differences
from pages.shared.frame.tips import kind_name, margin_unit
from pages.static_site.packing import packed
from pages.static_site.selection import Edition

#: Around words that differ from the other captions; the page makes marks of them. No caption keeps such a character.
OPEN, CLOSE = "\u0001", "\u0002"
#: Every word of the columns `cell` and `reason`, by the number that stands for it.
WORDS = tuple(dict.fromkeys(word for protocol in CELLS for word in (*CELLS[protocol], *reasons_of(protocol))))
#: A verdict as a number: undefined, wrong, right, wrong by a tie; of who was asked to choose, wrong though no foil was
#: chosen every time.
UNDEFINED, WRONG, RIGHT, TIE, MIXED = -1, 0, 1, 2, 3


@dataclass(frozen=True)
class Side:
    """One model under one kind, as one row of every list. key: its name in the data; scores: whether its margins may be
    published; bare: whether it has none, for verdicts alone are known; rule: by which it has one verdict of several
    answers, in words, "" where it gave one."""

    model: str
    kind: str
    run_id: str
    name: str
    scores: bool = True
    bare: bool = False
    rule: str = ""
    seen: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_margins(self) -> bool:
        """Whether margins of it are published."""
        return self.scores and not self.bare

    @property
    def key(self) -> str:
        """Its name in the data and in addresses."""
        return f"{self.model}\t{self.kind}"


def sides(store: Store, edition: Edition, allowed: Allowed, names: Mapping[str, str]) -> list[Side]:
    """All sides with verdicts, in the order of the dashboard's lists; of a model those that see images first."""
    found = []
    runs = {str(row["model"]): row for row in edition.runs.to_dict("records")}
    for model in colours.order(edition.runs["model"]):
        kinds = [kind for kind in runs[model]["kinds"] if kind != Kind.PRIOR]
        run_id = str(runs[model]["run_id"])
        record = store.run(run_id).record
        scores = allowed.scores and scores_allowed(record) and not public.verdicts_only(record)
        found += [
            Side(
                model, str(kind), run_id, names[model], scores,
                bare=not asking_orders.has_margins(store, run_id, str(kind)),
                rule=asking_orders.strict(store, run_id, str(kind)),
            )
            for kind in sorted(kinds, key=lambda kind: kind not in IMAGE_KINDS)
        ]  # fmt: skip
    return found


def withheld(found: Sequence[Side], allowed: Allowed) -> list[str]:
    """What is not published of a benchmark and why, a sentence each; of its sides, where their scores alone are not."""
    names = list(dict.fromkeys(side.name for side in found if not side.scores))
    if not allowed.scores or not names:
        return list(allowed.why_not)
    of = "all models" if len(names) == len({side.name for side in found}) else ", ".join(names)
    return [*allowed.why_not, f"Scores and margins of {of} are not in here: {public.VERDICTS_ONLY}."]


def not_scored(store: Store, found: Sequence[Side]) -> list[str]:
    """Of how many items the sides' runs have no scores, and why: a sentence each (see `catalog.not_scored`)."""
    called = {side.run_id: side.name for side in found}
    kinds = {run_id: [side.kind for side in found if side.run_id == run_id] for run_id in called}
    return left_out.of_runs(store, called, kinds)


def items(frame: pd.DataFrame, allowed: Allowed, pictures: Mapping[str, str]) -> dict[str, Any]:
    """The items: ids; places in lists of subsets, concepts, perturbations; how many captions and images each has; and
    where they may be handed on, its pictures (file names, once each); lists of tags that may not are empty.
    Captions have a script of their own, `texts`."""
    subsets = list(dict.fromkeys(frame["subset"]))
    files = list(dict.fromkeys(pictures.values()))
    place = {name: k for k, name in enumerate(files)}
    none = frame["item_id"].map(lambda _: [])
    shown = [[place.get(pictures.get(uri, ""), -1) for uri in row] for row in frame["image_uris"]] if files else []
    return {
        "n": len(frame),
        "ids": list(frame["item_id"]),
        "subsets": [{"name": name, "title": title(name), "protocol": _protocol(frame, name)} for name in subsets],
        "subset": packed(frame["subset"].map({name: k for k, name in enumerate(subsets)}), "<i2"),
        "concepts": _lists(frame["concepts"] if allowed.tags else none),
        "perturbations": _lists(frame["perturbations"] if allowed.tags else none),
        "files": files,
        "pictures": shown,
        "hasTexts": allowed.texts,
    }


def judged(store: Store, sides_: Sequence[Side], items_: pd.DataFrame) -> pd.DataFrame:
    """The items that at least one side has a verdict on: the others of a benchmark would only be handed on."""
    seen = {int(no) for side in sides_ for no in listed.verdicts(store, side.run_id, side.kind)["item_no"]}
    return items_[items_["item_no"].isin(seen)].reset_index(drop=True)


def _protocol(frame: pd.DataFrame, subset: str) -> str:
    return str(frame.loc[frame["subset"] == subset, "protocol"].iloc[0])


def _lists(column: "pd.Series[Any]") -> dict[str, Any]:
    """Lists of words an item, as places in a list of all words."""
    words = list(dict.fromkeys(word for row in column for word in row))
    place = {word: k for k, word in enumerate(words)}
    ends: Any = np.cumsum([len(row) for row in column]) if len(column) else []
    return {
        "words": [{"name": word, "title": title(word)} for word in words],
        "ends": packed(ends, "<i4"),
        "at": packed([place[word] for row in column for word in row], "<i2"),
    }


def texts(frame: pd.DataFrame) -> list[list[list[str]]]:
    """[role, caption] of each caption of each item, the words that differ between OPEN and CLOSE."""
    found = []
    for protocol, own in zip(frame["protocol"], frame["texts"], strict=True):
        clean = [text.replace(OPEN, "").replace(CLOSE, "") for text in own]
        named = roles(str(protocol), len(clean))
        marked = differences(clean, named.index("N") if "N" in named else 0) if len(clean) < 12 else clean
        found.append([[role, _marked(text)] for role, text in zip(named, marked, strict=True)])
    return found


def _marked(html: Markup | str) -> str:
    """A caption whose marks are signs, with nothing escaped: the page sets it as text."""
    if not isinstance(html, Markup):
        return html
    return html.replace('<mark class="fs-diff">', OPEN).replace("</mark>", CLOSE).unescape()


def verdicts(store: Store, side: Side, items_: pd.DataFrame) -> dict[str, Any]:
    """What one side says of each item: metric -> places of its items, verdicts and margins; cell and reason of every
    item, -1 without one; times: of how many answers each item's choice is made, "" of scores (`asking_orders.alike`);
    orders: see `in_orders`."""
    frame = listed.verdicts(store, side.run_id, side.kind)
    place = pd.Series(np.arange(len(items_)), index=items_["item_no"].to_numpy())
    frame = frame[
        frame["item_no"].isin(place.index) & frame["metric"].map(lambda name: registry.known(name) is not None)
    ]
    found: dict[str, Any] = {}
    for metric, own in frame.groupby("metric", sort=False):
        if metric not in registry.judging(registry.by_name(str(metric)).protocol):
            continue
        found[str(metric)] = {
            "at": packed(place[own["item_no"]].to_numpy(), "<i4"),
            "verdict": packed(codes(own, chosen=side.kind == Kind.VERDICT), "<i1"),
            "margin": packed(own["margin"].to_numpy(dtype=float), "<f4") if side.has_margins else "",
        }
    words = {word: k for k, word in enumerate(WORDS)}
    said = frame[frame["cell"] != ""].drop_duplicates("item_no")
    columns = {}
    for name in ("cell", "reason"):
        column = np.full(len(items_), -1, dtype=np.int8)
        column[place[said["item_no"]].to_numpy()] = [words.get(word, -1) for word in said[name]]
        columns[name] = packed(column, "<i1")
    times = asking_orders.times(store, side.run_id, items_["item_no"].to_numpy()) if side.kind == Kind.VERDICT else None
    orders = in_orders(store, side, items_)
    return {"metrics": found, **columns, "times": "" if times is None else packed(times, "<i2"), "orders": orders}


def in_orders(store: Store, side: Side, items_: pd.DataFrame) -> str:
    """Of each item order by order of asking, packed: 1 where the truth was chosen, 0 where not, -1 where it was not
    asked; "" of a side whose choices were not asked in several orders that are kept apart."""
    if not asking_orders.in_several(store, side.run_id, side.kind):
        return ""
    right = asking_orders.asked(store, side.run_id, items_["item_no"].to_numpy(dtype=np.intp)).right
    return packed(np.where(np.isnan(right), -1, right), "<i1")


def codes(frame: pd.DataFrame, chosen: bool = False) -> "np.ndarray[Any, np.dtype[np.int8]]":
    """Verdicts as numbers, from columns correct, ties and margin. chosen: whether they are made of answers that
    choose: then a margin above −1 says that no foil was chosen in every order of asking, and 0 is no tie of scores.

    >>> codes(pd.DataFrame({"correct": [True, False, False, None], "ties": [False, False, True, False]})).tolist()
    [1, 0, 2, -1]
    >>> wrong = pd.DataFrame({"correct": [True, False, False, False], "ties": False, "margin": [1.0, -1.0, -0.5, 0.0]})
    >>> codes(wrong, chosen=True).tolist()
    [1, 0, 3, 3]
    """
    undefined = frame["correct"].isna().to_numpy()
    right = frame["correct"].astype("boolean").fillna(False).to_numpy(dtype=bool)
    other = (frame["margin"] > -1 if chosen else frame["ties"]).to_numpy(dtype=bool)
    wrong = np.where(other, MIXED if chosen else TIE, WRONG)
    return np.where(undefined, UNDEFINED, np.where(right, RIGHT, wrong)).astype(np.int8)


def several(side: Side, every: Sequence[Side]) -> bool:
    """Whether the kind belongs to a side's name: where its model sees images in several ways, and for texts alone where
    the model also sees images."""
    others = [each for each in every if each.model == side.model and each is not side]
    if side.kind in IMAGE_KINDS:
        return any(each.kind in IMAGE_KINDS for each in others)
    return bool(others)


def described(each: Side, names: Mapping[str, str], with_kind: bool) -> dict[str, Any]:
    """A side as lists show it. with_kind: whether the kind belongs to its name (`several`)."""
    return {
        "key": f"{names[each.model]}\t{each.kind}",
        "model": names[each.model],
        "kind": each.kind,
        "kindName": kind_name(each.kind),
        "name": f"{each.name} · {kind_name(each.kind)}" if with_kind else each.name,
        "colour": colours.of_models([each.model])[each.model],
        "shape": colours.shape(each.model),
        "margins": each.has_margins,
        "rule": each.rule,
        "unit": margin_unit(each.kind, each.model),
        "run": each.run_id,
    }


def metrics(names: Sequence[str]) -> list[dict[str, Any]]:
    """What pages say of metrics, protocol by protocol, headlines first."""
    deciding = [registry.deciding(protocol) for protocol in Protocol]
    order = [name for protocol in Protocol for name in registry.judging(protocol)]
    known = [registry.by_name(name) for name in sorted(names, key=order.index)]
    return [
        {"name": m.name, "title": m.title, "label": m.label, "protocol": str(m.protocol), "formula": m.formula,
         "decides": m.name in deciding}
        for m in known
    ]  # fmt: skip
