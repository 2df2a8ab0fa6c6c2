"""Token by token: log P(t | i), log P(t) and their α-difference, two captions under each other, an α that recolours."""

from collections.abc import Sequence
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from backend.live.scoring.scoring import ModelScores, Tokens
from pages.shared.data.token_words import Column, lined_up, shown, words_of
from pages.shared.drawing import colours, component
from pages.shared.drawing.colours import DIVERGING
from pages.shared.frame.header import chart_caption
from pages.shared.frame.style import show
from pages.try_it.scores import source_name

HERE = Path(__file__).parent

_component = component.load("flipside_token_prior", HERE / "tokens.js", html='<div id="tokens"></div>')


def caption(name: str, text: str, given: Tokens, prior: Tokens | None, prior_mean: float | None) -> dict[str, Any]:
    """One caption's tokens by word. prior_mean: log P(t) divided by the caption's token count, or None without one.

    given: log P(token | before, image); prior: log P(token | before), where the prior has the same tokens. All natural
    logs; what is no finite number becomes None.
    """
    groups = words_of(given.tokens, text)
    n = len(given.tokens)
    return {
        "name": name,
        "text": text,
        "n": n,
        "sum": _finite(float(given.logprobs.sum())),
        "prior": None if prior_mean is None else _finite(prior_mean * n),
        "words": [
            {
                "word": "".join(shown(given.tokens[k]) for k in group),
                "tokens": [
                    {
                        "t": shown(given.tokens[k]),
                        "g": _finite(float(given.logprobs[k])),
                        "p": None if prior is None else _finite(float(prior.logprobs[k])),
                    }
                    for k in group
                ],
            }
            for group in groups
        ],
    }


def view(
    scores: ModelScores, image: int, names: Sequence[str], texts: Sequence[str], a: int, b: int | None, upto: float
) -> dict[str, Any]:
    """What the component draws for one model and one image: caption `a`, and under it caption `b`."""
    sides = [
        caption(
            names[j],
            texts[j],
            scores.gen_tokens[image][j],
            scores.prior_tokens[j] if scores.prior_tokens else None,
            None if scores.prior is None else float(scores.prior[j]),
        )
        for j in (a, b)
        if j is not None
    ]
    words = [[word["word"] for word in side["words"]] for side in sides]
    columns = lined_up(*words) if b is not None else [Column(k, None, k) for k in range(len(words[0]))]
    return {
        "signature": sha256(repr((scores.spec, scores.prior_source, image, texts, a, b)).encode()).hexdigest()[:12],
        "sides": sides,
        "columns": [[column.a, column.b, column.block] for column in columns],
        "reach": reach(sides),
        "upto": upto,
        "scale": list(DIVERGING),
        "source": source_name(scores.prior_source),
    }


def reach(sides: Sequence[dict[str, Any]]) -> float:
    """Nats at which a token's colour is full: the largest |log P(token | image) − log P(token)| shown, 1 at least."""
    gaps = [
        abs(token["g"] - (token["p"] or 0.0))
        for side in sides
        for word in side["words"]
        for token in word["tokens"]
        if token["g"] is not None and (token["p"] is not None or side["prior"] is None)
    ]
    return round(float(np.max(gaps, initial=1.0)), 2)


def draw(
    scores: ModelScores,
    label: str,
    colour: str,
    image: int,
    names: Sequence[str],
    texts: Sequence[str],
    a: int,
    b: int | None,
    upto: float,
    key: str,
) -> None:
    """The strip of one generative model with its slider."""
    dot = colours.dot(scores.spec, colour)
    source = f"prior from {source_name(scores.prior_source)}" if scores.prior is not None else "no prior"
    show(Markup('<p class="fs-model">{}{}<small>{}</small></p>').format(dot, label, source))
    _component(data=view(scores, image, names, texts, a, b, upto), key=f"{key}-{scores.spec}")
    if not scores.prior_tokens:
        chart_caption(
            "This prior cuts captions into other tokens (or there is none), so α acts on the sums and means only; the "
            "tokens show log P(token | image)."
        )


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
