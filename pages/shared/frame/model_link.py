"""A model's name as a link to its own page (pages/model), wherever it is shown."""

from collections.abc import Iterable
from urllib.parse import urlencode

from markupsafe import Markup, escape

from backend.kinds import PREDICTIONS, Kind
from backend.store.catalog import about
from pages.shared.data import stored
from pages.shared.drawing import colours

#: The page's folder, which is also its name in addresses.
PAGE = "model"


def where(model: str, benchmark: stored.StoredBenchmark) -> dict[str, str]:
    """The address of a model's page; of all benchmarks at once that on the first one that has a run of it.

    >>> where("bundled:clip", stored.StoredBenchmark("world", "", {}, {}, {}, {}, {}))
    {'model': 'bundled:clip', 'benchmark': 'world'}
    """
    part = next((part for part in benchmark.parts if model in part.runs), benchmark)
    return {"model": model, "benchmark": part.name}


def href(model: str, benchmark: str) -> str:
    """The link itself, as a page of this dashboard follows it.

    >>> href("openclip:ViT-B-32/openai", "world")
    'model?model=openclip%3AViT-B-32%2Fopenai&benchmark=world'
    """
    return f"{PAGE}?{urlencode({'model': model, 'benchmark': benchmark})}"


def to(model: str, benchmark: stored.StoredBenchmark) -> str:
    """The same for a benchmark as pages have it (see `where`)."""
    return href(**where(model, benchmark))


def model_link(model: str, benchmark: str, label: str = "", said: str = "") -> Markup:
    """A model's name as a link to its page, for the HTML of any page. benchmark: its name in addresses; label: what the
    model is called where that is known better here (of several of one name); said: what its tip says (`described`).

    >>> print(model_link("fake:<b>", "world"))
    <a class="fs-model-link" href="model?model=fake%3A%3Cb%3E&amp;benchmark=world" target="_self">fake:&lt;b&gt;</a>
    """
    tip = Markup(' title="{}"').format(said) if said else ""
    return Markup('<a class="fs-model-link" href="{}" target="_self"{}>{}</a>').format(
        href(model, benchmark), tip, label or colours.label(model)
    )


def named(model: str, benchmark: str, label: str) -> Markup:
    """A name as a link to the model's page on a benchmark, or without one ("") as a name alone.

    >>> print(named("fake:a", "", "a & b"))
    a &amp; b
    """
    return model_link(model, benchmark, label) if benchmark else escape(label)


def described(models: Iterable[str]) -> dict[str, str]:
    """What each model is, in one line each (`catalog.about`); "" where nothing is known. Of another system whose files
    hold verdicts alone they are called that."""
    found = about.known(stored.store(), models)
    benchmarks = stored.chosen().values()
    kinds = {model: {kind for each in benchmarks for kind in each.kinds.get(model, ())} for model in found}
    return {
        model: said.replace("scores", "verdicts", 1)
        if model.startswith(PREDICTIONS) and kinds[model] == {Kind.VERDICT}
        else said
        for model, said in found.items()
    }
