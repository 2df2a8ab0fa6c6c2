"""`flipside teach`: fine-tune a model on minimal pairs, resumable, judged on held-out ones."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backend.called import words_typed
from backend.engine.inputs.selection import Selection
from backend.errors import FlipsideError, UsageError
from backend.teach.pairs import generated
from backend.teach.processes import launching
from backend.teach.training.log import read as read_log
from backend.teach.training.recipes import RECIPES
from backend.verbs.run import checkpoint_of
from backend.verbs.shared import out, teaching
from backend.verbs.shared.output import counted, note, print_json, print_table, say
from backend.verbs.shared.under_others import said as as_time

if TYPE_CHECKING:
    from backend.teach.lesson import Learned, Lesson
    from backend.teach.training.estimate import Estimate

_JUDGED = ("group_score", "text_score", "image_score", "group_match", "accuracy", "gamma", "abs_c", "abs_r", "spread")


def command(
    model: Annotated[str | None, typer.Option("--model", metavar="SPEC", help="The model that is taught.")] = None,
    recipe: Annotated[
        str | None, typer.Option("--recipe", metavar="NAME", help=f"One of {', '.join(RECIPES)}.")
    ] = None,
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", metavar="NAME", help="Train on its items; a share is held out.")
    ] = None,
    data: Annotated[Path | None, typer.Option("--data", metavar="DIR", help="The folder with its files.")] = None,
    files: Annotated[
        list[Path] | None,
        typer.Option("--file", metavar="FILE", help="Train on own images and captions (.csv, .jsonl)."),
    ] = None,
    fresh: Annotated[
        int | None, typer.Option("--fresh", metavar="N", help="Train on N fresh minimal pairs of the bundled world.")
    ] = None,
    concepts: Annotated[str, typer.Option("--concepts", metavar="A,B", help="Of --fresh.")] = "attribute",
    split: Annotated[str | None, typer.Option("--split", help="Only this split.")] = None,
    subset: Annotated[str | None, typer.Option("--subset", help="Only this subset, or several: a,b.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", help="Only the first N items.")] = None,
    sample: Annotated[int | None, typer.Option("--sample", metavar="N", help="N items by seed.")] = None,
    held_out: Annotated[
        float, typer.Option("--held-out", metavar="SHARE", help="Of the items, to judge by; 0 holds none out.")
    ] = 0.2,
    generate: Annotated[
        Path | None,
        typer.Option(
            "--generate",
            parser=teaching.file,
            metavar="FILE",
            help="Only write generated captions, to be looked through.",
        ),
    ] = None,
    ways: Annotated[
        str | None,
        typer.Option("--ways", metavar="A,B", help="Of --generate: perturbations; flipside perturb lists them."),
    ] = None,
    fill_mask: Annotated[
        str | None, typer.Option("--fill-mask", metavar="SPEC", help="Of --generate: a masked language model.")
    ] = None,
    proposer: Annotated[
        str | None, typer.Option("--proposer", metavar="SPEC", help="Of --generate: a model that rewrites captions.")
    ] = None,
    captions: Annotated[
        Path | None, typer.Option("--captions", metavar="FILE", help="Generated captions to train with.")
    ] = None,
    leave_out: Annotated[
        str | None, typer.Option("--leave-out", metavar="A,B", help="Ways of --captions that are not taken.")
    ] = None,
    numbers: Annotated[
        str, typer.Option("--set", metavar="A=X,B=Y", help="Numbers of the recipe: eqsim=0.2,alpha=0.04.")
    ] = "",
    steps: Annotated[int, typer.Option("--steps", help="How many.")] = 300,
    batch: Annotated[int, typer.Option("--batch", help="Pairs a step.")] = 32,
    rank: Annotated[int, typer.Option("--rank", help="Of the adapters; 0 trains all weights.")] = 4,
    learning_rate: Annotated[float, typer.Option("--learning-rate", help="At its highest.")] = 1e-4,
    checkpoint_every: Annotated[int, typer.Option("--checkpoint-every", metavar="N", help="Steps.")] = 50,
    judge_every: Annotated[
        int, typer.Option("--judge-every", metavar="N", help="Steps; 0: at the beginning and the end.")
    ] = 0,
    mixed: Annotated[bool, typer.Option("--mixed", help="Towers in bfloat16, weights in float32.")] = False,
    series: Annotated[
        str | None, typer.Option("--series", metavar="NAME", help="Of its checkpoints; default: the folder's name.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of batches, adapters, dropout, what is held out.")] = 0,
    device: Annotated[str, typer.Option("--device", help="auto, cpu, cuda, cuda:N or mps.")] = "auto",
    to: Annotated[
        Path | None,
        typer.Option("--out", parser=out.folder, metavar="DIR", help="Checkpoints, log, adapter, merged model."),
    ] = None,
    processes: Annotated[
        int | None, typer.Option("--processes", metavar="N", help="That share each batch, a GPU each (or the CPU).")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it takes; nothing is written.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Fine-tune a model on minimal pairs by EqSim, SVLC or binding; the same command goes on after a stop."""
    from backend.teach.lesson import Lesson

    sources = teaching.Sources(
        benchmark, data, Selection(split, subset, limit, sample, seed), files or (), fresh, concepts, seed
    )
    if generate is not None:
        if generate.exists():
            raise UsageError(
                f"--generate {generate}: there is such a file already, perhaps one that was looked through. Name "
                "another one, or take it away."
            )
        material, _ = teaching.material(sources, 0.0)
        made = teaching.generated(material, ways, seed, fill_mask, proposer, device)
        _generated(made, generate, as_json)
        return
    if only := [
        flag for flag, value in (("--ways", ways), ("--fill-mask", fill_mask), ("--proposer", proposer)) if value
    ]:
        raise UsageError(f"{only[0]} belongs to --generate FILE, which writes captions; train with --captions FILE.")
    if model is None or recipe is None or to is None:
        raise UsageError(
            f"--model SPEC, --recipe {'|'.join(RECIPES)} and --out DIR say what is taught, how, and where it goes."
        )
    launching.refuse(processes, here := launching.place())
    if (processes or 1) > 1 and here is None:
        raise typer.Exit(launching.launch(processes or 1, words_typed() or ()))
    chosen = teaching.changed(recipe, numbers)
    teaching.folder(to)
    checkpoint_of(series or to.absolute().name, 0)
    material, judged = teaching.material(sources, held_out)
    plan = {
        "steps": steps, "learning_rate": learning_rate, "checkpoint_every": checkpoint_every,
        "judge_every": judge_every, "mixed": mixed,
    }  # fmt: skip
    lesson = Lesson(
        model, material, to, plan, chosen, batch, rank, teaching.taken(captions, leave_out), judged, series or "",
        seed, device,
    )  # fmt: skip
    _teach(lesson, dry_run, as_json)


def _generated(made: generated.Captions, path: Path, as_json: bool) -> None:
    generated.write(made, path)
    if as_json:
        print_json(
            {"file": str(path), "captions": len(made.rows), "ways": made.summary(), "left_out": made.about["left_out"]}
        )
        return
    rows = [[row[name] for name in ("how", "effect", "n", "captions", "example")] for row in made.summary()]
    print_table(("way", "effect", "generated", "of captions", "example"), rows)
    say(f"Look through {path}: a line a caption; set keep to false, or take lines out. Then train with")
    say(f"  --captions {quote(str(path))}")


def _teach(lesson: "Lesson", dry_run: bool, as_json: bool) -> None:
    from backend.teach.lesson import Prepared

    prepared = Prepared(lesson)
    needs = prepared.estimate()
    about: dict[str, Any] = {
        "model": lesson.model,
        "recipe": lesson.recipe.document(),
        "examples": len(lesson.data.examples),
        "quads": lesson.data.quads,
        "with_negatives": lesson.data.with_foils,
        "skipped": dict(lesson.data.skipped),
        "held_out": len(lesson.held_out),
        "estimate": asdict(needs),
    }
    if prepared.team.first:
        _needs(lesson, needs, say if dry_run and not as_json else note)
    if not needs.fits:
        raise FlipsideError(
            f"{lesson.folder}: the training needs {needs.disk / 1e6:.0f} MB of disk and {needs.free / 1e6:.0f} MB are "
            "free. Free some, or name a folder on another disk."
        )
    if dry_run:
        if as_json and prepared.team.first:
            print_json(about)
        return
    learned = prepared.run(teaching.Told(lesson, quiet=as_json))
    if not prepared.team.first:
        return
    log = read_log(lesson.folder)
    judged = [entry["held_out"] for entry in log if entry.get("held_out")]
    steps = [entry for entry in log if "loss" in entry]
    document = about | {
        "steps": learned.steps,
        "before": judged[0] if judged else None,
        "after": judged[-1] if judged else None,
        "first": teaching.losses(steps[:1]),
        "last": teaching.losses(steps[-1:]),
        "adapter": str(learned.adapter) if learned.adapter else None,
        "merged": str(learned.merged),
        "run": "flipside run " + " ".join(map(quote, learned.run)),
    }
    if as_json:
        print_json(document)
    else:
        _print(document, learned)


def _needs(lesson: "Lesson", needs: "Estimate", tell: Callable[[str], None]) -> None:
    """What the training takes. tell: standard output where that is all that was asked for."""
    for reason, n in lesson.data.skipped.items():
        note(f"{n} left out: {reason}")
    tell(
        f"{needs.numbers:,} numbers are trained on {len(lesson.data.examples)} examples ({lesson.data.quads} quads), "
        f"{as_time(needs.seconds)} of steps"
        + (f", {as_time(needs.judging)} each time the held-out items are judged" if needs.judging else "")
        + f", {needs.memory / 1e9:.1f} GB of memory, {needs.disk / 1e6:.0f} MB of disk "
        f"({needs.free / 1e9:.0f} GB are free)"
    )


def _print(document: dict[str, Any], learned: "Learned") -> None:
    before, after = document["before"] or {}, document["after"] or {}
    rows = [(name, f"{before[name]:.4g}", f"{after[name]:.4g}") for name in _JUDGED if name in after]
    if rows:
        print_table((f"held out ({counted(document['held_out'], 'item')})", "before", "after"), rows)
    say(f"Saved: {quote(document['merged'])}" + (", and its adapter beside it" if learned.adapter else ""))
    say(f"Score it with: {document['run']} --benchmark NAME")
