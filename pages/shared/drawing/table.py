"""A table in the house's look, which scrolls sideways where the page is too narrow for it, by keyboard too."""

from collections.abc import Iterable

from markupsafe import Markup


def scrolled(label: str, heads: Markup, body: Markup) -> Markup:
    """The table. label: what a screen reader calls it. heads: its `<th>`; body: its `<tr>`."""
    return Markup(
        '<div class="fs-scroll" tabindex="0" role="region" aria-label="{}"><table class="fs-table"><thead><tr>{}</tr>'
        "</thead><tbody>{}</tbody></table></div>"
    ).format(label, heads, body)


def heads(named: Iterable[tuple[str, str]]) -> Markup:
    """The head of each column from its name and what its tip says.

    >>> heads([("n", "items")])
    Markup('<th scope="col" title="items">n</th>')
    """
    return Markup().join(Markup('<th scope="col" title="{}">{}</th>').format(tip, name) for name, tip in named)
