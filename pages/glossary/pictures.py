"""The small picture of each word, with the stored scores of its example. Nothing in them is drawn by hand."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from backend import written
from backend.metrics.core.registry import by_name
from pages.glossary import examples
from pages.glossary.examples import Choice, Quad, Triplet
from pages.item import why
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import score
from pages.shared.drawing.thumbnails import picture, source
from pages.shared.drawing.words import differences
from pages.shared.frame.tips import kind_name

RIGHT, WRONG = "✓", "✗"
#: Scores whose chance level is shown.
CHANCES = ("group_score", "text_score", "image_score", "group_match")


def of(name: str) -> Markup:
    """The picture of a name in `PICTURES`; empty for none, and where its example is not there."""
    return PICTURES[name]() if name else Markup()


def _who(model: str, name: str, kind: str, item: str) -> Markup:
    return Markup('<p class="gl-who">{}<b>{}</b> {} · {}</p>').format(colours.dot(model), name, kind_name(kind), item)


def _image(uri: str, alt: str, width: int) -> Markup:
    return picture(source(uri), alt, width)


def _quad(marks: str = "") -> Markup:
    """The 2 × 2. marks: "rows" for the text score's comparisons, "columns" for the image score's, "both" for all."""
    found = examples.quad()
    return _drawn(found, marks) if found else Markup()


def _drawn(found: Quad, marks: str) -> Markup:
    s = found.scores
    rows = [s[0, 0] > s[0, 1], s[1, 1] > s[1, 0]]
    columns = [s[0, 0] > s[1, 0], s[1, 1] > s[0, 1]]
    shown = differences(list(found.texts), 0)
    head = Markup().join(Markup('<th scope="col">{}</th>').format(text) for text in shown)
    body = Markup()
    for i in (0, 1):
        cells = Markup().join(
            Markup('<td class="{}"><b>{}</b></td>').format("gl-own" if i == j else "", score(float(s[i, j])))
            for j in (0, 1)
        )
        end = _mark(rows[i]) if marks in ("rows", "both") else Markup()
        body += Markup('<tr><th scope="row">{}</th>{}{}</tr>').format(
            _image(found.images[i], f"image {i + 1}: {found.texts[i]}", 74), cells, end
        )
    foot = Markup()
    if marks in ("columns", "both"):
        foot = Markup("<tr><th></th>{}</tr>").format(Markup().join(map(_mark, columns)))
    told = {
        "": "Framed: what belongs together. The numbers are the model's scores.",
        "rows": f"Row by row: {_verdicts(rows)}, so the text score is {_word(all(rows))}.",
        "columns": f"Column by column: {_verdicts(columns)}, so the image score is {_word(all(columns))}.",
        "both": f"All four: {_verdicts(rows + columns)}, so the group score is {_word(all(rows + columns))}.",
    }[marks]
    return Markup(
        '{}<table class="gl-quad"><thead><tr><th></th>{}</tr></thead><tbody>{}{}</tbody></table>'
        '<p class="gl-told">{}</p>'
    ).format(_who(found.model, found.name, "itc", found.item), head, body, foot, told)


def _mark(is_right: bool) -> Markup:
    return Markup('<td class="gl-mark {}">{}</td>').format(*(("gl-right", RIGHT) if is_right else ("gl-wrong", WRONG)))


def _bar(share: float, value: str, main: bool = False) -> Markup:
    """A bar of a share of the line, 0 to 1, with its number behind it."""
    return Markup('<span class="gl-line" style="--gl-share:{:.0f}%"><i class="{}"></i><b>{}</b></span>').format(
        80 * share, "gl-main" if main else "", value
    )


def _parts(who: Markup, bars: Iterable[tuple[str, Markup]], told: str) -> Markup:
    """Bars with their names, a line each, and a sentence without its full stop."""
    lines = Markup().join(Markup("<li>{}{}</li>").format(name, bar) for name, bar in bars)
    return Markup('{}<ol class="gl-parts">{}</ol><p class="gl-told">{}.</p>').format(who, lines, told)


def _verdicts(found: Sequence[bool]) -> str:
    return " ".join(RIGHT if each else WRONG for each in found)


def _word(is_right: bool) -> str:
    return f"right {RIGHT}" if is_right else f"wrong {WRONG}"


def _bars(found: Choice | Triplet, values: NDArray[np.float64], unit: str, told: str, roles: Sequence[str]) -> Markup:
    """Captions with their roles and a bar each: longer is likelier, the longest marked as right or wrong."""
    low, high = float(values.min()), float(values.max())
    best = int(np.argmax(values))
    lines = Markup()
    for k, (text, role) in enumerate(zip(found.texts, roles, strict=True)):
        share = 0.1 + 0.9 * (float(values[k]) - low) / (high - low) if high > low else 0.5
        won = ("gl-wrong" if role in ("foil", "N") else "gl-right") if k == best else ""
        lines += Markup('<li class="{}"><span class="fs-role">{}</span> {}{}</li>').format(
            won, role, text, _bar(share, score(float(values[k])))
        )
    kind = "itc" if isinstance(found, Triplet) else "gen"
    return Markup('{}<div class="gl-choice">{}<ol>{}</ol></div><p class="gl-told">{} ({}).</p>').format(
        _who(found.model, found.name, kind, found.item), _image(found.image, f"image of {found.item}", 112), lines,
        told, unit,
    )  # fmt: skip


def _triplet() -> Markup:
    found = examples.triplet()
    if not found:
        return Markup()
    return _bars(
        found, found.scores, "cosine", "The negative gets at least as much as a paraphrase: wrong ✗", ("P1", "P2", "N")
    )


def _roles(found: Choice) -> list[str]:
    return ["true", *["foil"] * (len(found.texts) - 1)]


def _foil() -> Markup:
    found = examples.choice()
    if not found:
        return Markup()
    return _bars(
        found,
        found.given,
        "log-probability a token",
        "A foil gets at least as much as the true caption: wrong ✗",
        _roles(found),
    )


def _margin() -> Markup:
    found = examples.choice()
    if not found:
        return Markup()
    foil = found.given[1:].max()
    told = (
        f"{score(float(found.given[0]))} for the true caption less {score(float(foil))} for the best foil: margin "
        f"{score(found.margin(0.0), signed=True)}, wrong ✗"
    )
    return _bars(found, found.given, "log-probability a token", told, _roles(found))


def _prior() -> Markup:
    found = examples.choice()
    if not found:
        return Markup()
    best = found.texts[int(np.argmax(found.prior))]
    return _bars(
        found, found.prior, "log P(t) a token, no picture", f"Likeliest without a look: “{best}”", _roles(found)
    )


def _pmi() -> Markup:
    found = examples.choice()
    if not found:
        return Markup()
    left = found.margin(1.0)
    told = f"With the prior taken away the margin is {score(left, signed=True)}: {_word(left > 0)}"
    return _bars(found, found.scores(1.0), "log P(t | i) − log P(t), a token", told, _roles(found))


def _alpha() -> Markup:
    """The margin over α from 0 to 1, as a line of the exact function."""
    found = examples.choice()
    if not found:
        return Markup()
    at = np.linspace(0.0, 1.0, 101)
    values = np.array([found.margin(float(alpha)) for alpha in at])
    top = 1.1 * max(float(np.abs(values).max()), 1e-9)
    points = " ".join(f"{10 + 220 * a:.1f},{50 - 40 * v / top:.1f}" for a, v in zip(at, values, strict=True))
    flip = 10 + 220 * found.low
    says = (
        f"Margin of {found.item} over α: {score(found.margin(0.0), signed=True)} at 0, "
        f"{score(found.margin(1.0), signed=True)} at 1; zero at {found.low:.3f}"
    )
    svg = Markup(
        '<svg class="gl-alpha" viewBox="0 0 240 112" role="img" aria-label="{}"><rect class="gl-below" x="10" y="50" '
        'width="220" height="40"/><line class="gl-zero" x1="10" y1="50" x2="230" y2="50"/><polyline points="{}"/>'
        '<line class="gl-flip" x1="{:.1f}" y1="10" x2="{:.1f}" y2="90"/><text x="{:.1f}" y="106" text-anchor="middle">'
        'flips at {:.3f}</text><text x="10" y="106">α = 0</text><text x="230" y="106" text-anchor="end">1</text>'
        '<text x="14" y="20">right</text><text x="14" y="86">wrong</text></svg>'
    ).format(says, points, flip, flip, flip, found.low)
    return Markup('{}{}<p class="gl-told">The margin of “{}” as α takes its prior away.</p>').format(
        _who(found.model, found.name, "gen", found.item), svg, found.texts[0]
    )


def _binding() -> Markup:
    """γ, c and r of the quad as bars from zero."""
    found = examples.quad()
    if not found:
        return Markup()
    parts = (("binding γ", found.gamma), ("caption bias c", found.c), ("image bias r", found.r))
    top = max(abs(value) for _, value in parts)
    bars = (
        (name, _bar(abs(value) / top, score(value, signed=True), main=name.startswith("binding")))
        for name, value in parts
    )
    larger = "image" if abs(found.r) >= abs(found.c) else "caption"
    told = f"Bar: size. It binds, but the {larger} bias is larger: outvoted by the {larger} {WRONG}"
    return _parts(_who(found.model, found.name, "itc", found.item), bars, told)


def _deviation() -> Markup:
    """The two costs whose difference is v2, text side."""
    found = examples.quad()
    if not found:
        return Markup()
    s = found.scores
    first, second = float(s[0, 0] - s[0, 1]), float(s[1, 1] - s[1, 0])
    lines = Markup().join(
        Markup("<li>{} loses <b>{}</b> with the other caption</li>").format(
            _image(uri, f"image {k + 1}", 52), score(cost)
        )
        for k, (uri, cost) in enumerate(zip(found.images, (first, second), strict=True))
    )
    told = f"v2, text side: {score(first)} − {score(second)} = {score(first - second, signed=True)}"
    return Markup('{}<ol class="gl-costs">{}</ol><p class="gl-told">{}.</p>').format(
        _who(found.model, found.name, "itc", found.item), lines, told
    )


def _claimed(benchmark: str, item: str, model: str, kind: str, images: Sequence[str]) -> Markup:
    """An item's pictures and the sentence on its verdict."""
    shown = Markup().join(_image(uri, f"image {k + 1} of {item}", 74) for k, uri in enumerate(images))
    return Markup('<p class="gl-pair">{}</p>{}').format(shown, why.claim(stored.item(benchmark, item), model, kind))


def _reason() -> Markup:
    found = examples.quad()
    return _claimed(found.benchmark, found.item, found.model, "itc", found.images) if found else Markup()


def _uncertain() -> Markup:
    found = examples.uncertain()
    return _claimed(found.benchmark, found.item, found.model, found.kind, found.images) if found else Markup()


def _outvoted() -> Markup:
    """Where the picture speaks for the truth and the verdict is wrong all the same."""
    world, found = stored.chosen().get(examples.WORLD), examples.choice()
    return _claimed(world.hash, found.item, found.model, "gen", [found.image]) if found and world else Markup()


def _grounded() -> Markup:
    """Where the picture is why the verdict is right."""
    found = examples.grounded()
    return _claimed(found.benchmark, found.item, found.model, found.kind, found.images) if found else Markup()


def _holm() -> Markup:
    """One comparison's p alone and as one of several, as bars."""
    found = examples.tested()
    if not found:
        return Markup()
    bars = (
        (name, _bar(0.8 * p / max(found.holm, found.p), written.p_value(p)))
        for name, p in (("if it were the only test", found.p), (f"as one of {found.tests} tests", found.holm))
    )
    who = Markup('<p class="gl-who">{}<b>{}</b> {}<b>{}</b> · {}</p>').format(
        colours.dot(found.models[0]), found.names[0], colours.dot(found.models[1]), found.names[1], found.subset
    )
    held = "still real at .05" if found.holm <= examples.LEVEL else "no longer real at .05"
    return _parts(who, bars, f"Two models on the same {found.n:,} quads, one of {found.tests} pairs: {held}")


def _interval() -> Markup:
    """A rate as a point with its interval as a line, and the chance level, on 0 to 100 %."""
    found = examples.rated()
    if not found:
        return Markup()
    said = written.rate(found.value, found.n, (found.low, found.high))
    return Markup(
        '<p class="gl-who">{}<b>{}</b> {} · {}</p><p class="gl-axis" role="img" aria-label="{}; chance {}">'
        '<s style="left:{:.1f}%;width:{:.1f}%"></s><b class="gl-dot" style="left:{:.1f}%"></b><u style="left:{:.1f}%">'
        'chance</u></p><p class="gl-told">{}. The line is the interval, on 0 to 100 %.</p>'
    ).format(
        colours.dot(found.model), found.name, found.metric, found.subset, said, written.percent(found.chance),
        100 * found.low, 100 * (found.high - found.low), 100 * found.value, 100 * found.chance, said,
    )  # fmt: skip


def _luck() -> Markup:
    found = examples.luck()
    if not found:
        return Markup()
    bars = (
        (name, _bar(n / max(found.above, found.below), f"{n:,}"))
        for name, n in (("binding above zero", found.above), ("binding below zero", found.below))
    )
    told = f"{found.n:,} {found.subset} quads; a coin would put half of them on each side"
    return _parts(_who(examples.CLIP, found.name, "itc", found.subset), bars, told)


def _near() -> Markup:
    found = examples.near()
    if not found:
        return Markup('<p class="gl-told">Its picture comes once edits have been scored: Robustness shows how.</p>')
    every = np.array([found.before, *found.after])
    low, high = float(min(every.min(), 0)), float(max(every.max(), 0))

    def place(value: float) -> float:
        return 4 + 92 * (value - low) / (high - low)

    dots = Markup().join(Markup('<i style="left:{:.1f}%"></i>').format(place(value)) for value in found.after)
    turned = sum(value > 0 for value in found.after)
    after = ", ".join(score(value, signed=True) for value in found.after)
    return Markup(
        '{}{}<p class="gl-axis" role="img" aria-label="{}">{}<b style="left:{:.1f}%"></b>'
        '<u style="left:{:.1f}%">0</u></p><p class="gl-told">Diamond: the margin, {}. Dots: under {} edits that keep '
        "the meaning; {} of them turn it.</p>"
    ).format(
        _who(found.model, found.name, found.kind, found.item), _image(found.image, f"image: {found.texts[0]}", 74),
        f"margin {score(found.before, signed=True)}, under edits {after}", dots,
        place(found.before), place(0.0), score(found.before, signed=True), len(found.after), turned,
    )  # fmt: skip


def _chance() -> Markup:
    levels = ((metric.title.lower(), metric.level()) for metric in map(by_name, CHANCES))
    bars = ((name, _bar(level, written.percent(level))) for name, level in levels if level is not None)
    return _parts(Markup(), bars, "Of a quad; the longest possible bar is 100 %")


PICTURES: dict[str, Callable[[], Markup]] = {
    "quad": _quad,
    "text_score": lambda: _quad("rows"),
    "image_score": lambda: _quad("columns"),
    "group_score": lambda: _quad("both"),
    "foil": _foil,
    "margin": _margin,
    "prior": _prior,
    "pmi": _pmi,
    "alpha": _alpha,
    "binding": _binding,
    "deviation": _deviation,
    "triplet": _triplet,
    "interval": _interval,
    "uncertain": _uncertain,
    "reason": _reason,
    "outvoted": _outvoted,
    "grounded": _grounded,
    "holm": _holm,
    "luck": _luck,
    "near": _near,
    "chance": _chance,
}
