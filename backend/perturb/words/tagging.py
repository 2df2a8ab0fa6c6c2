"""nltk's tokeniser and textblob's tagger, each out of the few files of its package that it needs.

`import nltk` brings all of nltk, and so does `import textblob`: a second and 100 MB for a page whose user waits. So
these files are read for us alone, whatever else is imported: nothing of it is seen by, or taken from, an `import nltk`
elsewhere. Where a version of theirs has its files in other places, the whole packages are imported.
"""

import builtins
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec
from pathlib import Path
from sys import intern
from types import ModuleType, SimpleNamespace
from typing import Any, Final, NamedTuple

from backend.perturb.words.lines import Lines

#: What nltk's tokeniser inherits and uses nothing of; it would bring all that guards nltk's reading of files.
_BASE: Final = {"nltk.tokenize.api": SimpleNamespace(TokenizerI=object)}
#: What unknown words, names and numbers are taken for, as `textblob.en` has it.
_UNKNOWN: Final = ("NN", "NNP", "CD")


class Tools(NamedTuple):
    """tokeniser: has `span_tokenize`; tagger: has `find_tags`; lexicon: the tag of each known form."""

    tokeniser: Any
    tagger: Any
    lexicon: Mapping[str, str]


@cache
def tools() -> Tools:
    """Both, ready for use by several threads at once: all words of the tagger have been read."""
    try:
        found = apart()
    except (ImportError, AttributeError):  # another version, with its files elsewhere
        found = whole()
    len(found.lexicon)  # the whole package reads words with the first question: a second thread would see half of them
    return found


def apart() -> Tools:
    """Both out of their own files. ImportError, AttributeError: where a version has these elsewhere."""
    tokeniser = _Apart("nltk", _BASE).module("nltk.tokenize.destructive").NLTKWordTokenizer()
    textblob = _Apart("textblob")
    text = textblob.module("textblob._text")
    words = textblob.folder / "en" / "en-lexicon.txt"
    if not words.is_file():
        raise ImportError(f"textblob's words are not in {words}")
    lexicon = Words(words)
    return Tools(tokeniser, text.Parser(lexicon=lexicon, default=_UNKNOWN, language="en"), lexicon)


class Words(Mapping[str, str]):
    """Each word's tag, as `Lexicon.load` reads them from lines of "word tag"."""

    def __init__(self, path: Path) -> None:
        found = (line.strip() for line in path.read_bytes().split(b"\n"))
        self._lines = Lines(line for line in found if line and not line.startswith(b";;;"))

    def __getitem__(self, word: str) -> str:
        tag = self._lines.rest(word.encode("utf-8", "surrogatepass") + b" ")
        if tag is None:
            raise KeyError(word)
        return intern(tag.decode())

    def __len__(self) -> int:
        return len(self._lines)

    def __iter__(self) -> Iterator[str]:
        return (line.split(b" ", 1)[0].decode() for line in self._lines)


def whole() -> Tools:
    """Both out of the packages themselves."""
    from nltk.tokenize import NLTKWordTokenizer
    from textblob.en import parser

    return Tools(NLTKWordTokenizer(), parser, parser.lexicon)


class _Apart:
    """Modules of one package, run without what the package itself and its subpackages import. stands_for: modules that
    are not run, and what takes their place."""

    def __init__(self, package: str, stands_for: Mapping[str, Any] | None = None) -> None:
        found = find_spec(package)
        if found is None or not found.submodule_search_locations:
            raise ImportError(f"{package} is not installed as a folder")
        self.package, self.folder = package, Path(found.submodule_search_locations[0])
        self.there: dict[str, Any] = dict(stands_for or {})

    def module(self, name: str) -> Any:
        """The module of a full name; ImportError where the package has no such file."""
        if name not in self.there:
            self.there[name] = self._run(name)
        return self.there[name]

    def _run(self, name: str) -> ModuleType:
        path, made = self.folder.joinpath(*name.split(".")[1:]), ModuleType(name)
        if path.is_dir():  # its own `__init__` is what shall not run
            return made
        file = str(path.with_suffix(".py"))
        try:
            code = SourceFileLoader(name, file).get_code(name)
        except OSError as error:
            raise ImportError(f"{name} cannot be read from {file}") from error
        if code is None:
            raise ImportError(f"{file} has no code")
        made.__file__ = file
        # What its `import` statements call; a function that imports later finds it here, too.
        vars(made)["__builtins__"] = {**vars(builtins), "__import__": self._import}
        exec(code, vars(made))  # noqa: S102 - an installed package's own file, as `import` would run it
        return made

    def _import(
        self, name: str, globals_: Any = None, locals_: Any = None, wanted: Sequence[str] = (), level: int = 0
    ) -> Any:
        if level or name.partition(".")[0] != self.package:
            return builtins.__import__(name, globals_, locals_, wanted, level)
        found = self.module(name)
        for each in wanted or ():
            if not hasattr(found, each):
                setattr(found, each, self.module(f"{name}.{each}"))
        return found if wanted else self.module(self.package)
