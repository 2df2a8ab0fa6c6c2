"""`flipside models`: the families and specs to start from."""

from typing import Annotated

import typer

from backend.intake.predictions import specs
from backend.models import families
from backend.paths import bundled_models_dir
from backend.verbs.shared.output import print_json, print_table, say


def command(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List the model families, the kinds of score each gives, and example specs."""
    known = families()
    bundled = bundled_specs()
    if as_json:
        print_json({"families": known, "bundled": bundled, "predictions": specs()})
        return
    packages = any(each["package"] for each in known)
    print_table(
        ("family", "kinds", "example", "what it loads", *(["package"] if packages else [])),
        [
            (each["name"], ",".join(each["kinds"]), each["examples"][-1], each["loads"])
            + ((each["package"] or "",) if packages else ())
            for each in known
        ],
    )
    say(f"\nbundled: {', '.join(bundled) or 'none yet (make models trains them)'}")
    if kept := specs():
        say(f"added predictions: {', '.join(kept)}")
    say("A local folder may stand for any hub name: hf:/path/to/folder")


def bundled_specs() -> list[str]:
    """Specs of the models that ship with Flipside."""
    root = bundled_models_dir()
    return [f"bundled:{folder.parent.name}" for folder in sorted(root.glob("*/config.json"))]
