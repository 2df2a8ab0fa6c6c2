"""A fold keeps its state under its key; a component with the same key would put something else there."""

import re
from pathlib import Path

PAGES = Path(__file__).parents[4] / "pages"
_FOLD = re.compile(r"\bfold\(\s*(?:f?\"[^\"]*\"|[\w.()\[\]]+),\s*\"([\w-]+)\"")
_KEY = re.compile(r"\bkey=\"([\w-]+)\"")


def test_the_key_of_a_fold_is_no_other_element_s() -> None:
    """Failed before: from a training's curves to what changed, whose fold had their key, the page ended in an error."""
    folds: dict[str, str] = {}
    others: dict[str, str] = {}
    for path in sorted(PAGES.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(PAGES).as_posix()
        folds |= dict.fromkeys(_FOLD.findall(text), name)
        others |= dict.fromkeys(_KEY.findall(text), name)
    assert len(folds) > 30
    assert len(others) > 60
    assert {key: (folds[key], others[key]) for key in folds.keys() & others.keys()} == {}
