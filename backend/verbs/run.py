"""`flipside run`: score a model on a benchmark; a run that was stopped goes on where it was."""

import re
import shlex
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

import typer

from backend import paths, plain_json
from backend.benchmarks import remembered
from backend.benchmarks.items_folder.folder import own_names
from backend.engine.cluster.connection import on_cluster
from backend.engine.inputs.selection import Selection
from backend.engine.reporting.progress import shown
from backend.engine.reporting.summary import RunSummary
from backend.engine.runner import run
from backend.errors import UsageError
from backend.kinds import ASKED
from backend.models import Model
from backend.models.spec import refuse_as_name
from backend.store.failures import selections
from backend.verbs.shared import several, under_others
from backend.verbs.shared.output import counted, note, print_json, print_table, say

#: How many unreadable images are named one by one.
NAMED = 20
#: How a line begins that is said before anything is scored, and is no reason why a run failed (backend/live/jobs).
BEFOREHAND = "flipside: note: "
#: The longest name of a series, and of a model.
NAME_LENGTH = 80
#: Greater numbers of steps, or of examples seen, would not be exact in JavaScript.
MOST_STEP = 2**53 - 1


def command(
    model: Annotated[
        str, typer.Option("--model", metavar="SPEC", help="The model, e.g. bundled:clip; or several: a,b.")
    ],
    benchmark: Annotated[
        str,
        typer.Option("--benchmark", metavar="NAME", help="The benchmark, e.g. world; several: a,b; 'world~*'."),
    ],
    kinds: Annotated[
        str | None,
        typer.Option(
            "--kinds",
            help=f"Some of {','.join(ASKED)}. Default: what the model gives and the benchmark takes, "
            "and prior where --prior names a source.",
        ),
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", metavar="DIR", help="The folder with its files; remembered from then on.")
    ] = None,
    prior: Annotated[
        list[str] | None,
        typer.Option(
            "--prior", help="noise:N, images:N, images:N@FOLDER, lm:SPEC or self (blind models); or several: a,b."
        ),
    ] = None,
    device: Annotated[str, typer.Option("--device", help="auto, cpu, cuda, cuda:N or mps.")] = "auto",
    dtype: Annotated[str, typer.Option("--dtype", help="auto, float32, float16 or bfloat16.")] = "auto",
    batch: Annotated[str, typer.Option("--batch", help="auto, or how many go through the model at once.")] = "auto",
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", help="Only the first N items.")] = None,
    sample: Annotated[int | None, typer.Option("--sample", metavar="N", help="Only N items, chosen by seed.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="For samples, null images and random weights.")] = 0,
    split: Annotated[str | None, typer.Option("--split", help="Only this split.")] = None,
    subset: Annotated[str | None, typer.Option("--subset", help="Only this subset, or several: a,b.")] = None,
    picked: Annotated[
        str | None, typer.Option("--set", metavar="KEY", help="Only the items of a set picked on a page (its address).")
    ] = None,
    series: Annotated[
        str | None, typer.Option("--series", metavar="NAME", help="The training that the model is a checkpoint of.")
    ] = None,
    step: Annotated[int | None, typer.Option("--step", metavar="N", help="After how many of its steps.")] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="What the model is called from then on, on every page.")
    ] = None,
    trust_remote_code: Annotated[
        bool, typer.Option("--trust-remote-code", help="Run Python files that came with the model, with your rights.")
    ] = False,
    compiled: Annotated[
        bool, typer.Option("--compile", help="Let torch.compile make kernels first; pays on a GPU and long runs.")
    ] = False,
    reuse: Annotated[
        bool,
        typer.Option(
            "--reuse/--no-reuse", help="Take scores that stored runs hold already, or compute all that this run lacks."
        ),
    ] = True,
    counterfactual: Annotated[
        int | None,
        typer.Option(
            "--counterfactual",
            metavar="N",
            help="Also under N other images: why choices and triplets fail. 16 for bundled models, else 0.",
        ),
    ] = None,
    planned: Annotated[
        bool,
        typer.Option("--planned", help="Form batches by the plan alone: scores equal to the bit with those of --ray."),
    ] = False,
    ray: Annotated[
        str | None,
        typer.Option("--ray", metavar="ADDRESS", help="Score on a Ray cluster: auto, HOST:PORT of its head, or local."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Score a model on a benchmark; a run that was stopped goes on where it was."""
    asked = kinds_asked(kinds)
    models = several.specs(model)
    called = named(name, models)
    if called and models[0].startswith("bundled:"):
        note(
            f"{models[0]}: results of it ship, so pages and tables go on calling it as they do; the run keeps the name."
        )
    checkpoint = checkpoint_of(series, step)
    items = picked_items(picked)
    pairs = [(spec, subject) for spec in models for subject in subjects(benchmark, data)]
    loaded: dict[str, Model] = {}
    summaries = []
    with on_cluster(ray) as cluster:
        for spec, subject in pairs:
            for other in loaded.keys() - {spec}:
                del loaded[other]  # one model at a time is in memory
            say_where(subject, data)
            with shown(f"{called or spec} on {subject}", quiet=as_json) as progress:
                summary = run(
                    spec,
                    subject,
                    asked,
                    data_dir=data,
                    priors=prior or (),
                    selection=Selection(split, subset, limit, sample, seed, items),
                    device=device,
                    dtype=dtype,
                    batch=_batch(batch),
                    progress=progress,
                    trust_remote_code=trust_remote_code,
                    compile=compiled,
                    series=checkpoint,
                    reuse=reuse,
                    counterfactual=under_others.default(spec) if counterfactual is None else counterfactual,
                    loaded=loaded,
                    name=called,
                    tell=lambda said: note(f"{BEFOREHAND}{said}"),
                    planned=planned,
                    cluster=cluster,
                )
            _drop_unasked(summary, kinds is None, counterfactual is None)
            summaries.append(summary)
            if not as_json:
                if len(pairs) > 1:
                    say(subject if len(models) == 1 else f"{spec} on {subject}")
                _print(summary)
            _warn(summary)
            if summary.interrupted:
                break
    under_others.complete(summaries, _given(model, benchmark, kinds, data))
    if not as_json:
        part = any(said is not None for said in (limit, sample, picked, subset, split))
        _say_next([each for each in summaries if each.exit_code == 0 and not each.interrupted], part)
    for line in () if as_json else under_others.closing_words(summaries):
        say(line)
    if as_json:
        documents = [summary.document() for summary in summaries]
        print_json(documents[0] if len(pairs) == 1 else {"runs": documents})
    if worst := max(summary.exit_code for summary in summaries):
        raise typer.Exit(worst)


def _say_next(summaries: list[RunSummary], part: bool) -> None:
    """Say how the items are listed that each model gets wrong on each benchmark. part: whether only some items were
    asked for: then the run is named, for the model and the benchmark alone may mean another one."""
    scored = [each for each in summaries if any(entry["rows"] for entry in each.parts.values())]
    for each in scored:
        words = ["flipside", "failures", "--model", each.model, "--benchmark", each.benchmark]
        whole = not part and all(entry["complete"] for entry in each.parts.values())
        named = ["--run", each.run_id] if not whole or _has_namesakes(each.benchmark) else []
        who = "it gets wrong" if len(scored) == 1 else f"{each.model} gets wrong on {each.benchmark}"
        say(f"What {who}: {shlex.join([*words, *named])}")


def _has_namesakes(name: str) -> bool:
    """Whether other items than those just scored are here under the same name, so that the name alone may mean them."""
    found = 0
    for head in (paths.cache_dir() / "benchmarks").glob("*/benchmark.json"):
        try:
            found += plain_json.loads(head.read_text(encoding="utf-8"))["name"] == name
        except (OSError, ValueError, KeyError, TypeError):  # a damaged one stands for nothing
            continue
    return found > 1


def named(name: str | None, models: list[str]) -> str | None:
    """What `--name` says, checked; None without it. An empty one takes the name away.

    >>> named("  My  model ", ["bundled:clip"])
    'My model'
    """
    if name is None:
        return None
    said = re.sub(" +", " ", name).strip(" ")
    if len(models) > 1:
        raise UsageError(f"--name {said}: one name for {len(models)} models. Run them one by one, or write a study.")
    if len(said) > NAME_LENGTH or not said.isprintable():
        raise UsageError(f"--name: a name of up to {NAME_LENGTH} letters that can be printed, on one line.")
    try:
        refuse_as_name(said, models[0])
    except UsageError as error:
        raise UsageError(f"--name: {error}") from None
    return said


def kinds_asked(kinds: str | None) -> list[str] | None:
    """What `--kinds` lists; None without it: what the model gives and the benchmark can take."""
    return None if kinds is None else [kind.strip() for kind in kinds.split(",") if kind.strip()]


def say_where(benchmark: str, data: Path | None) -> None:
    """Say which folder is read where nobody names one."""
    if data is None and (folder := remembered(benchmark)) is not None:
        note(f"{benchmark}: files from {folder}, as last time; --data takes another folder.")


def _drop_unasked(summary: RunSummary, any_kind: bool, no_others: bool) -> None:
    """What was left out of what nobody has asked for is not told."""
    for part in list(summary.skipped):
        if any_kind or (no_others and part == "counterfactual"):
            del summary.skipped[part]


def _given(model: str, benchmark: str, kinds: str | None, data: Path | None) -> list[str]:
    """The words of the command behind `flipside`."""
    given = ["run", "--model", model, "--benchmark", benchmark, *(["--kinds", kinds] if kinds else [])]
    return [*given, *(["--data", str(data)] if data is not None else [])]


def picked_items(key: str | None) -> frozenset[str] | None:
    """The items that `--set` names; None without it. UsageError for an unknown set."""
    if key is None:
        return None
    found = selections.find(key)
    if found is None:
        raise UsageError(f"--set {key}: no picked items are kept under this name in this cache.")
    return frozenset(found.item_ids)


def checkpoint_of(series: str | None, step: int | None) -> dict[str, int] | None:
    """What `--series NAME --step N` say; None where neither is given.

    >>> checkpoint_of("my training", 200)
    {'my training': 200}
    """
    if series is None and step is None:
        return None
    name = re.sub(" +", " ", series or "").strip(" ")
    if not name or step is None:
        raise UsageError("--series and --step go together: --series NAME --step N.")
    if not 0 <= step <= MOST_STEP or len(name) > NAME_LENGTH or not name.isprintable():
        raise UsageError(
            f"--series {name} --step {step}: a name of up to {NAME_LENGTH} letters and a step from 0 to {MOST_STEP:,}."
        )
    return {name: step}


def subjects(benchmark: str, data: Path | None) -> list[str]:
    """The benchmarks that `--benchmark` names. UsageError where `--data` cannot be the folder of all of them."""
    listed = several.names(benchmark, "--benchmark")
    if data is not None and set(benchmark) & set("*?"):
        raise UsageError(f"--benchmark {benchmark}: a pattern names what is kept in the cache; leave --data out.")
    if data is not None and len(listed) > 1:
        raise UsageError(
            f"--data {data}: one folder for {len(listed)} benchmarks. Import each with its own folder first, which is "
            "remembered, and leave --data out."
        )
    return listed if data is not None else [name for pattern in listed for name in matching(pattern)]


def matching(benchmark: str) -> list[str]:
    """The names that `*` and `?` stand for: perturbed editions and own data, as they are kept; without any of these
    signs the name itself."""
    if not set(benchmark) & set("*?"):
        return [benchmark]
    kept = own_names()
    found = [name for name in kept if fnmatchcase(name, benchmark)]
    if not found:
        there = ", ".join(kept[:20]) if kept else "none; `flipside perturb` makes some"
        raise UsageError(f"--benchmark {benchmark}: no kept benchmark has such a name. There is: {there}.")
    return found


def _batch(text: str) -> int | None:
    if text == "auto":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"--batch {text}: expected auto or a number of at least 1.")
    return int(text)


def _print(summary: RunSummary) -> None:
    print_table(
        ("part", "rows", "taken", "computed", "state"),
        [
            (name, entry["rows"], entry["taken_rows"], entry["new_rows"] - entry["taken_rows"], _state(entry))
            for name, entry in summary.parts.items()
        ],
    )
    say(f"run {summary.run_id}: {counted(summary.n_items, 'item')}, {_done(summary)}")
    for run_id, parts in summary.taken.items():
        took = ", ".join(f"{counted(n, 'row')} of {part}" for part, n in parts.items())
        say(f"  taken from run {run_id}: {took}")
    for entry in summary.left_out:
        left = f"{counted(entry.n, 'item')} of {', '.join(entry.parts)}"
        say(f"  left out {left}: {entry.reason} ({_some(entry.items, entry.n)})")
    for reason in summary.skipped.values():
        say(f"  nothing to do: {reason}")


def _done(summary: RunSummary) -> str:
    """What this session did, and how fast where a model was at work. Rows are those of the table above: scores, those
    under other images among them, and vectors."""
    taken = sum(n for parts in summary.taken.values() for n in parts.values())
    took = [f"{counted(taken, 'row')} taken from stored runs"] if taken else []
    computed = sum(entry["new_rows"] - entry["taken_rows"] for entry in summary.parts.values())
    if computed and summary.seconds:
        speed = f"{computed / summary.seconds:.0f} a second, the model's loading included"
        return ", ".join([*took, f"{counted(computed, 'row')} computed in {summary.seconds:.1f} s ({speed})"])
    return ", ".join([*took, f"nothing computed, in {summary.seconds:.1f} s"])


def _state(entry: dict[str, object]) -> str:
    return "failed" if "failed" in entry else "complete" if entry["complete"] else "incomplete"


def _some(items: list[str], n: int) -> str:
    shown_ = items[:3]
    return ", ".join(shown_) + (" …" if n > len(shown_) else "")


def _warn(summary: RunSummary) -> None:
    for reason in dict.fromkeys(summary.failed.values()):
        note(f"flipside: {reason.rstrip('.')}.")
    if summary.failed:
        note(f"flipside: {_what_is_kept(summary)}")
    if summary.unreadable:
        again = "only these are scored then" if summary.goes_on else "all are scored then, in another run"
        note(
            f"flipside: {counted(len(summary.unreadable), 'item')} of {summary.n_items:,} left out, for an image of "
            f"each cannot be read. Put readable files in their place and run again: {again}."
        )
    for item, reason in list(summary.unreadable.items())[:NAMED]:
        note(f"flipside: item {item} left out: {reason}")
    if len(summary.unreadable) > NAMED:
        note(f"flipside: … and {len(summary.unreadable) - NAMED} more items whose images cannot be read.")
    if summary.interrupted:
        again = "the same command goes on from here" if summary.goes_on else "the same command begins another run"
        note(f"flipside: stopped. Everything scored so far is kept; {again}.")
    elif not any(entry["rows"] for entry in summary.parts.values()) and not summary.failed and not summary.unreadable:
        note("flipside: nothing could be scored: the images are missing. Put them under --data and run again.")


def _what_is_kept(summary: RunSummary) -> str:
    """What there is of a run of which a part failed, and what the same command would do."""
    if not any(entry["rows"] for entry in summary.parts.values()):
        return "Nothing was scored. Mend that and run again."
    if summary.goes_on:
        return "What was committed before is kept; run again to go on."
    return f"What was committed before is kept in run {summary.run_id}; the same command begins another run."
