"""Robustness: the same model on original and on fine-grained captions of the same images."""

from markupsafe import Markup

from backend import written
from backend.store.robustness.fine_grained import FINER, Finer, Side
from backend.store.robustness.pools import RECALLS
from pages.robustness import data, relative
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import DASH, fixed
from pages.shared.frame.header import chart_caption, empty, section
from pages.shared.frame.style import show
from pages.shared.frame.tips import kind_name, metric_tip, metric_title


def draw(benchmark: stored.StoredBenchmark) -> None:
    """Recall on both, side by side."""
    section("Do finer captions make retrieval easier?", "COCO and Flickr30k against their fine-grained versions")
    found, missing = data.finer_pairs()
    for one in found:
        show(table(one))
    if found:
        chart_caption(
            "Per cent. First two columns: on the images that both releases caption; the gain has a 95 % interval "
            "(random halves of the images, with all their captions on both sides). Last two: each release's whole "
            "pool; the pools differ in size (MSCOCO-FG adds images that no caption belongs to), so these two cannot be "
            "compared."
        )
    for old, lacking in missing:
        if not any(each.original.name == old for each in found):
            empty(f"No model has been scored on both {old} and {FINER[old]}", next_step(old, lacking))
    relative.draw(benchmark)


def next_step(old: str, lacking: list[str]) -> str:
    """What to type."""
    names = lacking or [old, FINER[old]]
    return (
        "Put the original files into a data folder (docs/benchmarks.md says which), then: "
        + "; ".join(f"python -m backend run --model SPEC --benchmark {name} --data DIR --kinds itc" for name in names)
        + ". Runs does the same in the browser. Both runs must be of the same weights."
    )


def table(found: Finer) -> Markup:
    """HTML: a row a recall."""
    name = colours.labels([found.model])[found.model]
    sides = (found.original, found.finer, *found.whole)
    heads = [f"{found.original.name}, shared", f"{found.finer.name}, shared", "gain"]
    heads += [f"{side.name}, whole" for side in found.whole]
    sizes = [*(f"{s.n_images:,} × {s.n_texts:,}" for s in sides[:2]), ""]
    sizes += [f"{s.n_images:,} × {s.n_texts:,}" for s in found.whole]
    top = Markup().join(Markup('<th scope="col">{}<br>{}</th>').format(h, n) for h, n in zip(heads, sizes, strict=True))
    body = Markup()
    for metric in (*RECALLS, "rsum"):
        title = "rsum" if metric == "rsum" else metric_title(metric)
        tip = "The six recalls added up, of 600" if metric == "rsum" else metric_tip(metric)
        shown = [_value(side, metric) for side in sides]
        shown.insert(2, _gain(found, metric))
        cells = Markup().join(Markup("<td>{}</td>").format(cell) for cell in shown)
        body += Markup('<tr><th scope="row" title="{}">{}</th>{}</tr>').format(tip, title, cells)
    return Markup(
        '<p class="fs-model">{dot}{name}'
        "<small>{kind}</small></p>"
        '<div class="fs-scroll" tabindex="0" role="region" aria-label="original against fine-grained captions">'
        '<table class="fs-table"><thead><tr><th scope="col">images × captions</th>{top}</tr>'
        "</thead><tbody>{body}</tbody></table></div>"
    ).format(dot=colours.dot(found.model), name=name, kind=kind_name(found.kind), top=top, body=body)


def _value(side: Side, metric: str) -> Markup | str:
    if metric == "rsum":
        values = [rate.value for rate in side.rates.values()]
        return DASH if None in values else Markup("<b>{:.1f}</b>").format(100 * sum(v for v in values if v is not None))
    rate = side.rates[metric]
    if rate.value is None:
        return DASH
    number, ends = written.cell(rate.value, rate.n, rate.ci95)
    return Markup("<b>{}</b>").format(number) + (Markup("<small>{}</small>").format(ends) if ends else "")


def _gain(found: Finer, metric: str) -> Markup | str:
    if metric not in found.gains:
        return DASH
    value, ci95 = found.gains[metric]
    within = "" if ci95 is None else Markup("<small>{}</small>").format(written.ends(ci95, signed=True))
    return Markup("<b>{}</b>{}").format(fixed(100 * value, 1, signed=True), within)
