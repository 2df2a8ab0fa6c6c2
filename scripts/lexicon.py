"""Cut the table of backend/perturb/words/wordnet out of WordNet 3.0.

    .venv/bin/python scripts/lexicon.py --wordnet DICT_FOLDER [--texts FOLDER_WITH_CAPTIONS …]

Into it go: the nouns and adjectives of the caption files (JSON and TSV; their words only), of the bundled world, of our
lists of attributes, and then the most frequent by WordNet's own tag counts (cntlist.rev), up to --words; and every word
that is a synonym of one of these. The same input gives the same bytes.
"""

import argparse
import gzip
import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ["FLIPSIDE_LEXICON"] = "table"

from backend.perturb.words.dictfiles import DictFiles, Entry
from backend.perturb.words.kinds import ATTRIBUTES
from backend.perturb.words.lexicon import _ENDINGS, TABLE, VERSION, base36
from backend.perturb.words.tokens import tokens
from backend.world.language.words import VOCABULARY


def strings(value: Any) -> Iterator[str]:
    """Every string of a JSON document that looks like a caption: two words or more."""
    if isinstance(value, str):
        if " " in value.strip():
            yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


def captions(folders: list[Path]) -> Iterator[str]:
    """Captions of all JSON and TSV files under the folders, in the order of their names."""
    for path in sorted(path for folder in folders for path in folder.rglob("*")):
        if path.suffix == ".json":
            yield from strings(json.loads(path.read_text(encoding="utf-8")))
        elif path.suffix == ".tsv":
            for line in path.read_text(encoding="utf-8").splitlines()[1:]:
                yield from (field for field in line.split("\t") if " " in field)


def lemma(real: DictFiles, word: str, pos: str) -> str:
    """The dictionary form that WordNet has of a word, else ""."""
    forms = [word]
    if pos == "n":
        forms = [real.irregular.get(word, word), word]
        forms += [word[: -len(end)] + new for end, new in _ENDINGS if word.endswith(end) and len(word) > len(end) + 1]
    return next((form for form in forms if real.entry(form, pos)), "")


def frequent(folder: Path) -> list[tuple[str, str]]:
    """(lemma, pos) by tag count, most frequent first, then by name."""
    counts: Counter[tuple[str, str]] = Counter()
    for line in (folder / "cntlist.rev").read_text(encoding="utf-8").splitlines():
        key, _, count = line.split()
        word, _, rest = key.partition("%")
        if rest[0] in "135" and re.fullmatch(r"[a-z]+", word):
            counts[word, "n" if rest[0] == "1" else "a"] += int(count)
    return [key for key, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def row(entry: Entry) -> str:
    """One line of the table; columns as backend.perturb.words.lexicon.COLUMNS."""
    depth = "" if entry.depth is None else str(entry.depth)
    above = " ".join(base36(n) for n in sorted(entry.above))
    fields = (entry.lemma, entry.pos, base36(entry.synset), entry.top, depth, " ".join(entry.synonyms))
    return "\t".join([*fields, " ".join(entry.lemmas), above])


def wanted(real: DictFiles, folders: list[Path], limit: int) -> list[tuple[str, str]]:
    """What goes into the table, without its synonyms."""
    found: dict[tuple[str, str], None] = {}
    words = [*VOCABULARY, *sorted(ATTRIBUTES)]
    pairs = [(word, pos) for word in words for pos in "na"]
    for text in captions(folders):
        pairs += [(w.lower, "n" if w.noun else "a") for w in tokens(text) if w.noun or w.adjective]
    for word, pos in dict.fromkeys(pairs):
        if re.fullmatch(r"[a-z]+(-[a-z]+)*", word) and (form := lemma(real, word, pos)):
            found[form, pos] = None
    print(f"{len(found)} from captions, world and lists")
    for key in frequent(real.place):
        if len(found) >= limit:
            break
        if real.entry(*key):
            found[key] = None
    return list(found)


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--wordnet", type=Path, required=True)
    parser.add_argument("--texts", type=Path, nargs="*", default=[])
    parser.add_argument("--words", type=int, default=7500)
    parser.add_argument("--out", type=Path, default=TABLE)
    asked = parser.parse_args()
    real = DictFiles(asked.wordnet)
    if real.version != VERSION:
        raise SystemExit(f"{asked.wordnet} is WordNet {real.version}; the table is cut out of {VERSION}")
    keys = wanted(real, asked.texts, asked.words)
    entries = {key: entry for key in keys if (entry := real.entry(*key))}
    for entry in list(entries.values()):
        for word in entry.synonyms:
            also = real.entry(word, entry.pos)
            if also is not None:
                entries.setdefault((word, entry.pos), also)
    lines = [row(entries[key]) for key in sorted(entries)]
    nouns = {lemma for lemma, pos in entries if pos == "n"}
    lines += [f"{odd}\tx\t{base}\t\t\t\t\t" for odd, base in sorted(real.irregular.items()) if base in nouns]
    asked.out.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), 9, mtime=0))
    print(f"{len(entries)} words, {asked.out.stat().st_size:,} bytes in {asked.out}")


if __name__ == "__main__":
    main()
