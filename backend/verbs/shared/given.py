"""What every verb's command is made of: an option that is given twice is never the last one in silence.

Flags may be repeated, for that changes nothing. `--kinds` and `--subset` are lists: `--kinds itc --kinds gen` is
`--kinds itc,gen`; `run`'s `--model` and `--benchmark`, too. Options whose parameter is a `list[str]` collect, as typer
has it. Every other takes one value. A file or folder that is named by an empty word, as by a variable that is not set,
is never taken for the folder that one is in.
"""

from collections.abc import Sequence
from typing import Any

from typer._click.core import Context
from typer._click.parser import _OptionParser
from typer.core import TyperArgument, TyperCommand, TyperOption

from backend.called import pasteable
from backend.errors import UsageError

#: Lists with commas between their values: given again, they go on.
LISTS = frozenset({"--kinds", "--subset", "--models", "--benchmarks", "--metrics", "--concept", "--reason"})
#: Those that are lists in one verb alone.
MORE_LISTS = {"run": frozenset({"--model", "--benchmark"})}


class Verb(TyperCommand):
    """A verb's command: as typer makes it, but for options given more than once, and for commands in its help."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for param in self.params:
            if said := getattr(param, "help", None):
                param.help = pasteable(said)  # type: ignore[attr-defined]

    def make_parser(self, ctx: Context) -> _OptionParser:
        """A parser that sees every value of an option; typer's own keeps the last."""
        parser = _Parser(ctx)
        for param in self.get_params(ctx):
            param.add_to_parser(parser, ctx)
        return parser


class _Parser(_OptionParser):
    """Collects what typer would store, and settles it when all of the line has been read."""

    def __init__(self, ctx: Context) -> None:
        super().__init__(ctx)
        self.spelled: dict[str, list[str]] = {}
        self.lists = LISTS | MORE_LISTS.get(ctx.command.name or "", frozenset())
        #: Name of a parameter that is a file or a folder -> how it is called on the line.
        self.paths = {
            param.name: param.opts[0] if param.param_type_name == "option" else str(param.metavar or param.name)
            for param in ctx.command.params
            if isinstance(param, TyperArgument | TyperOption) and _is_path(param.type_descriptor)
        }

    def add_option(
        self, obj: Any, opts: Sequence[str], dest: str | None, action: str = "store", nargs: int = 1, const: Any = None
    ) -> None:
        """The option; where it would be stored, it is appended."""
        if action in ("store", "store_const") and dest is not None:
            action = action.replace("store", "append")
            self.spelled.setdefault(dest, []).extend(opts)
        super().add_option(obj, opts, dest, action, nargs, const)

    def parse_args(self, args: list[str]) -> tuple[dict[str, Any], list[str], list[Any]]:
        """As typer's. UsageError for an option of one value that has several, and for a path that is empty."""
        found, rest, order = super().parse_args(args)
        for dest, opts in self.spelled.items():
            if dest in found:
                found[dest] = _settled("/".join(dict.fromkeys(opts)), found[dest], self.lists)
        for dest, said in self.paths.items():
            values = found.get(dest)
            if any(isinstance(each, str) and not each.strip() for each in _each(values)):
                raise UsageError(f"{said}: is empty, which would mean the folder you are in. Give a file or folder.")
        return found, rest, order


def _is_path(described: Any) -> bool:
    """Whether a parameter becomes a Path, or paths, as it stands; `--out` has a parser of its own (out.py)."""
    return described.parameter_info.parser is None and "Path" in str(described.annotation)


def _each(values: Any) -> Sequence[Any]:
    return values if isinstance(values, list | tuple) else [values]


def _settled(option: str, values: list[Any], lists: frozenset[str] = LISTS) -> Any:
    """The one value of those that were given. lists: options whose values go on.

    >>> _settled("--kinds", ["itc", "gen,prior"]), _settled("--json", [True, True])
    ('itc,gen,prior', True)
    """
    if option == "--subset" and not any(name.strip() for value in values for name in value.split(",")):
        raise UsageError(f"{option} names nothing: give one or several, with commas between them, or leave it out.")
    if len(values) == 1 or all(isinstance(value, bool) and value == values[0] for value in values):
        return values[0]
    if option in lists:
        return ",".join(values)
    if all(isinstance(value, bool) for value in values):
        raise UsageError(f"{option.replace('/', ' and ')} were given together: leave one of them out.")
    times = "twice" if len(values) == 2 else f"{len(values)} times"
    said = f"{', '.join(map(str, values[:-1]))} and {values[-1]}"
    raise UsageError(f"{option} was given {times}: {said}. It takes one value; leave the other out.")
