"""`flipside granularity`: how fine-grained a benchmark's captions are, and another one's beside it."""

from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from backend import written
from backend.benchmarks.granular import Texts, comparison_document, measured, set_document
from backend.engine.inputs.selection import Selection, open_selected
from backend.errors import FlipsideError, UsageError
from backend.items import Item
from backend.perturb.granularity import Granularity
from backend.perturb.words import lexicon
from backend.verbs.shared.output import print_json, print_table, say
from backend.verbs.shared.scanning import scanning


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The benchmark whose captions are measured.")],
    against: Annotated[
        list[str] | None, typer.Option("--against", metavar="NAME2", help="Another benchmark; may be repeated.")
    ] = None,
    data: Annotated[Path | None, typer.Option("--data", metavar="DIR", help="The folder with the files.")] = None,
    against_data: Annotated[
        Path | None, typer.Option("--against-data", metavar="DIR", help="The others' folder, where it is another.")
    ] = None,
    texts: Annotated[str, typer.Option("--texts", help="Which captions: truth, foils or all.")] = "truth",
    split: Annotated[str | None, typer.Option("--split", help="Only this split.")] = None,
    subset: Annotated[str | None, typer.Option("--subset", help="Only this subset of NAME, or several: a,b.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Measure captions: adjectives and complements per noun, concept depth, length, words, diversity."""
    which: Texts | None = next((each for each in get_args(Texts) if each == texts), None)
    if which is None:
        raise UsageError(f"--texts {texts}: expected {', '.join(get_args(Texts))}.")
    first = _measure(name, data, Selection(split=split, subset=subset), which, as_json)
    others = [
        _measure(other, _folder_of(other, against_data or data), Selection(split=split), which, as_json)
        for other in against or ()
    ]
    document = {
        "texts": which,
        "lexicon": lexicon.description(),
        "sets": [set_document(title, found) for title, found in [first, *others]],
        "comparisons": [comparison_document(*first, *other) for other in others],
    }
    if as_json:
        print_json(document)
    else:
        _print(document)


def _folder_of(name: str, data: Path | None) -> Path | None:
    """What ships or is kept needs no folder, whatever the first benchmark needed."""
    from backend.benchmarks import declaration

    return data if declaration(name).needs_data else None


def _measure(name: str, data: Path | None, asked: Selection, texts: Texts, quiet: bool) -> tuple[str, Granularity]:
    benchmark, selection = open_selected(name, data, asked)
    subsets: set[str] = set()
    splits: set[str] = set()
    with scanning(f"measuring {name}", quiet=quiet) as seen:

        def keep(item: Item) -> bool:
            seen()
            subsets.add(item.subset)
            splits.update(item.tags.get("split", ()))
            return selection.matches(item)

        found = measured(benchmark, texts, keep)
    selection.check_names(benchmark.name, subsets, splits)
    title = benchmark.name + "".join(f", {part}" for part in (asked.split, asked.subset) if part)
    if not found.captions:
        raise FlipsideError(f"{title}: it has no such captions ({texts}). Try --texts all.")
    return title, found


def _print(document: dict[str, Any]) -> None:
    sets, comparisons = document["sets"], document["comparisons"]
    header = ["feature", *(each["name"] for each in sets), *(f"{each['b']} − {each['a']}" for each in comparisons)]
    rows = []
    for feature, told in sets[0]["features"].items():
        cells = [_mean(each["features"][feature]) for each in sets]
        cells += [_difference(each["features"][feature]) for each in comparisons]
        rows.append((told["title"], *cells))
    rows.append(("Distinct captions", *(f"{each['captions']:,}" for each in sets), *("" for _ in comparisons)))
    rows.append(("Vocabulary of the set", *(f"{each['vocabulary']:,}" for each in sets), *("" for _ in comparisons)))
    shares = (each["lexicon_coverage"]["share"] for each in sets)
    known = ("–" if share is None else written.percent(share) for share in shares)
    rows.append(("Known to the lexicon", *known, *("" for _ in comparisons)))
    print_table(header, rows)
    say(f"Means with 95 % intervals over distinct captions ({document['texts']}); lexicon: {document['lexicon']}.")
    if comparisons:
        say("* the interval of the difference leaves out 0 (the sets taken as independent).")


def _mean(told: dict[str, Any]) -> str:
    if told["mean"] is None:
        return "–"
    return f"{told['mean']:.3f} {written.ends(told['ci95'], 1, 3)}".strip()


def _difference(told: dict[str, Any]) -> str:
    return (
        "–"
        if told["difference"] is None
        else f"{round(told['difference'], 3) + 0.0:+.3f}{' *' if told['clear'] else ''}"
    )
