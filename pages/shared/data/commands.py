"""Commands that a page suggests: how a stored benchmark is named in them, and what brings scores of a model.

They begin with `flipside`, for the text of a page (`frame.hidden.hide` says how it can be typed here); what is drawn as
it is passes through `hide` first.
"""

from collections.abc import Sequence
from shlex import join, quote

from backend.benchmarks import typed
from backend.kinds import PAIR_KINDS, PREDICTIONS, Kind
from backend.paths import existing
from pages.shared.data.stored import StoredBenchmark

#: Two edits that apply to nearly every caption: one that keeps the meaning, one that destroys it.
EDITS = ("character_swap", "shuffle_all_words")
#: What stands where nobody here can know a name.
ANY_MODEL = "SPEC"


def name(benchmark: StoredBenchmark) -> str:
    """Its name on the command line: that of an edition comes without the hash that tells it from another."""
    return benchmark.name.partition("@")[0]


def words(benchmark: StoredBenchmark) -> str:
    """What follows `--benchmark`: with `--data DIR` where no folder of it was read here (see `typed.words`)."""
    return typed.words(name(benchmark))


def lacking(benchmark: StoredBenchmark) -> str:
    """What that folder must hold, in brackets after a space; "" where none is lacking."""
    said = typed.lacking(name(benchmark)).strip()
    return f" ({said})" if said else ""


def cannot_run(model: str) -> str:
    """Why no command can score by a model here, half a sentence; "" where one can.

    >>> cannot_run("predictions:gpt4v"), cannot_run("bundled:clip"), cannot_run("hf:/not/there/any/more")
    ('it is what another system said, without weights', '', 'its folder is not there any more')
    """
    if model.startswith(PREDICTIONS):
        return "it is what another system said, without weights"
    family, _, place = model.partition(":")
    if family in ("hf", "openclip", "st", "lm") and place.startswith(("/", "~")) and existing(place) is None:
        return "its folder is not there any more"
    return ""


def a_model(benchmark: StoredBenchmark) -> str:
    """The first model with scores of a benchmark that can be run; a placeholder where there is none."""
    return next((model for model in benchmark.models if not cannot_run(model)), ANY_MODEL)


def run(model: str, benchmark: str, kinds: str, *more: str) -> str:
    """`flipside run` of a model. benchmark: what follows `--benchmark` (`words`), or a pattern in quotes; model: a
    spec, or `a_model`."""
    return " ".join(["flipside run --model", quote(model), "--benchmark", benchmark, "--kinds", kinds, *more])


def edited(benchmark: StoredBenchmark, kinds: Sequence[str] = EDITS, *more: str) -> str:
    """`flipside perturb` of a benchmark."""
    return " ".join(["flipside perturb --benchmark", words(benchmark), "--kinds", ",".join(kinds), *more])


def of_edits(benchmark: StoredBenchmark) -> str:
    """The pattern that names all editions of a benchmark, quoted."""
    return quote(f"{name(benchmark)}~*")


def added(model: str, benchmark: StoredBenchmark, edition: str = "") -> str:
    """`flipside add-predictions` of another system's scores. edition: of the benchmark, where they are of that."""
    said = quote(edition) if edition else words(benchmark)
    return f"flipside add-predictions FILE --as {quote(model.removeprefix(PREDICTIONS))} --benchmark {said}"


def scored_edits(benchmark: StoredBenchmark, edit: str = EDITS[0]) -> str:
    """What brings scores of its editions once they are made: a run of a model that has scores of it already; where all
    of these are other systems' scores, the first one's answers on one edition."""
    model = a_model(benchmark)
    if model == ANY_MODEL and benchmark.models:
        return added(benchmark.models[0], benchmark, f"{name(benchmark)}~{edit}")
    own = [kind for kind in benchmark.kinds.get(model, []) if kind in PAIR_KINDS]
    return run(model, of_edits(benchmark), own[0] if own else Kind.ITC)


def answered_elsewhere(benchmark: StoredBenchmark, model: str, kinds: Sequence[str] = EDITS) -> list[str]:
    """What brings another system's scores of edited captions, a line each: the editions, the items of the first one for
    the system to judge, and what it says of them."""
    edition = f"{name(benchmark)}~{kinds[0]}"
    return [
        edited(benchmark, kinds),
        join(["flipside", "export", "--benchmark", edition, "--what", "items", "--out", "items.csv"]),
        added(model, benchmark, edition),
    ]
