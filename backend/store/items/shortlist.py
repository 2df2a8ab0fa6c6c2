"""An item of very many texts (class names, hard negatives) as it can be shown: the true ones, and those that models
rank highest beside them."""

from dataclasses import replace

import numpy as np
import pandas as pd

from backend.store.items.detail import ItemDetail

#: An item of more texts than this is shown by its true ones and the best of the others.
MOST = 12
#: How many of the best texts of each model and kind are taken, as far as there is room.
EACH = 3


def shortlist(detail: ItemDetail, most: int = MOST) -> ItemDetail:
    """The item with at most `most` texts, renumbered; `hidden` says how many are left out. Class names are put in this
    order however few they are; pools, whose texts are the item's own captions, stay as they are.

    The true texts come first, then, in turn, each model's and kind's best ones, best first.
    """
    if detail.protocol == "retrieval" or (len(detail.texts) <= most and detail.protocol != "classify"):
        return detail
    most = min(most, len(detail.texts))
    kept = list(dict.fromkeys(text for _, text in detail.truth))[:most]
    for text in _best(detail.scores, len(detail.texts)):
        if len(kept) < most and text not in kept:
            kept.append(text)
    kept += [text for text in range(len(detail.texts)) if text not in kept][: most - len(kept)]
    place = {text: k for k, text in enumerate(kept)}
    return replace(
        detail,
        texts=[detail.texts[text] for text in kept],
        truth=[(image, place[text]) for image, text in detail.truth if text in place],
        scores=_renumbered(detail.scores, place, ("text_index", "text_index_b")),
        tokens=_renumbered(detail.tokens, place, ("text_index",)),
        hidden=len(detail.texts) - len(kept),
        numbers=tuple(kept),
    )


def _best(scores: pd.DataFrame, n_texts: int) -> list[int]:
    """Text numbers by rank: every model's and kind's first, then their second, and so on, up to EACH of each."""
    rows = scores[(scores["image_index"] == 0) & (scores["text_index"] >= 0) & scores["text_index_b"].isna()]
    rows = rows[rows["text_index"] < n_texts]
    tokens = rows["n_tokens"].fillna(0).to_numpy(dtype=np.float64)
    value = rows["value"].to_numpy(dtype=np.float64) / np.where(tokens > 0, tokens, 1)
    ranked = rows.assign(value=value).sort_values(["value", "text_index"], ascending=[False, True], kind="stable")
    ranked = ranked.assign(place=ranked.groupby(["model", "part"], sort=False).cumcount())
    ranked = ranked[ranked["place"] < EACH].sort_values("place", kind="stable")
    return [int(text) for text in dict.fromkeys(ranked["text_index"])]


def _renumbered(rows: pd.DataFrame, place: dict[int, int], columns: tuple[str, ...]) -> pd.DataFrame:
    """The rows about texts that are kept, with their new numbers; an absent number stays absent."""
    for column in columns:
        rows = rows[rows[column].isna() | rows[column].isin(list(place))]
        rows = rows.assign(**{column: rows[column].map(lambda text: place.get(text, text))})
    return rows
