"""The command line as it is asked here: its verbs and their options by introspection, and documents as shapes."""

import contextlib
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from typer._click.core import Context

from backend.cli import VERBS, app, main
from backend.verbs.shared.given import LISTS
from tests.conftest import Answer
from tests.golden.kept import FOLDER, check_shape, shape_of


def call(*arguments: object) -> Answer:
    """One call of the command line in this process, for fixtures that live longer than a test."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(argument) for argument in arguments])
    return Answer(code, out.getvalue(), err.getvalue())


def command_of(verb: str) -> tuple[Any, Context]:
    """A verb's command and a context to ask it in; that of the program itself for ""."""
    import typer

    group = typer.main.get_command(app)
    over = Context(group, info_name="flipside")
    if not verb:
        return group, over
    command = group.get_command(over, verb)  # type: ignore[attr-defined]
    return command, Context(command, info_name=verb, parent=over)


def options(verb: str) -> dict[str, str]:
    """Every spelling of every option, and every argument by its place -> what it takes.

    `required` and `once` are words of their own: a kept shape that has them also holds where an option may be left out,
    or given again, later on. The other way round it breaks.
    """
    command, context = command_of(verb)
    found = {}
    places = 0
    for param in command.get_params(context):
        if param.param_type_name == "argument":
            places += 1
            names = [f"argument {places}"]
            several = param.nargs == -1
        else:
            names = [*param.opts, *param.secondary_opts]
            several = param.multiple or bool(LISTS & set(param.opts))
        takes = "flag" if getattr(param, "is_flag", False) else _plain(param.type_descriptor.annotation)
        words = {takes, *(["required"] if param.required else []), *([] if several or takes == "flag" else ["once"])}
        found |= {name: "|".join(sorted(words)) for name in names}
    return found


def _plain(kind: Any) -> str:
    """A parameter's annotation in words that say nothing of the library which read it."""
    inner = get_args(kind)[0] if get_args(kind) else kind
    return {str: "text", int: "integer", float: "number", Path: "path"}.get(inner, str(inner))


def with_json() -> list[str]:
    """The verbs that print one JSON document when asked."""
    return [verb for verb in VERBS if "--json" in options(verb)]


def document_shape(document: Any, named: Sequence[str] = (), nullable: Sequence[str] = ()) -> Any:
    """`shape_of`, with objects and lists that may be null as keys that may be absent.

    nullable: their paths (`metrics.*.published`). Each has to be there, null or not; its null is left out of the shape,
    which would otherwise be one of two, and nothing could be appended to it any more.
    """
    for path in nullable:
        for holder, key in _places(document, path.split(".")):
            assert key in holder, f"{path}: {key} is gone"
            if holder[key] is None:
                del holder[key]
    found = shape_of(document, named)
    assert "any of" not in json.dumps(found), "a place is of two forms; name it as nullable, or give it two shapes"
    return found


def check_document(name: str, document: Any, named: Sequence[str] = (), nullable: Sequence[str] = ()) -> None:
    """`check_shape` of `document_shape`; and what is kept as optional, or as a list with rows, has to turn up, too.

    What is asked here gives the same each time: a key that only some rows have is still in some of them.
    """
    found = document_shape(document, named, nullable)
    check_shape(name, found)
    kept = json.loads((FOLDER / "shapes" / f"{name}.json").read_text(encoding="utf-8"))
    assert not (gone := sorted(set(_paths(kept)) - set(_paths(found)))), f"{name}: {', '.join(gone)}: nowhere any more"


def _paths(shape: Any, at: str = "") -> Iterator[str]:
    """Every key and every list with rows of a shape, by its path."""
    if isinstance(shape, dict):
        for key, inner in shape.items():
            path = f"{at}.{key.removesuffix('?')}".removeprefix(".")
            yield path
            yield from _paths(inner, path)
    elif isinstance(shape, list) and shape:
        yield f"{at}.[]"
        yield from _paths(shape[0], f"{at}.[]")


def _places(value: Any, path: list[str]) -> Iterator[tuple[dict[str, Any], str]]:
    """Where the last step of a path leads from: `*` is every key of a mapping, `[]` every row of a list."""
    step, *rest = path
    if not rest:
        yield value, step
        return
    inner = value if step == "[]" else value.values() if step == "*" else [value[step]] if step in value else []
    for each in list(inner):
        if each is not None:
            yield from _places(each, rest)
