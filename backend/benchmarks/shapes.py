"""Files of two benchmarks that have the same names: told apart by what their content opens with."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from backend.benchmarks.base import Source
from backend.errors import FlipsideError, UsageError


def opening(path: Path) -> str:
    """The first character of a file that is no blank and no byte-order mark: `{` of a JSON object, `[` of a list."""
    try:
        with path.open("rb") as file:
            return file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1].decode("latin-1")
    except OSError as error:
        raise FlipsideError(f"{path}: cannot be read ({error.strerror}). Check that the file is yours.") from None


def files_of(
    source: Source, files: Mapping[str, str], other: str, without: tuple[str, ...]
) -> Iterator[tuple[str, Path]]:
    """(subset, path) of the files that are there, the nearest of each name that does not open with `other`. What opens
    with neither is kept, so that whoever reads it says what is wrong."""
    for subset, name in files.items():
        for path in source.files.every(name, without):
            if opening(path) != other:
                yield subset, path
                break


def refuse_all_of_the_other(
    source: Source, files: Mapping[str, str], other: str, without: tuple[str, ...], says: str
) -> None:
    """UsageError where files of these names are there, and all of them are the other benchmark's."""
    found = next((path for name in files.values() for path in source.files.every(name, without)), None)
    if found is not None and next(files_of(source, files, other, without), None) is None:
        raise UsageError(f"{found}: {says}")
