"""What a model is, in one line: its kind, how it was trained, its size; from its card, its family or a run's record.

A record may have come in a bundle, so of it only known words and plain numbers are taken, cut to a length.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from backend.errors import FlipsideError
from backend.kinds import PREDICTIONS
from backend.models.registry import FAMILIES
from backend.paths import bundled_models_dir
from backend.store.build.store import Store
from backend.store.catalog import catalog, public
from backend.store.catalog.systems import BUNDLED, PARAMETERS, SYSTEMS, VARIANTS

_BUNDLED = "bundled:"
#: Longest word of a record that is shown.
_LONGEST = 80


def about(store: Store, spec: str) -> str:
    """One line without a full stop; "" where nothing is known of it but its name."""
    known: str = store.cached(("about model", spec), lambda: _line(spec, _record(store, spec)))
    return known


def _record(store: Store, spec: str) -> Mapping[str, Any]:
    """What the latest run of a model says of it; {} without runs."""
    table = catalog.runs(store)
    own = table.loc[table["model"] == spec, "run_id"]
    return store.run(str(own.iloc[-1])).record if len(own) else {}


def _line(spec: str, record: Mapping[str, Any]) -> str:
    if spec.startswith(_BUNDLED) and (said := _bundled(spec.removeprefix(_BUNDLED))):
        return said
    model = record.get("model")
    model = model if isinstance(model, Mapping) else {}
    if said := _taught(model.get("taught")):
        return said
    fetched = public.public(record)
    if fetched is not None:
        return of_system(fetched.system, fetched.head)
    if spec.startswith(PREDICTIONS):
        return "another system's scores, read from a file"
    family = next((each for each in FAMILIES if each.name == model.get("family")), None)
    return family.loads.partition(" (")[0] if family is not None else ""


def of_system(system: str, head: str = "") -> str:
    """Of a fetched system by its name and its head.

    >>> of_system("CLIP ViT-B/32", "contrastive").endswith("(OpenAI); 151 M parameters; scores of its contrastive head")
    True
    >>> of_system("CLIP ViT-g/14, LAION").endswith("LAION's pairs from the web (open_clip)"), of_system("nobody's")
    (True, '')
    """
    name, _, variant = system.partition(", ")
    key = max((each for each in SYSTEMS if system.startswith(each)), key=len, default="")
    if not key:
        return ""
    said = [
        VARIANTS.get(variant, SYSTEMS[key]),
        f"its {variant} weights" if variant and variant not in VARIANTS else "",
    ]
    if system in PARAMETERS:
        said.append(f"{PARAMETERS[name]} M parameters")
    if head and head != key:
        said.append(f"scores of its {head} head" if head in ("contrastive", "matching") else f"scored by {head}")
    return "; ".join(filter(None, said))


def _bundled(name: str) -> str:
    """Of a model that ships: what it is, its parameters and steps as on its card."""
    if name not in BUNDLED:
        return ""
    card = json.loads((bundled_models_dir() / name / "card.json").read_text(encoding="utf-8"))
    size = f"{card['parameters'] / 1e6:.2f} M parameters"
    return f"{BUNDLED[name]}; {size}, {card['steps']:,} training steps on drawn scenes"


def _taught(said: object) -> str:
    """Of a model that `flipside teach` made, from its record."""
    if not isinstance(said, Mapping) or not isinstance(said.get("base"), str):
        return ""
    step, recipe = said.get("step"), said.get("recipe")
    steps = f", {step:,} steps" if isinstance(step, int) else ""
    by = f" by the recipe {recipe[:_LONGEST]}" if isinstance(recipe, str) else ""
    return f"taught from {said['base'][:_LONGEST]}{by}{steps}"


def known(store: Store, specs: Iterable[str]) -> dict[str, str]:
    """The lines of several models; a card that cannot be read leaves its model without one."""
    found = {}
    for spec in specs:
        try:
            found[spec] = about(store, spec)
        except (FlipsideError, OSError, ValueError, KeyError):
            found[spec] = ""
    return found
