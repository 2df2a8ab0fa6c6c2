"""`flipside perturb`: a benchmark with edited captions, as benchmarks like any other."""

from pathlib import Path
from shlex import quote
from typing import Annotated, Any, get_args

import typer

from backend import paths
from backend.benchmarks.items_folder.perturbed import Texts, Wanted, Way
from backend.engine.inputs.selection import Selection, open_selected
from backend.errors import UsageError
from backend.intake.editions import Made, make_edition
from backend.intake.survey import survey
from backend.items import Item, Skipped
from backend.perturb import BROUGHT, Effect, Perturbation, everything, get, names
from backend.perturb.words import lexicon
from backend.seeds import check_seed
from backend.verbs.shared.out import folder as out_folder
from backend.verbs.shared.output import note, print_json, print_table, say
from backend.verbs.shared.proposing import Proposers
from backend.verbs.shared.scanning import scanning

#: Words that stand for several perturbations.
GROUPS = {"preserving": Effect.PRESERVING, "changing": Effect.CHANGING}


def command(
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", metavar="NAME", help="Whose captions; without it, list what there is.")
    ] = None,
    kinds: Annotated[
        str | None,
        typer.Option("--kinds", metavar="A,B", help="Perturbations, families of them (typo), preserving, changing."),
    ] = None,
    data: Annotated[Path | None, typer.Option("--data", metavar="DIR", help="The folder with its files.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Which edit of the many that are possible.")] = 0,
    seeds: Annotated[int, typer.Option("--seeds", metavar="K", help="K editions a kind: SEED, SEED + 1, …")] = 1,
    texts: Annotated[str, typer.Option("--texts", help="Which captions: all, truth or foils.")] = "all",
    way: Annotated[
        str | None,
        typer.Option("--as", help="replace: edited captions in place of the old; foils: each against its edit."),
    ] = None,
    split: Annotated[str | None, typer.Option("--split", help="Only this split.")] = None,
    subset: Annotated[str | None, typer.Option("--subset", help="Only this subset, or several: a,b.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", help="Only the first N items.")] = None,
    sample: Annotated[int | None, typer.Option("--sample", metavar="N", help="N items by seed.")] = None,
    fill_mask: Annotated[
        str | None,
        typer.Option("--fill-mask", metavar="SPEC", help="A masked language model that proposes words: lm:FOLDER."),
    ] = None,
    proposer: Annotated[
        str | None,
        typer.Option(
            "--proposer", "--endpoint", metavar="SPEC", help="A model that rewrites: endpoint:ADDRESS#MODEL, lm:FOLDER."
        ),
    ] = None,
    device: Annotated[str, typer.Option("--device", help="For a local proposer: auto, cpu, cuda, mps.")] = "auto",
    out: Annotated[
        Path | None,
        typer.Option("--out", parser=out_folder, metavar="DIR", help="Write editions here, not to the cache."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Make perturbed editions of a benchmark, one a kind and seed; without --benchmark, list the perturbations."""
    if benchmark is None:
        _list(as_json)
        return
    wanted = _wanted(kinds, seed, seeds, texts, way)
    with Proposers(fill_mask, proposer, device) as proposers:
        ready = {kind.name: proposers.equipped(kind) for kind in dict.fromkeys(w.kind for w in wanted)}
        asked = Selection(split=split, subset=subset, limit=limit, sample=sample, seed=seed)
        parent, selection = open_selected(benchmark, data, asked)
        with scanning(f"reading {benchmark}", quiet=as_json) as seen:
            found = survey(parent, selection, paths.cache_dir(), see=lambda _: seen())
        made = []
        for each in wanted:
            kind, how = ready[each.kind.name]
            how.get("refused", {}).clear()
            each = Wanted(kind, each.seed, each.texts, each.way)
            with scanning(each.name(parent.name), quiet=as_json) as seen:

                def see(_: Item | Skipped, seen: Any = seen) -> None:
                    seen()

                made.append(make_edition(parent, found, each, paths.cache_dir(), out, _made_with(kind, how), see))
            _tell(made[-1])
    if as_json:
        print_json(
            {
                "benchmark": parent.name,
                "hash": found.content_hash,
                "n_items": len(found.selected),
                "editions": [each.document() for each in made],
            }
        )
    else:
        _print(made, out)
    if any(each.reason for each in made):
        raise typer.Exit(1)


def _wanted(kinds: str | None, seed: int, seeds: int, texts: str, way: str | None) -> list[Wanted]:
    """The editions that the options ask for."""
    chosen = expand(kinds or "")
    if seeds < 1:
        raise UsageError(f"--seeds {seeds}: must be at least 1.")
    check_seed(seed, seeds)
    if texts not in get_args(Texts):
        raise UsageError(f"--texts {texts}: expected {', '.join(get_args(Texts))}.")
    if way is not None and way not in get_args(Way):
        raise UsageError(f"--as {way}: expected {' or '.join(get_args(Way))}.")
    which: Texts = next(each for each in get_args(Texts) if each == texts)
    how: Way | None = next((each for each in get_args(Way) if each == way), None)
    return [Wanted(kind, number, which, how) for kind in chosen for number in range(seed, seed + seeds)]


def expand(kinds: str) -> list[Perturbation]:
    """Perturbations by name, by family or by effect, each once; a group leaves out those that need a proposer."""
    known = everything()
    found: dict[str, Perturbation] = {}
    for word in filter(None, (part.strip() for part in kinds.split(","))):
        group = [k for k in known if not k.needs and (word == k.family or k.effect is GROUPS.get(word))]
        for kind in [get(word)] if word in names() or not group else group:
            found[kind.name] = kind
    if not found:
        raise UsageError(f"--kinds: name at least one of {', '.join(names())}.")
    return list(found.values())


def _made_with(kind: Perturbation, how: dict[str, Any]) -> dict[str, Any]:
    """What decides the edits besides name and seed."""
    told: dict[str, Any] = {} if kind.family == "typo" else {"lexicon": lexicon.description()}
    return told | ({"proposer": how} if how else {})


def _tell(made: Made) -> None:
    if made.reason:
        note(f"flipside: {made.name}: {made.reason}; nothing is written.")
    if made.replaced:
        note(f"flipside: {made.name} replaces another edition of that name ({made.replaced[:16]}); its runs are kept.")


def _print(made: list[Made], out: Path | None) -> None:
    rows = []
    for each in made:
        told = each.coverage
        share = f"{told['texts_edited']} of {told['texts']}" if told["texts"] else "–"
        left = ", ".join(f"{n} {reason}" for reason, n in told["items_left_out"].items()) or "0"
        rows.append((each.name, each.wanted.taken, sum(each.subsets.values()), share, left))
    print_table(("edition", "as", "items", "captions edited", "items left out"), rows)
    first = next((each for each in made if not each.reason), None)
    if first is not None:
        where = "" if out is None else f" --data {quote(str(first.folder))}"
        say(f"Score one with: flipside run --model bundled:clip --benchmark {quote(first.name)}{where} --kinds itc")


def _list(as_json: bool) -> None:
    known, packages = everything(), BROUGHT.packages()
    if as_json:
        fields = ("name", "title", "effect", "family", "concepts", "paper", "where", "needs", "what", "example")
        listed = [{name: getattr(k, name) for name in fields} | {"package": packages.get(k.name)} for k in known]
        print_json({"perturbations": listed})
        return
    print_table(
        ("name", "effect", "family", "from", "needs", "what", *(["package"] if packages else [])),
        [
            (k.name, k.effect, k.family, k.paper, k.needs or "–", k.what)
            + ((packages.get(k.name, ""),) if packages else ())
            for k in known
        ],
    )
