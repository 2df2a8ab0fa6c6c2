"""VL-CheckList's 13 type scores, and the three headline numbers over them.

A type's score is the mean over its data sets of the mean over that data set's files, unweighted at both levels. The
original prints them under chart labels of which three are permuted: what it calls A-Size, A-State, A-Action are
action, size, state. Here every score carries its own key.
"""

from backend.benchmarks.base import Judged, Official
from backend.benchmarks.parts import accuracies, mean_over, score
from backend.benchmarks.vl_checklist_files import FILES, KINDS, PLACES, SIZES, type_of
from backend.metrics.official import Mean, mean_of

#: family -> the keys of its types.
TYPES = {
    "Object": tuple(f"Object/{type_}" for type_ in (*SIZES, *PLACES)),
    "Attribute": tuple(f"Attribute/{type_}" for type_ in KINDS),
    "Relation": ("Relation/action", "Relation/spatial"),
}
HOW = "Mean over data sets ({sets}) of the mean over the files of each, unweighted."
PERMUTED = " The original's charts print action, size and state under the labels A-Size, A-State and A-Action."
PRINT = " Print uses the first 1,000 items with an image of each file (--split official)."


def official(judged: Judged) -> list[Official]:
    """Types by their key, then Object, Attribute and Relation."""
    if judged.metric != "accuracy":
        return []
    files = accuracies(judged)
    types = {key: _type(key, files) for keys in TYPES.values() for key in keys}
    found = [score(key, mean, _how(key)) for key, mean in types.items()]
    for family, keys in TYPES.items():
        how = f"Mean over its types ({', '.join(key.split('/')[1] for key in keys)}), unweighted.{PRINT}"
        found.append(mean_over(family, types, keys, how))
    return found


def files_of(key: str) -> dict[str, list[str]]:
    """Data set -> the files of a type.

    >>> files_of("Object/mid")["vg"]
    ['Object/Location/vg_location/vg_obj_mid', 'Object/Location/vg_location/vg_subj_mid']
    """
    family, wanted = key.split("/")
    found: dict[str, list[str]] = {}
    for subset in FILES:
        kind, dataset = type_of(subset) or ("", "")
        if subset.startswith(f"{family}/") and kind == wanted:
            found.setdefault(dataset, []).append(subset)
    return found


def _type(key: str, files: dict[str, Mean]) -> Mean:
    sets = {dataset: mean_of(files, wanted) for dataset, wanted in files_of(key).items()}
    return mean_of(sets, sets)


def _how(key: str) -> str:
    permuted = PERMUTED if key in ("Attribute/size", "Attribute/state", "Attribute/action") else ""
    return HOW.format(sets=", ".join(files_of(key))) + permuted + PRINT
