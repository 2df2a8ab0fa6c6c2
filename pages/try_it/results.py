"""The answers on the Try-it page: who is right, each model's matrices, and what the language prior decides."""

from collections.abc import Sequence
from hashlib import sha256

import streamlit as st
from markupsafe import Markup

from backend.items import Kind, Protocol
from backend.live.scoring import judging
from backend.live.scoring.scoring import ModelScores
from backend.metrics.core.registry import by_name, deciding
from pages.shared.drawing import colours
from pages.shared.drawing.matrix import DENSE, LEGEND, WINNERS, panels, score_matrix
from pages.shared.drawing.numbers import count as number_of
from pages.shared.drawing.numbers import score as number
from pages.shared.drawing.thumbnails import picture
from pages.shared.drawing.tokens import token_strip
from pages.shared.drawing.verdicts import chip, chips
from pages.shared.frame.header import chart_caption, section
from pages.shared.frame.hidden import hide
from pages.shared.frame.style import show
from pages.shared.frame.tips import kind_name, kind_unit, metric_tip, metric_title
from pages.try_it import alpha_lines
from pages.try_it.scores import source_name

DEVIATIONS = (
    "EqSim deviations: 0 is perfectly equivariant. Below each: divided by the standard deviation of these four cells, "
    "and its size as a multiple of the margin."
)
#: Texts whose tokens are shown at once; of more, each image's are folded away.
FEW = 8
NOTHING = "Gives none of the chosen score kinds for this input."

#: Probabilities saturate and tie, so matching and questions are judged, and their margins given, in log-odds.
LOG_ODDS = "log-odds"


def answer(found: Sequence[ModelScores], layout: str, kinds: Sequence[str], paint: dict[str, str]) -> None:
    """One line: which models are right."""
    names = colours.labels([scores.spec for scores in found])
    decides = deciding(Protocol(layout)) if layout in set(Protocol) else None
    parts, right, judged = [], 0, 0
    several = [0]
    for scores in found:
        shown = [kind for kind in scores.matrices if kind in kinds]
        several.append(len(shown))
        for kind in shown:
            verdict = next((v for v in _verdicts(scores, kind, layout) if v.metric == decides), None)
            if verdict is None or verdict.correct is None:
                continue
            judged, right = judged + 1, right + verdict.correct
            name = f"{names[scores.spec]} · {kind_name(kind)}" if len(shown) > 1 else names[scores.spec]
            unit = LOG_ODDS if kind in scores.log_odds else ""
            parts.append(
                chip(name, verdict.correct, verdict.margin, dot=colours.dot(scores.spec, paint[scores.spec]), unit=unit)
            )
    if not parts or decides is None:
        return
    what = "model" if max(several) == 1 else "score"
    section(f"{right} of {number_of(judged, what)} get it right", metric_tip(decides))
    show(chips(parts))


def cards(
    found: Sequence[ModelScores],
    layout: str,
    kinds: Sequence[str],
    texts: Sequence[str],
    thumbs: Sequence[str],
    paint: dict[str, str],
) -> None:
    """Each model's score matrices, verdicts and deviations, side by side."""
    section("Every score, side by side", LEGEND if layout != judging.GRID else WINNERS)
    names = colours.labels([scores.spec for scores in found])
    show(panels([_card(s, names[s.spec], layout, kinds, texts, thumbs, paint[s.spec]) for s in found], len(texts)))


def _card(
    scores: ModelScores,
    name: str,
    layout: str,
    kinds: Sequence[str],
    texts: Sequence[str],
    thumbs: Sequence[str],
    colour: str,
) -> Markup:
    dot = colours.dot(scores.spec, colour)
    head = Markup('<p class="fs-model">{}{}<small>{}</small></p>').format(dot, name, scores.spec)
    if scores.problem:
        return Markup('<article class="fs-panel">{}<p class="fs-problem">{}</p></article>').format(head, scores.problem)
    columns = judging.roles(layout, len(texts))
    parts = []
    for kind in [k for k in scores.matrices if k in kinds]:
        parts.append(
            score_matrix(
                scores.matrices[kind].tolist(),
                [str(i + 1) for i in range(len(thumbs))],
                columns,
                judging.truth(layout),
                title=f"{kind_name(kind)} ({kind})",
                unit=kind_unit(kind),
                row_images=thumbs,
                hints=texts,
            )
        )
        unit = LOG_ODDS if kind in scores.log_odds else ""
        parts.append(chips([_chip(v, unit) for v in _verdicts(scores, kind, layout)]))
        if layout == Protocol.QUAD:
            parts.append(_deviations(scores, kind))
    if scores.t2t is not None and Kind.T2T in kinds and len(texts) > 1:
        between = score_matrix(
            scores.t2t.tolist(), columns, columns, title="text–text (t2t)", unit="cosine", hints=texts, triangle=True
        )
        many = len(texts) > DENSE and bool(scores.matrices)
        parts.append(
            Markup("<details><summary>text–text (t2t)</summary>{}</details>").format(between) if many else between
        )
        if layout == Protocol.TRIPLET:
            parts.append(chips([_chip(judging.text_verdict(scores.t2t))]))
    if scores.prior is not None and not scores.gen_tokens:
        parts.append(
            score_matrix(
                [scores.prior.tolist()],
                ["no image"],
                columns,
                judging.truth(layout),
                title="prior: which caption is the likelier sentence",
                unit=kind_unit("prior"),
                hints=texts,
            )
        )
    if scores.no_prior:
        parts.append(Markup('<p class="fs-problem">No language prior: {}</p>').format(scores.no_prior))
    if any(scores.truncated):
        cut = ", ".join(str(k + 1) for k, t in enumerate(scores.truncated) if t)
        parts.append(
            Markup(
                '<p class="fs-problem">Caption {} is longer than this model reads; its end was not scored.</p>'
            ).format(cut)
        )
    if not parts:
        parts.append(Markup('<p class="fs-caption">{}</p>').format(hide(scores.nothing or NOTHING)))
    return Markup('<article class="fs-panel">{}{}</article>').format(head, Markup().join(parts))


def _verdicts(scores: ModelScores, kind: str, layout: str) -> list[judging.Verdict]:
    return judging.verdicts(scores.judged(kind), layout)


def _chip(verdict: judging.Verdict, unit: str = "") -> Markup:
    tie = " A tie, which counts as wrong." if verdict.tie else ""
    return chip(
        by_name(verdict.metric).label.removesuffix(" score"),
        verdict.correct,
        verdict.margin,
        title=metric_tip(verdict.metric) + tie,
        unit=unit,
    )


def _deviations(scores: ModelScores, kind: str) -> Markup:
    facts = Markup()
    for name, raw, free, ratio in judging.deviations(scores.matrices[kind]):
        tip = metric_tip(f"eqsim_{name}")
        facts += Markup(
            '<div class="fs-fact" title="{tip}"><span>{name}</span><b>{raw}</b>'
            "<small>{unit}</small><small>{free} σ</small>"
            "<small>{ratio} × margin</small></div>"
        ).format(
            tip=tip,
            name=name.replace("_", " "),
            raw=number(raw, signed=True),
            unit=kind_unit(kind),
            free=number(free, signed=True),
            ratio=number(ratio),
        )
    return Markup('<div class="fs-facts" title="{}">{}</div>').format(DEVIATIONS, facts)


def prior_section(
    found: Sequence[ModelScores], layout: str, texts: Sequence[str], thumbs: Sequence[str], paint: dict[str, str]
) -> None:
    """For each generative model: the α-slider, where its verdict flips, and the tokens behind it."""
    generative = [scores for scores in found if scores.gen_tokens and scores.prior is not None]
    if not generative:
        return
    section("What the language prior decides", "log P(t | i) − α · log P(t): VisualGPTScore, Eq. 7")
    wide = st.toggle("α up to 2", key="try-wide", help="α = 1 is pointwise mutual information; papers search 0 to 1.")
    names = colours.labels([scores.spec for scores in found])
    for scores in generative:
        _model_prior(scores, names[scores.spec], layout, texts, thumbs, paint[scores.spec], 2.0 if wide else 1.0)


def _model_prior(
    scores: ModelScores, name: str, layout: str, texts: Sequence[str], thumbs: Sequence[str], colour: str, upto: float
) -> None:
    dot = colours.dot(scores.spec, colour)
    source = Markup("<small>prior from {}</small>").format(source_name(scores.prior_source))
    show(Markup('<p class="fs-model">{}{}{}</p>').format(dot, name, source))
    found, lines = judging.flips(scores, layout), judging.comparisons(scores, layout)
    frame = st.container(key=f"fs-stack-{sha256(scores.spec.encode()).hexdigest()[:8]}")
    left, right = frame.columns([5, 6], gap="large") if lines else (None, frame)
    if left is not None:
        with left:
            main = found[0]
            said = " ".join(_says(flip, upto) for flip in found)
            st.vega_lite_chart(
                spec=alpha_lines.spec(lines, main.low, main.high, colour, upto),
                key=f"try-alpha-{scores.spec}-{upto}",
                alt=f"{name}: margin of the true over the false caption against α. {said}",
            )
            chart_caption(f"{said} The verdict is right where every line is above zero (shaded).")
    with right:
        _tokens(scores, layout, texts, thumbs)


def _says(flip: judging.Flip, upto: float) -> str:
    name = metric_title(flip.metric)
    if flip.constant:
        word = "right" if flip.right_at(0) else "wrong"
        return f"{name} is {word} at every α: the same text stands on both sides, so α cancels."
    points = flip.points(upto)
    if not points:
        return f"{name} is {'right' if flip.right_at(upto / 2) else 'wrong'} for every α from 0 to {upto:g}."
    where = " and ".join(f"{point:.3f}" for point in points)
    low, high = max(0.0, flip.low), min(upto, flip.high)
    return f"{name} flips at α = {where}: right between {low:.3f} and {high:.3f}."


def _tokens(scores: ModelScores, layout: str, texts: Sequence[str], thumbs: Sequence[str]) -> None:
    roles = judging.roles(layout, len(texts))
    few = len(scores.gen_tokens) * len(texts) <= FEW
    body = Markup()
    for i, row in enumerate(scores.gen_tokens):
        strips = Markup()
        for j, text in enumerate(row):
            prior = scores.prior_tokens[j].logprobs.tolist() if scores.prior_tokens else None
            strips += token_strip(text.tokens, text.logprobs.tolist(), prior, name=roles[j])
        one = Markup('<div class="fs-strips">{}<div>{}</div></div>').format(
            picture(thumbs[i], f"image {i + 1}", 72), strips
        )
        body += one if few else Markup("<details><summary>image {}</summary>{}</details>").format(i + 1, one)
    show(body)
    if scores.prior_tokens:
        chart_caption(
            "Each token's number and colour: what the image adds to the prior, log P(token | image) − log P(token), in "
            "nats (brown: more likely with the image; blue: less; pale: the prior decides alone). The bar: its "
            "probability with the image."
        )
    else:
        chart_caption("Each token's natural log-probability with the image; this prior has other tokens.")
