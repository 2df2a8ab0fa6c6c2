"""The sentence of a finding: every number has what it rests on, and nothing that is not known is said."""

import pytest

from backend.finding import Finding


@pytest.mark.parametrize(
    ("finding", "said"),
    [
        (Finding("a is right on {}", 0, ("w",)), "a is right on – (n = 0 items; w)."),
        (Finding("a is right on {}", 600, (), float("nan")), "a is right on – (n = 600 items)."),
        (Finding("a is right on {}", 9, (), 1 / 3, (0.1, 0.7)), "a is right on 3 of 9 (n = 9 items)."),
        (Finding("a gains {}", 60, (), -0.05, (-0.1, 0.0), points=True),
         "a gains −5.0 points [−10.0, 0.0] (n = 60 items)."),
        (Finding("a gains {}", 60, (), 0.05, (float("nan"), 1.0), points=True), "a gains 5.0 points (n = 60 items)."),
        (Finding("v is {}", 450, ("itc",), 0.031, (0.02, 0.04), unit="cosine"),
         "v is 0.0310 cosine [0.0200, 0.0400] (n = 450 items; itc)."),
        (Finding("a beats b by {}", 60, ("w", ""), 0.1, p=float("nan"), points=True),
         "a beats b by 10.0 points (n = 60 items; w)."),
        (Finding("a beats b by {}", 60, (), 0.1, (0.0, 0.2), 1.0, "McNemar", interval="Wilson", points=True),
         "a beats b by 10.0 points [0.0, 20.0] (n = 60 items; Wilson; p = 1, McNemar)."),
        (Finding("the item fails", 1, ("w",)), "the item fails (n = 1 item; w)."),
    ],
)  # fmt: skip
def test_what_is_said(finding: Finding, said: str) -> None:
    assert finding.said == said
