"""What a study's file says: models, benchmarks, kinds, priors and settings, read from TOML and checked key by key."""

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from backend.benchmarks import declaration
from backend.engine.early import DTYPES
from backend.engine.inputs.prior import PriorSource
from backend.engine.inputs.selection import Selection
from backend.errors import FlipsideError, UsageError
from backend.kinds import Kind
from backend.metrics.core import registry
from backend.models.own.target import beside
from backend.models.spec import parse, refuse_as_name
from backend.paths import typed_path
from backend.stores import opening
from backend.study.keys import as_keys, line_of

#: The largest file, in bytes, and the most cells.
BYTES, CELLS = 1_000_000, 10_000
NAME_LENGTH = 80

#: Table -> key -> what it holds. A list of texts may be written as one text with commas.
TEXT, LIST, YES_NO, TABLES = "a text", "a list of texts", "true or false", "tables"
#: The largest whole number; what every number here may be.
LARGEST = 2**31 - 1
NUMBER, AT_LEAST_1 = f"a whole number from 0 to {LARGEST:,}", f"a whole number from 1 to {LARGEST:,}"
_SELECTION = {"split": TEXT, "subset": LIST, "limit": AT_LEAST_1, "sample": AT_LEAST_1, "seed": NUMBER}
KEYS: dict[str, dict[str, str]] = {
    "": {"title": TEXT, "kinds": LIST, "priors": LIST, "settings": TABLES, "models": TABLES, "benchmarks": TABLES,
         "table": TABLES},
    "settings": {"device": TEXT, "dtype": TEXT, "batch": AT_LEAST_1, "counterfactual": NUMBER,
                 "trust_remote_code": YES_NO, **_SELECTION},
    "models": {"spec": TEXT, "name": TEXT, "revision": TEXT, "dtype": TEXT, "kinds": LIST, "priors": LIST,
               "batch": AT_LEAST_1},
    "benchmarks": {"name": TEXT, "data": TEXT, "kinds": LIST, **_SELECTION},
    "table": {"metrics": LIST, "kinds": LIST, "by_subset": YES_NO},
}  # fmt: skip


@dataclass(frozen=True)
class ModelEntry:
    """One model. spec: with its revision, as `--model` takes it. kinds, priors: None for the study's own. line: where
    its spec stands, as "grid.toml, line 3"; "" where that is not known."""

    spec: str
    name: str | None = None
    dtype: str = "auto"
    kinds: tuple[str, ...] | None = None
    priors: tuple[str, ...] | None = None
    batch: int | None = None
    line: str = field(default="", compare=False)

    @property
    def title(self) -> str:
        return self.name or self.spec

    def wrong(self, error: FlipsideError) -> str:
        """What is wrong with it, by the file's keys and with its line."""
        said = as_keys(str(error))
        return f"{self.line}: {said}" if self.line else said


@dataclass(frozen=True)
class BenchmarkEntry:
    """One benchmark. data: its folder, None for one that ships or is remembered. kinds: None for the model's.
    lines: key -> where it stands in the file, as "grid.toml, line 3"; "" for the entry itself."""

    name: str
    selection: Selection
    data: Path | None = None
    kinds: tuple[str, ...] | None = None
    lines: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def title(self) -> str:
        """Its name, with what of it is scored."""
        said = self.selection
        parts = [said.split, said.subset, said.limit and f"first {said.limit}", said.sample and f"{said.sample} drawn"]
        more = ", ".join(str(part) for part in parts if part)
        return f"{self.name} ({more})" if more else self.name

    def wrong(self, error: FlipsideError) -> str:
        """What is wrong with it, by the file's keys and with the line of the key that is named."""
        key = next((name for name in ("subset", "split", "data") if f"--{name}" in str(error)), "")
        if not key and self.data is not None and not self.data.is_dir() and not opening.as_url(str(self.data)):
            key = "data"
        where = self.lines.get(key) or self.lines.get("", "")
        return f"{where}: {as_keys(str(error))}" if where else as_keys(str(error))


@dataclass(frozen=True)
class Study:
    """A study. kinds: None for what model and benchmark have in common. table: what `[table]` says."""

    path: Path
    title: str
    models: tuple[ModelEntry, ...]
    benchmarks: tuple[BenchmarkEntry, ...]
    kinds: tuple[str, ...] | None = None
    priors: tuple[str, ...] = ()
    device: str = "auto"
    batch: int | None = None
    counterfactual: int | None = None
    trust_remote_code: bool = False
    table: Mapping[str, Any] | None = None

    def kinds_of(self, model: ModelEntry, benchmark: BenchmarkEntry) -> list[str] | None:
        """The kinds of a cell: those of the benchmark's entry, else the model's, else the study's."""
        found = benchmark.kinds or model.kinds or self.kinds
        return None if found is None else list(found)

    def key_of(self, model: ModelEntry) -> str:
        """What a model's row is known by: its spec, or its name where the spec stands twice (in two dtypes)."""
        return model.spec if [each.spec for each in self.models].count(model.spec) == 1 else model.title

    def priors_of(self, model: ModelEntry) -> tuple[str, ...]:
        """Where a model's log P(t) is from."""
        return self.priors if model.priors is None else model.priors


def read(path: Path) -> Study:
    """The study in a file. UsageError names the file, the line and, for an unknown key, the nearest one."""
    path = typed_path(path).resolve()
    try:
        size = path.stat().st_size
        text = path.read_text(encoding="utf-8-sig") if size <= BYTES else ""
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}). Name the study's TOML file.") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: is no text in UTF-8, so it is no TOML.") from None
    if size > BYTES:
        raise UsageError(f"{path}: has {size:,} bytes; a study has at most {BYTES:,}.")
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: is not TOML: {_which_key(text, str(error))}{error}.") from None
    except RecursionError:
        raise UsageError(f"{path}: is nested too deep to be a study.") from None
    return _Reader(path, text).study(document)


class _Reader:
    """Checks a document and says where in the file something is wrong."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text

    def study(self, document: Mapping[str, Any]) -> Study:
        self._keys("", document, ())
        settings = self._one(document, "settings")
        table = self._one(document, "table")
        models = tuple(self._model(entry, n, settings) for n, entry in enumerate(self._entries(document, "models")))
        subjects = [self._benchmark(e, n, settings) for n, e in enumerate(self._entries(document, "benchmarks"))]
        self._refuse_twice([(m.spec, m.dtype) for m in models], "models", "spec")
        self._refuse_one_name(models)
        self._refuse_twice([(b.name, b.title, b.selection) for b in subjects], "benchmarks", "name")
        if len(models) * len(subjects) > CELLS:
            raise UsageError(f"{self.path}: {len(models) * len(subjects):,} cells; a study has at most {CELLS:,}.")
        kinds = self._kinds(document, ("kinds",))
        self._kinds(table, ("table", "kinds"))
        with self._at("table", "metrics"):
            for metric in self._list(table, "metrics", ("table", "metrics")) or ():
                registry.by_name(metric)
        counterfactual = settings.get("counterfactual")
        return Study(
            self.path,
            str(document.get("title") or self.path.stem),
            models,
            tuple(subjects),
            kinds,
            self._priors(document, ("priors",)) or (),
            str(settings.get("device", "auto")),
            settings.get("batch"),
            counterfactual,
            bool(settings.get("trust_remote_code", False)),
            {
                name: list(self._list(table, name) or ()) if KEYS["table"][name] == LIST else table[name]
                for name in table
            },
        )

    def _model(self, entry: Mapping[str, Any], number: int, settings: Mapping[str, Any]) -> ModelEntry:
        place = ("models", number)
        spec, revision = self._needed(entry, "spec", place), entry.get("revision")
        with self._at(*place, "spec"):
            parsed = parse(spec := beside(spec, self.path.parent))
        if revision is not None:
            if parsed.prefix not in ("hf", "st", "lm") or "@" in parsed.name:
                raise self._wrong((*place, "revision"), f"{spec} takes no revision; hf:, st: and lm: hub names do")
            bare, mark, option = spec.partition("#")
            spec = f"{bare}@{revision}{mark}{option}"
        dtype = str(entry.get("dtype", settings.get("dtype", "auto")))
        if dtype not in DTYPES:
            where = (*place, "dtype") if "dtype" in entry else ("settings", "dtype")
            raise self._wrong(where, f"dtype is {dtype!r}; use one of {', '.join(DTYPES)}")
        name = entry.get("name")
        if name is not None and (not name.strip() or len(name) > NAME_LENGTH or not name.isprintable()):
            raise self._wrong((*place, "name"), f"name has 1 to {NAME_LENGTH} letters that can be printed")
        if name is not None:
            with self._at(*place, "name"):
                refuse_as_name(name.strip(), spec)
        kinds = self._kinds(entry, (*place, "kinds"))
        return ModelEntry(
            spec, name, dtype, kinds, self._priors(entry, (*place, "priors")),
            entry.get("batch", settings.get("batch")), self._line((*place, "spec")),
        )  # fmt: skip

    def _benchmark(self, entry: Mapping[str, Any], number: int, settings: Mapping[str, Any]) -> BenchmarkEntry:
        place = ("benchmarks", number)
        name = self._needed(entry, "name", place)
        with self._at(*place, "name"):
            declaration(name)
        said = {key: entry.get(key, settings.get(key)) for key in _SELECTION}
        if "limit" in entry or "sample" in entry:  # one of them said here takes the other's place
            said |= {key: entry.get(key) for key in ("limit", "sample")}
        subset = self._list(entry, "subset", (*place, "subset")) or self._list(
            settings, "subset", ("settings", "subset")
        )
        with self._at(*place):
            selection = Selection(
                said["split"], ",".join(subset) if subset else None, said["limit"], said["sample"], said["seed"] or 0
            )
        data = entry.get("data")
        with self._at(*place, "data"):
            folder = None if data is None else (self.path.parent / typed_path(data)).resolve()
        folder = Path(data) if data is not None and opening.as_url(data) else folder
        lines = {"": self._line(place)}
        for key in ("subset", "split", "data"):
            if key in entry or key in settings:
                lines[key] = self._line((*place, key) if key in entry else ("settings", key))
        return BenchmarkEntry(name, selection, folder, self._kinds(entry, (*place, "kinds")), lines)

    def _entries(self, document: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
        found = document.get(name)
        if not isinstance(found, list) or not found:
            where = (name,) if name in document else ()
            raise self._wrong(where, f"a study has [[{name}]], each with its {next(iter(KEYS[name]))}")
        for number, entry in enumerate(found):
            if not isinstance(entry, dict):
                raise self._wrong((name, number), f"[[{name}]] holds {_said(entry)}; expected a table")
            self._keys(name, entry, (name, number))
        return found

    def _one(self, document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        found = document.get(name, {})
        if not isinstance(found, dict):
            raise self._wrong((name,), f"{name} is {_said(found)}; expected a table, [{name}]")
        self._keys(name, found, (name,))
        return found

    def _keys(self, table: str, entry: Mapping[str, Any], place: tuple[str | int, ...]) -> None:
        """UsageError for keys that nobody reads, and for values of another kind than theirs."""
        for key, value in entry.items():
            kind = KEYS[table].get(key)
            if kind is None:
                near = difflib.get_close_matches(key, KEYS[table], n=1)
                elsewhere = [f"[{name}]" for name, keys in KEYS.items() if name and key in keys]
                hint = f" Did you mean {near[0]}?" if near else f" It belongs in {elsewhere[0]}." if elsewhere else ""
                known = ", ".join(KEYS[table])
                raise self._wrong((*place, key), f"there is no key '{key}' here.{hint} Known: {known}")
            if not _fits(value, kind):
                raise self._wrong((*place, key), f"{key} is {_said(value)}; expected {kind}")

    def _needed(self, entry: Mapping[str, Any], key: str, place: tuple[str | int, ...]) -> str:
        if not str(entry.get(key) or "").strip():
            raise self._wrong(place, f"[[{place[0]}]] lacks its {key}")
        return str(entry[key]).strip()

    def _list(
        self, entry: Mapping[str, Any], key: str, place: tuple[str | int, ...] | None = None
    ) -> tuple[str, ...] | None:
        """The names of a list; None without it. place: of a list that may not be empty, where it stands."""
        value = entry.get(key)
        if value is None:
            return None
        parts = value.split(",") if isinstance(value, str) else value
        found = tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))
        if not found and place is not None:
            raise self._wrong(place, f"{key} names nothing; name at least one, or leave the key out")
        return found

    def _priors(self, entry: Mapping[str, Any], place: tuple[str | int, ...]) -> tuple[str, ...] | None:
        found = self._list(entry, "priors")
        found = None if found is None else tuple(self._blind(source) for source in found)
        with self._at(*place):
            PriorSource.parse_all(found or ())
        return found

    def _blind(self, source: str) -> str:
        """A prior's source, code of one's own in it by its full path."""
        head, mark, spec = source.partition(":")
        return f"{head}:{beside(spec, self.path.parent)}" if head == "lm" and mark else source

    def _kinds(self, entry: Mapping[str, Any], place: tuple[str | int, ...]) -> tuple[str, ...] | None:
        kinds = self._list(entry, "kinds", place)
        for kind in kinds or ():
            if kind not in set(Kind):
                near = difflib.get_close_matches(kind, list(Kind), n=1)
                hint = f" Did you mean {near[0]}?" if near else ""
                raise self._wrong(place, f"unknown kind '{kind}'.{hint} Kinds: {', '.join(Kind)}")
        return kinds or None

    def _refuse_twice(self, keys: Sequence[object], table: str, key: str) -> None:
        for number, each in enumerate(keys):
            if each in keys[:number]:
                raise self._wrong((table, number, key), f"this {table.removesuffix('s')} stands twice in the study")

    def _refuse_one_name(self, models: Sequence[ModelEntry]) -> None:
        """UsageError for a name that another model has: tables, pages and `--model` would mix them up."""
        taken: dict[str, str] = {}
        for number, model in enumerate(models):
            title = model.title.strip()
            if title in taken:
                said = f"{taken[title]} is called '{title}', too; give one of them another name"
                raise self._wrong(("models", number, "name" if model.name is not None else "spec"), said)
            taken[title] = model.spec

    def _at(self, *place: str | int) -> "_At":
        return _At(self, place)

    def _wrong(self, place: Sequence[str | int], said: str) -> UsageError:
        line = line_of(self.text, place)
        return UsageError(f"{self.path}{f', line {line}' if line else ''}: {said.rstrip('.')}.")

    def _line(self, place: Sequence[str | int]) -> str:
        line = line_of(self.text, place)
        return f"{self.path.name}, line {line}" if line else ""


class _At:
    """Errors of others, said with the file and the line."""

    def __init__(self, reader: _Reader, place: tuple[str | int, ...]) -> None:
        self.reader, self.place = reader, place

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, FlipsideError):
            raise self.reader._wrong(self.place, as_keys(str(error))) from None


def _fits(value: object, kind: str) -> bool:
    if kind == LIST:
        return isinstance(value, str) or (isinstance(value, list) and all(isinstance(part, str) for part in value))
    if kind in (NUMBER, AT_LEAST_1):
        return type(value) is int and (kind == AT_LEAST_1) <= value <= LARGEST
    if kind == TABLES:
        return isinstance(value, dict | list)
    return isinstance(value, bool if kind == YES_NO else str)


def _which_key(text: str, error: str) -> str:
    """The key of the line that Python's reader names, where it says that it stands twice; else ""."""
    at = re.search(r"overwrite a value \(at line (\d+)", error)
    line = text.splitlines()[int(at[1]) - 1] if at and int(at[1]) <= len(text.splitlines()) else ""
    key = re.match(r"\s*([\w.\"'-]+)\s*=", line)
    return f"the key '{key[1]}' stands twice: " if key else ""


def _said(value: object) -> str:
    """What a value is, for an error message."""
    words = {str: "a text", bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "a table"}
    return f"{words.get(type(value), type(value).__name__)} ({str(value)[:40]})"
