"""The tokeniser and the tagger out of their own files are those of the whole packages."""

import subprocess
import sys

import pytest

from backend.perturb.words import tagging

TEXTS = (
    "A small metal table.", "a man's dog can't cross 3 streets", 'He said "stop!" (twice)...', "Two women ride bikes",
    "gonna wanna cannot d'ye 'tis", "“Quoted” and ‘so’ – a dash—and another", "3,000 people; 50% of $4.50 @home & away",
    "Zorblax quickly blarged the fnord", "...", "", "O'Neill's the co-op's re-entry: yes/no?", "don't I'll we've n't",
    "naïve café Übung", "''double'' ``ticks`` \"open", "a  b\tc\nd", "U.S.A. vs. U.K. e.g. this.",
)  # fmt: skip


@pytest.fixture(scope="module")
def both() -> tuple[tagging.Tools, tagging.Tools]:
    return tagging.apart(), tagging.whole()


def spans(tools: tagging.Tools, text: str) -> object:
    """The places of tokens, or what stands for an error."""
    try:
        return list(tools.tokeniser.span_tokenize(text))
    except ValueError as error:
        return str(error)


def test_texts_are_cut_and_tagged_alike(both):
    apart, whole = both
    for text in TEXTS:
        assert spans(apart, text) == spans(whole, text)
        words = text.split()
        assert [list(each) for each in apart.tagger.find_tags(words)] == [
            list(each) for each in whole.tagger.find_tags(words)
        ]


def test_all_known_forms_have_the_same_tag(both):
    apart, whole = both
    assert len(apart.lexicon) > 90_000
    assert dict(apart.lexicon) == dict(whole.lexicon)


def test_neither_package_is_imported_and_each_may_be_later():
    code = (
        "import sys; from backend.perturb.words.tokens import tokens; tokens('a red cube');"
        "there = {name.partition('.')[0] for name in sys.modules} & {'nltk', 'textblob'}; assert not there, there;"
        "import nltk, textblob; assert textblob.TextBlob('red') and nltk.tokenize.NLTKWordTokenizer().tokenize('red')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-1500:]


@pytest.mark.parametrize("gone", ["nltk.tokenize.destructive", "textblob._text"])
def test_where_the_files_lie_elsewhere_the_packages_are_imported(monkeypatch, gone):
    known = tagging._Apart.module

    def module(self: tagging._Apart, name: str) -> object:
        return known(self, "nltk.no_such_file" if name == gone else name)

    monkeypatch.setattr(tagging._Apart, "module", module)
    with pytest.raises(ImportError):
        tagging.apart()
    found = tagging.tools.__wrapped__()
    assert type(found.tokeniser).__module__ == "nltk.tokenize.destructive"
    assert found.tagger is tagging.whole().tagger
