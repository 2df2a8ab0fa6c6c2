"""Where a key stands in a TOML file, for error messages: Python's own reader keeps no lines."""

import re
from collections.abc import Sequence

#: Options of `run` that a study's file has as keys.
_OPTIONS = re.compile(r"--(data|split|subset|limit|sample|seed|prior|kinds|device|dtype|batch|counterfactual)\b")
_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$")


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """The line (from 1) of what a path leads to: ("models", 1, "spec") is `spec` below the second `[[models]]`. Where
    that is not found, of the nearest part of the path that is.

    >>> line_of('title = 1\\n[[models]]\\nspec = "a"\\n[[models]]\\nspec = "b"\\n', ("models", 1, "spec"))
    5
    """
    lines = text.splitlines()
    names = [part for part in path if isinstance(part, str)]
    numbers = [part for part in path if isinstance(part, int)]
    if not names:
        return None
    if len(names) == 1 and not numbers:
        return (
            _key(lines, 0, _first_header(lines), names[0]) or _header(lines, names[0], 0) or _anywhere(lines, names[0])
        )
    start = _header(lines, names[0], numbers[0] if numbers else 0)
    if start is None:  # an inline table: the line of the key itself, or of what holds it
        return _anywhere(lines, names[-1]) or _anywhere(lines, names[0])
    if len(names) == 1:
        return start
    end = next((at for at in range(start, len(lines)) if _HEADER.match(lines[at])), len(lines))
    return _key(lines, start, end, names[-1]) or start


def as_keys(said: str) -> str:
    """A message about options, said of the keys of a study's file.

    >>> as_keys("--prior x: expected noise:N"), as_keys("--subset a: world has no such part.")
    ('priors x: expected noise:N', 'subset a: world has no such part.')
    """
    said = said.replace("--data DIR", 'data = "DIR"')
    return _OPTIONS.sub(lambda found: "priors" if found[1] == "prior" else found[1], said)


def _first_header(lines: Sequence[str]) -> int:
    return next((at for at, line in enumerate(lines) if _HEADER.match(line)), len(lines))


def _header(lines: Sequence[str], name: str, number: int) -> int | None:
    """The line of the so manyth header of a table (from 0)."""
    found = [at + 1 for at, line in enumerate(lines) if (m := _HEADER.match(line)) and m[2].strip("\"' ") == name]
    return found[number] if number < len(found) else None


def _key(lines: Sequence[str], start: int, end: int, name: str) -> int | None:
    wanted = re.compile(rf"^\s*[\"']?{re.escape(name)}[\"']?\s*[=.]")
    return next((at + 1 for at in range(start, end) if wanted.match(lines[at])), None)


def _anywhere(lines: Sequence[str], name: str) -> int | None:
    wanted = re.compile(rf"(^|[\s,{{\"']){re.escape(name)}[\"']?\s*=")
    return next((at + 1 for at, line in enumerate(lines) if wanted.search(line)), None)
