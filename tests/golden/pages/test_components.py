"""Components of our own: their names, what they are given and what they send back.

What goes in is read off the messages of pages that draw them. What comes out is read off both sides: the `on_…_change`
that Python waits for, and the names that the component's script sends under.
"""

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from tests.golden.kept import check_shape, shape_of
from tests.golden.pages import journeys, visits
from tests.golden.pages.visits import SEEN

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("example")]

#: Mappings in what goes in whose keys are data, by component.
NAMED: dict[str, tuple[str, ...]] = {"flipside_alpha_curve": ("items",)}


def declared() -> dict[str, set[str]]:
    """Component -> what Python waits for from it, read off the code of the module that declares it."""
    found: dict[str, set[str]] = {}
    for path, tree in visits.sources():
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        for node in calls:
            if not (ast.unparse(node.func).endswith("component.load") and node.args):
                continue
            assert isinstance(node.args[0], ast.Constant), f"{path.name}: its name is not written out"
            found[str(node.args[0].value)] = {
                word.arg.removeprefix("on_").removesuffix("_change")
                for call in calls
                if ast.unparse(call.func) == "_component"
                for word in call.keywords
                if word.arg and re.fullmatch(r"on_\w+_change", word.arg)
            }
    return found


def sent(script: str) -> dict[str, str]:
    """Name -> "state", which stays, or "trigger", which is said once; the map hands its function on as `send`."""
    found = re.findall(r'(setState|setTrigger|this\.send)(?:Value)?\(\s*"(\w+)"', script)
    return {name: "state" if how == "setState" else "trigger" for how, name in found}


@pytest.mark.timeout(600)
def test_names_and_what_goes_in_and_out(tmp_path: Path) -> None:
    for page in journeys.FIRST_VIEWS:
        journeys.first_view(page)
    journeys.further()
    journeys.tried()
    if "flipside_teach_curves" not in SEEN.components:
        journeys.trainings(tmp_path)
    for page, step in journeys.TOUR:
        journeys.toured(page, step)
    links = {visits.link_of(page, query) for page, query in (*journeys.FIRST_VIEWS.items(), *journeys.FURTHER)}
    links |= (
        {visits.link_of(page, {"tour": step}) for page, step in journeys.TOUR}
        | {visits.link_of(*journeys.ATLAS)}
        | set(journeys.TRIED)
        | {journeys.TRAINING}
    )
    given = {  # of these visits alone: another test's would say more, or less
        name: [document for link, document in documents if link in links] for name, documents in SEEN.components.items()
    }
    known = declared()
    assert set(SEEN.components) <= set(known)
    assert sorted(name for name in known if not given.get(name)) == [], "no visit draws these"
    found: dict[str, Any] = {
        name: {"in": merged(given[name], NAMED.get(name, ())), "out": sent(SEEN.scripts[name])}
        for name in sorted(known)
    }
    assert {name: set(each["out"]) for name, each in found.items()} == known
    check_shape("pages-components", found)


def merged(documents: list[Any], named: tuple[str, ...]) -> Any:
    """One shape of all documents that a component was given."""
    return shape_of({"each": documents}, [f"each.[].{path}" for path in named])["each"][0]
