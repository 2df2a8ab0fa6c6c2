"""The command line: a table of verbs, each imported when it is called, and one place where errors become exit codes."""

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any

import typer
from typer._click import ClickException
from typer.core import TyperCommand, TyperGroup

from backend import __version__, environment, plugins
from backend.called import in_terminal, pasteable, typed
from backend.durable import STANDARD_OUTPUT, unwritable
from backend.engine.interrupt import STOPPED, answered
from backend.engine.reporting.waiting import at_work
from backend.errors import FlipsideError
from backend.paths import cache_dir
from backend.verbs.shared.given import Verb

#: One line a verb: its name and where its `command` function is. Help is the first line of the function's docstring.
VERBS: dict[str, str] = {
    "models": "backend.verbs.models:command",
    "benchmarks": "backend.verbs.benchmarks:command",
    "fetch": "backend.verbs.fetch:command",
    "import": "backend.verbs.import_:command",
    "perturb": "backend.verbs.perturb:command",
    "granularity": "backend.verbs.granularity:command",
    "run": "backend.verbs.run:command",
    "study": "backend.verbs.study:command",
    "teach": "backend.verbs.teach:command",
    "report": "backend.verbs.report:command",
    "table": "backend.verbs.table:command",
    "compare": "backend.verbs.compare:command",
    "failures": "backend.verbs.failures:command",
    "runs": "backend.verbs.runs:command",
    "published": "backend.verbs.published:command",
    "add-predictions": "backend.verbs.add_predictions:command",
    "export": "backend.verbs.export:command",
    "import-results": "backend.verbs.import_results:command",
    "publish": "backend.verbs.publish:command",
    "sql": "backend.verbs.sql:command",
    "world": "backend.verbs.world:command",
    "doctor": "backend.verbs.doctor:command",
    "dashboard": "backend.verbs.dashboard:command",
    "serve": "backend.verbs.serve:command",
}


#: The verb that names what is wrong with the owner's variables among all else that it finds, instead of ending there.
DOCTOR = "doctor"


def _built(name: str, function: Any) -> Any:
    """The command of a verb's function."""
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name=name, cls=Verb)(function)
    return typer.main.get_command(single)


def _verb_wrong(name: str, found: Any) -> str:
    """What is wrong with another package's verb; where typer cannot build its command, that raises."""
    if wrong := plugins.callable_wrong(found, arguments=True):
        return wrong
    _built(name, found)
    return ""


#: Verbs of other installed packages.
BROUGHT = plugins.Group("verbs", "verb", "a function that typer makes a command of", _verb_wrong, lambda: VERBS)


class LazyVerbs(TyperGroup):
    """A command group that imports a verb's module only when that verb (or, of ours, the list of all) is asked for."""

    #: Set while the list of all is written: it says whose another package's verbs are, and imports none of them.
    listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        """All verbs, in the table's order; then those of other installed packages."""
        return [*VERBS, *BROUGHT.names()]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list of all verbs in the help."""
        self.listing = True
        try:
            super().format_commands(ctx, formatter)
        finally:
            self.listing = False

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The verb's command; None where there is no such verb."""
        if cmd_name in VERBS:
            module, attribute = VERBS[cmd_name].split(":")
            self.commands[cmd_name] = command = _built(cmd_name, getattr(importlib.import_module(module), attribute))
            return command
        if not BROUGHT.has(cmd_name):
            return None
        if self.listing:
            return TyperCommand(cmd_name, short_help=f"From the package {BROUGHT.packages()[cmd_name]}.")
        command = _built(cmd_name, BROUGHT.load(cmd_name))
        command.callback = _blaming(cmd_name, command.callback)
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As typer does it, with all verbs loaded first where the name is wrong, so that near matches are offered."""
        if args and args[0] not in VERBS and not BROUGHT.has(args[0]):
            for name in VERBS:
                self.get_command(ctx, name)
        return super().resolve_command(ctx, args)


def _blaming(name: str, function: Any) -> Any:
    """A verb of another package: what it raises unforeseen is told as that package's fault, its traceback logged."""

    @wraps(function)
    def told(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except (FlipsideError, typer.Exit, typer.Abort, ClickException):
            raise
        except Exception as error:
            if _mendable(error):
                raise
            raise FlipsideError(f"{BROUGHT.blamed(name, error)} The traceback is in {_log_traceback(error)}.") from None

    return told


app = typer.Typer(
    cls=LazyVerbs,
    add_completion=False,
    no_args_is_help=True,
    # Plain text: a frame around an error breaks its line, and scripts look for that line.
    rich_markup_mode=None,
    help="Find out where, why and how badly a vision-language model fails at composition.",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"flipside {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print it and stop."),
) -> None:
    """Find out where, why and how badly a vision-language model fails at composition."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return its exit code: 0 done, 1 the work failed, 2 wrong use, 130 interrupted.

    What was skipped of other packages is named on standard error, a line each.
    """
    code = _one_verb(arguments)
    for trouble in plugins.troubles():
        print(f"flipside: skipped: {_one_line(trouble)}", file=sys.stderr)
    return code


def _one_verb(arguments: Sequence[str] | None) -> int:
    try:
        words = sys.argv[1:] if arguments is None else list(arguments)
        words = ["--help"] if words == ["help"] else words
        if words and not {"--help", "--version"} & {*words}:
            if words[0] != DOCTOR:
                environment.check()
            if said := environment.unread():
                print(f"flipside: {said}", file=sys.stderr)
        aside = environment.wrong_put_aside() if words[:1] == [DOCTOR] else nullcontext()
        with aside, answered(), at_work(words if _is_verb(words) else []), typed(words):
            app(args=words, prog_name=in_terminal())
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except KeyboardInterrupt:
        return STOPPED  # raised beyond typer, where DuckDB had made another error of it; `answered` has said it
    except FlipsideError as error:
        said = _mendable(error) if error.__cause__ else ""
        print(pasteable(f"flipside: {_one_line(said or str(error))}"), file=sys.stderr)
        return error.exit_code
    except Exception as error:  # noqa: BLE001 - the last resort: nothing escapes as a bare traceback
        if said := _mendable(error):
            print(f"flipside: {_one_line(said)}", file=sys.stderr)
            return 1
        log = _log_traceback(error)
        print(
            f"flipside: unexpected {type(error).__name__}: {_one_line(str(error))[:300]}. "
            f"This is a fault of the program; the traceback is in {log}.",
            file=sys.stderr,
        )
        return 1
    return 0


def _is_verb(words: Sequence[str]) -> bool:
    """Whether the first word is a verb: of what there is not, nothing is at work."""
    return bool(words) and (words[0] in VERBS or BROUGHT.has(words[0]))


def _mendable(error: BaseException) -> str:
    """A sentence for what is no fault of the program: a disk that is full or read-only, a damaged database; "" for
    everything else."""
    if isinstance(error, OSError) and error.filename is None and _is_echo(error):
        error.filename = STANDARD_OUTPUT  # typer's own words: help, the version
    if not isinstance(error, FlipsideError) and (said := unwritable(error, cache_dir())):
        return said
    if "duckdb" in sys.modules:  # only then can it have been a database's
        from backend.store.build import importer

        if importer.is_damaged(error) and importer.rebuild():
            return "The database was damaged; it was set aside and rebuilt from shards. Give the same command again."
    return ""


def _is_echo(error: BaseException) -> bool:
    """Whether an error was raised by typer's own printing."""
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and frames[-1].name == "echo"


def run() -> None:
    """The installed `flipside` command."""
    code = main()
    try:
        sys.stdout.flush()
    except OSError:  # has been told; what still waits to be written would be tried once more, and told by Python
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _one_line(text: str) -> str:
    """Without what could steer a terminal: messages quote files."""
    line = " ".join(text.split())
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line)


def _log_traceback(error: Exception) -> Path:
    """Append the traceback to the log, made readable by its owner only: it may hold captions and paths."""
    path = cache_dir() / "logs" / "flipside.log"
    entry = "".join(traceback.format_exception(error))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8") as log:
            log.write(f"--- {datetime.now(UTC).isoformat(timespec='seconds')} {' '.join(sys.argv[1:])}\n{entry}\n")
    except OSError as unwritable:
        print(entry, file=sys.stderr)
        return Path(f"(not written: {unwritable}; it is printed above)")
    return path
