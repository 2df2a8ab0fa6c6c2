"""One rule for every `--out`: the folder that it goes into is there, and it is not something of another sort.

These are parsers of options, so that a wrong place is refused before any work begins.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from backend import paths
from backend.errors import UsageError

#: The folders of the cache that are the user's own: benchmark files, model folders, what was taught.
OPEN = ("data", "models", "taught")
#: What `--out -` stands for: standard output. A file of that name is `./-`.
STDOUT = Path("-")
#: Endings of files that say what is in them, beside those that a verb writes: none of these is written by mistake.
OTHERS = {
    ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet", ".md": "md",
    ".markdown": "md", ".tex": "latex", ".json": "json", ".tsv": "tsv", ".xlsx": "xlsx", ".xls": "xls", ".html": "html",
    ".pdf": "pdf", ".zip": "zip", ".gz": "gz", ".zst": "zst", ".npz": "npz", ".npy": "npy", ".pkl": "pkl",
}  # fmt: skip


def file(text: str) -> Path:
    """The file that `--out` names, which may be there already; of a link the file that it leads to. UsageError where it
    is empty, a folder, a device, or a place that Flipside keeps its own files in. `-` is STDOUT."""
    if text == str(STDOUT):
        return STDOUT
    path = _place(text, "a file")
    path = path.absolute() if path == STDOUT else path
    if path.is_dir():
        raise UsageError(f"--out {text}: is a folder. Give the name of a file in it, as in {path / 'out'}.")
    if path.exists() and not path.is_file():  # what is written aside would take its place
        raise UsageError(f"--out {text}: is a device or a pipe, not a file. Give the name of a file.")
    return path.resolve() if path.is_symlink() else path


def folder(text: str) -> Path:
    """The folder that `--out` names, which may be new. UsageError where it is empty, a file, standard output, or a
    place where Flipside keeps its own files."""
    if text == str(STDOUT):
        raise UsageError("--out -: several files cannot go to standard output. Give the name of a folder.")
    path = _place(text, "a folder")
    if path.exists() and not path.is_dir():
        raise UsageError(f"--out {text}: is a file. Give a folder.")
    return path


def _place(text: str, what: str) -> Path:
    if not text.strip():
        raise UsageError(f"--out: is empty, which would mean the folder you are in. Give the name of {what}.")
    path = paths.typed_path(text, "--out")
    refuse_own(path, f"--out {text}")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"--out {text}: there is no folder {path.parent}. Make it, or choose another.")
    return path


def refuse_own(path: Path, said: str) -> None:
    """UsageError where a place lies, behind all links, in what Flipside keeps or ships: a file written over a run's
    manifest, the database or the notes cannot be brought back. said: how the place was given.

    Of the cache, OPEN is the user's own.
    """
    try:
        place = path.absolute().resolve()
    except (OSError, RuntimeError):
        raise UsageError(f"{said}: is a link that leads nowhere but to itself. Give another place.") from None
    cache = paths.cache_dir().absolute().resolve()
    if any(_within(place, kept) for kept in _kept(cache)) and not any(_within(place, cache / name) for name in OPEN):
        raise UsageError(
            f"{said}: lies in the folder where Flipside keeps its own files ({cache}), which it would write over. Give "
            f"another place; in there only {', '.join(f'{name}/' for name in OPEN[:-1])} and {OPEN[-1]}/ are yours."
        )
    if _within(place, paths.BUNDLED):
        raise UsageError(f"{said}: lies among the files that ship with Flipside. Give another place.")


def _kept(cache: Path) -> Iterator[Path]:
    """The cache, and where links in it lead."""
    yield cache
    if cache.is_dir():
        yield from (each.resolve() for each in cache.iterdir() if each.is_symlink() and each.name not in OPEN)


def _within(place: Path, folder: Path) -> bool:
    """Whether a place is a folder or lies in it; by the folder itself too, for a disk may not tell A from a."""
    if place.is_relative_to(folder):
        return True
    if not folder.exists():
        return False
    return any(each.exists() and each.samefile(folder) for each in (place, *place.parents))


def form_of(form: str | None, out: Path | None, forms: Sequence[str], default: str) -> str:
    """The format of what is written: what `--format` says, else what the file's ending says, else the default.

    forms: what the verb writes. UsageError for another format, and where the ending says something else than
    `--format`, or something that the verb does not write.

    >>> form_of(None, Path("t.tex"), ("md", "latex"), "md"), form_of(None, Path("t.txt"), ("csv",), "csv")
    ('latex', 'csv')
    """
    listed = ", ".join(forms)
    if form is not None and form not in forms:
        raise UsageError(f"--format {form}: expected {listed}.")
    said = OTHERS.get(out.suffix.lower()) if out is not None else None
    if said is None or said == form:
        return form or default
    if form is not None:
        raise UsageError(f"--format {form} and --out {out}: the file's ending says {said}. Change one of them.")
    if said not in forms:
        raise UsageError(
            f"--out {out}: its ending says {said}, and what can be written is {listed}. Choose another name."
        )
    return said
