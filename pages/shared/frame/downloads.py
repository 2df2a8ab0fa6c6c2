"""Tables as files that people take away."""

from typing import Any

import pandas as pd

from backend.cells import neutral


def csv(frame: pd.DataFrame) -> str:
    """A frame as CSV, without its index, that a spreadsheet may open: text cells and column names that look like
    formulas get an apostrophe in front (see `backend.cells`), numbers stay numbers.

    >>> csv(pd.DataFrame({"caption": ["=cmd()", "a cat"], "margin": [-0.5, 1.0]}))
    "caption,margin\\n'=cmd(),-0.5\\na cat,1.0\\n"
    """
    texts = frame.select_dtypes(exclude=["number", "bool", "datetime"])
    safe = frame.assign(**{str(name): texts[name].map(_cell) for name in texts}).rename(columns=neutral)
    return str(safe.to_csv(index=False))


def _cell(value: Any) -> Any:
    return neutral(value) if isinstance(value, str) else value
