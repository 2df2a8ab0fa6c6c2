"""Concept by concept: what was fixed and broken, the change with its interval, and which changes are beyond chance."""

import pandas as pd
from markupsafe import Markup

from backend import written
from backend.taxonomy import title
from backend.written import p_cell
from pages.compare import view
from pages.compare.view import LEVEL
from pages.shared.data.frames import lines_of
from pages.shared.drawing.numbers import fixed
from pages.shared.frame.style import show
from pages.teach.changed import said
from pages.teach.changed.choice import LAST, Asked, Change


def ups_and_downs(tests: pd.DataFrame) -> str:
    """Which concepts rose and which fell beyond chance (Holm's p at most .05), in words.

    >>> ups_and_downs(pd.DataFrame({"group": ["size", "count"], "gain": [-0.1, 0.2], "holm": [0.01, 0.2]}))
    'Beyond chance (Holm, p ≤ .05): better at nothing; worse at size.'
    """
    real = tests[tests["holm"] <= LEVEL].sort_values("gain")
    better = [title(str(name)) for name in real.loc[real["gain"] > 0, "group"][::-1]]
    worse = [title(str(name)) for name in real.loc[real["gain"] < 0, "group"]]
    told = (", ".join(names) or "nothing" for names in (better, worse))
    return "Beyond chance (Holm, p ≤ .05): better at {}; worse at {}.".format(*told)


def table(tests: pd.DataFrame, change: Change, asked: Asked) -> None:
    """A row a concept, the largest gain first. tests: of `compare.against` by concept."""
    a, b = change.named[asked.left], change.named[LAST]
    heads = Markup().join(
        Markup('<th scope="col" title="{}">{}</th>').format(tip, name)
        for name, tip in (
            ("n", "verdicts that all have"), (a.label, "right, per cent"), (b.label, "right, per cent"),
            ("✓ fixed", f"wrong under {a.label}, right under {b.label}"),
            ("✗ broken", f"right under {a.label}, wrong under {b.label}"),
            ("change", "points, with the 95 % interval (random halves of the images)"),
            ("p, Holm", "exact paired test over images, adjusted over these rows"),
        )
    )  # fmt: skip
    order = view.by_gain(tests)
    tests = tests.sort_values("group", key=lambda names: names.map(order.index), kind="stable")
    body = Markup().join(
        Markup(
            '<tr{here}><th scope="row">{title}</th><td>{n:,}</td><td>{rate_a}</td><td>{rate_b}</td>'
            '<td class="cmp-fixed">{only_b:,}</td><td class="cmp-broken">{only_a:,}</td>'
            '<td title="{tip}"><b class="{look}">{gain}</b><small>{ends}</small></td><td>{holm}</td></tr>'
        ).format(
            here=Markup(' class="tc-here"') if row.group == asked.group else "",
            title=title(str(row.group)),
            n=row.n,
            rate_a=fixed(100 * row.rate_a),
            rate_b=fixed(100 * row.rate_b),
            only_b=row.only_b,
            only_a=row.only_a,
            tip=said.tip(row),
            look=said.look(row.gain, row.holm),
            gain=fixed(100 * row.gain, 1, signed=True),
            ends=written.ends((row.low, row.high), signed=True),
            holm=p_cell(row.holm),
        )
        for row in lines_of(tests)
    )
    show(
        Markup(
            '<div class="fs-scroll" tabindex="0" role="region" aria-label="What changed, by concept">'
            '<table class="fs-table cmp-tests"><thead><tr><th scope="col" title="what the items test">concept</th>{}'
            "</tr></thead><tbody>{}</tbody></table></div>"
        ).format(heads, body)
    )
