"""log P(t) of an item's captions from each prior source, with its Monte-Carlo standard error."""

import re
from collections.abc import Collection

import numpy as np
import pandas as pd
from markupsafe import Markup

from backend.metrics.alpha import log_mean_exp
from backend.metrics.alpha.montecarlo import log_mean_exp_error
from backend.prior_names import prior_name
from backend.store.queries import ItemDetail
from pages.item import view
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import DASH, score

CAPTION = (
    "log P(t), how likely a caption is without its image: mean over the sampled images (Eq. 13) but the item's own, "
    "divided by the caption's tokens, ± its Monte-Carlo standard error (nats a token). One sample or a blind model has "
    "none."
)


def rows(
    scores: pd.DataFrame, n_texts: int, left_out: Collection[tuple[str, str, int]] = ()
) -> list[tuple[str, str, list[tuple[float, float, int]]]]:
    """(model, source, one (log P per token, its error, samples) a caption), sources of sampled images first.

    scores: an item's stored scores; parts `prior@<source>` count. left_out: `ItemDetail.own`.
    """
    found = []
    own = scores[scores["part"].str.startswith("prior@")]
    if left_out:
        keys = zip(own["run_id"], own["part"], own["sample"], strict=True)
        own = own[[key not in left_out for key in keys]]
    for (model, part), lines in own.groupby(["model", "part"], sort=False):
        cells = []
        for text in range(n_texts):
            same = lines[lines["text_index"] == text].sort_values("sample")
            tokens = float(same["n_tokens"].iloc[0]) if len(same) and same["n_tokens"].iloc[0] > 0 else np.nan
            sums = same["value"].to_numpy(dtype=np.float64)
            p, error = (float(f(sums)) / tokens if len(sums) else np.nan for f in (log_mean_exp, log_mean_exp_error))
            cells.append((p, error, len(sums)))
        found.append((str(model), str(part).removeprefix("prior@"), cells))
    return sorted(found, key=lambda row: (row[1].partition(":")[0] not in ("images", "noise"), row[0], row[1]))


def html(detail: ItemDetail, only: Collection[str] | None = None) -> Markup:
    """A table, a row a source; "" where no prior is stored. only: the priors of these models."""
    every = rows(detail.scores, len(detail.texts), detail.own)
    found = [row for row in every if only is None or row[0] in only]
    if not found or detail.protocol == "retrieval":
        return Markup()
    names = colours.labels(model for model, _, _ in every)
    roles = view.roles(detail.protocol, len(detail.texts), len(detail.truth))
    heads = [f"{role} {k}" if roles.count(role) > 1 else role for k, role in enumerate(roles)]
    head = Markup().join(Markup("<th scope='col' title='{}'>{}</th>").format(t, h)
                   for h, t in zip(heads, detail.texts, strict=True))  # fmt: skip
    body = Markup()
    for model, source, cells in found:
        inner = Markup().join(Markup("<td>{}</td>").format(_cell(*cell)) for cell in cells)
        told = _told(names[model], source, cells[0][2] if cells else 0)
        body += Markup("<tr><th scope='row'>{}</th>{}</tr>").format(told, inner)
    return Markup(
        '<div class="fs-scroll" tabindex="0" role="region" aria-label="priors of the captions">'
        '<table class="fs-table fs-priors"><thead><tr><th>prior</th>{}</tr></thead>'
        "<tbody>{}</tbody></table></div>"
    ).format(head, body)


def _told(name: str, source: str, samples: int) -> str:
    """A row's name. samples: how many images a caption of this item has.

    >>> _told("captioner", "images:20", 19), _told("captioner", "lm:bundled:lm", 1)
    ('captioner · 20 sampled images (19 here)', 'captioner · the blind language model bundled:lm')
    """
    drawn = re.match(r"(?:images|noise):(\d+)", source)
    fewer = f" ({samples} here)" if drawn and 0 < samples < int(drawn.group(1)) else ""
    return f"{name} · {prior_name(source)}{fewer}"


def _cell(value: float, error: float, samples: int) -> Markup | str:
    if not samples or np.isnan(value):
        return DASH
    return score(value) + ("" if np.isnan(error) else Markup("<small>± {}</small>").format(score(error)))
