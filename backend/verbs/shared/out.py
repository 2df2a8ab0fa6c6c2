"""One rule for every `--out`: the folder that it goes into is there, and it is not something of another sort.

These are parsers of options, so that a wrong place is refused before any work begins.
"""

from collections.abc import Sequence
from pathlib import Path

from backend.errors import UsageError

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
    is empty, a folder, or a device. `-` is STDOUT."""
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
    """The folder that `--out` names, which may be new. UsageError where it is empty, a file, or standard output."""
    if text == str(STDOUT):
        raise UsageError("--out -: several files cannot go to standard output. Give the name of a folder.")
    path = _place(text, "a folder")
    if path.exists() and not path.is_dir():
        raise UsageError(f"--out {text}: is a file. Give a folder.")
    return path


def _place(text: str, what: str) -> Path:
    if not text.strip():
        raise UsageError(f"--out: is empty, which would mean the folder you are in. Give the name of {what}.")
    path = Path(text).expanduser()
    if not path.absolute().parent.is_dir():
        raise UsageError(f"--out {text}: there is no folder {path.parent}. Make it, or choose another.")
    return path


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
