"""The command line: a table of verbs, each imported when it is called, and one place where errors become exit codes."""

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from backend import __version__
from backend.called import in_terminal, pasteable, typed
from backend.durable import full, is_full
from backend.engine.interrupt import answered
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
    "report": "backend.verbs.report:command",
    "published": "backend.verbs.published:command",
    "add-predictions": "backend.verbs.add_predictions:command",
    "export": "backend.verbs.export:command",
    "import-results": "backend.verbs.import_results:command",
    "sql": "backend.verbs.sql:command",
    "world": "backend.verbs.world:command",
    "doctor": "backend.verbs.doctor:command",
    "dashboard": "backend.verbs.dashboard:command",
}


class LazyVerbs(TyperGroup):
    """A command group that imports a verb's module only when that verb (or the list of all) is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """All verbs, in the table's order."""
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The verb's command; None where there is no such verb."""
        if cmd_name not in VERBS:
            return None
        module, attribute = VERBS[cmd_name].split(":")
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(name=cmd_name, cls=Verb)(getattr(importlib.import_module(module), attribute))
        self.commands[cmd_name] = command = typer.main.get_command(single)
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As typer does it, with all verbs loaded first where the name is wrong, so that near matches are offered."""
        if args and args[0] not in VERBS:
            for name in VERBS:
                self.get_command(ctx, name)
        return super().resolve_command(ctx, args)


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
    """Run one verb and return its exit code: 0 done, 1 the work failed, 2 wrong use, 130 interrupted."""
    try:
        words = sys.argv[1:] if arguments is None else list(arguments)
        with answered(), at_work(words), typed(words):
            app(args=None if arguments is None else list(arguments), prog_name=in_terminal())
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
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


def _mendable(error: BaseException) -> str:
    """A sentence for what is no fault of the program: a full disk, a damaged database; "" for everything else."""
    if is_full(error) and not isinstance(error, FlipsideError):
        return full(cache_dir())
    if "duckdb" in sys.modules:  # only then can it have been a database's
        from backend.store.build import damage, importer

        if damage.is_generation_s(error) and importer.rebuild():
            return "The database was damaged; it was set aside and rebuilt from shards. Give the same command again."
    return ""


def run() -> None:
    """The installed `flipside` command."""
    sys.exit(main())


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
