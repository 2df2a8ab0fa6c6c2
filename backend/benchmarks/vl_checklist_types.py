"""VL-CheckList's files, the type each belongs to, and the scores of the 13 types.

`corpus.json` of the original groups result files by type (13 of them) and data set (vg, vaw, swig, hake). Counts are
of our notes on the original files, five of them counted again here; files without one were too large for the notes.

A type's score is the mean over its data sets of the mean over that data set's files, unweighted at both levels. The
original prints them under chart labels of which three are permuted: what it calls A-Size, A-State, A-Action are
action, size, state. Here every score carries its own key.
"""

from backend.benchmarks.base import Judged, Official
from backend.benchmarks.parts import accuracies, mean_over, score
from backend.metrics.official import Mean, mean_of

#: type -> (large or center, medium or mid, small or margin) of each file of Object; None where the count is not known.
_SIZE = {
    "vg_size/vg_obj": (None, 30725, 13702),
    "vg_size/vg_subj": (26167, 20930, 10554),
    "swig_size/swig_agent/swig_agent": (None, 442, 48),
    "swig_size/swig_destination/swig_destination": (1520, 109, 9),
    "swig_size/swig_item/swig_item": (5070, 742, 154),
    "swig_size/swig_tool/swig_tool": (4643, 1452, 308),
    "hake_size/hake_obj": (None, 30910, 6210),
}
_LOCATION = {
    "vg_location/vg_obj": (None, None, 8291),
    "vg_location/vg_subj": (25383, 26294, 5974),
    "swig_location/swig_agent/swig_agent": (None, 5074, 260),
    "swig_location/swig_destination/swig_destination": (1063, 530, 45),
    "swig_location/swig_item/swig_item": (4163, 1715, 88),
    "swig_location/swig_tool/swig_tool": (4056, 2226, 121),
    "hake_location/hake_obj": (None, None, 10062),
}
SIZES, PLACES = ("large", "medium", "small"), ("center", "mid", "margin")
KINDS = ("color", "material", "size", "state", "action")
_OTHERS = {
    "Attribute/vg/color": 11569,
    "Attribute/vg/material": 2470,
    "Attribute/vg/size": 2695,
    "Attribute/vg/state": 941,
    "Attribute/vg/action": 1892,
    "Attribute/vaw/color": None,
    "Attribute/vaw/material": 11835,
    "Attribute/vaw/size": 15321,
    "Attribute/vaw/state": 4939,
    "Attribute/vaw/action": 3039,
    "Relation/vg/action": 12733,
    "Relation/swig_action": 25150,
    "Relation/hake_action": None,
    "Relation/vg/spatial": 30650,
}

_KNOWN: dict[str, int | None] = {
    **{f"Object/Size/{file}_{size}": n for file, row in _SIZE.items() for size, n in zip(SIZES, row, strict=True)},
    **{f"Object/Location/{file}_{at}": n for file, row in _LOCATION.items() for at, n in zip(PLACES, row, strict=True)},
    **_OTHERS,
}
#: Subsets of the release (a file's path without .json), and how many items those have whose size is known.
FILES = tuple(_KNOWN)
COUNTS = {subset: n for subset, n in _KNOWN.items() if n is not None}


def type_of(subset: str) -> tuple[str, str] | None:
    """The type and the data set of a file; None where its path is none of VL-CheckList's.

    >>> type_of("Object/Size/swig_size/swig_agent/swig_agent_large"), type_of("Relation/hake_action")
    (('large', 'swig'), ('action', 'hake'))
    >>> type_of("Attribute/vaw/color"), type_of("Attribute/notes")
    (('color', 'vaw'), None)
    """
    family, *folders, stem = subset.split("/")
    dataset, _, kind = stem.rpartition("_")
    if family == "Object" and len(folders) > 1 and kind in {"Size": SIZES, "Location": PLACES}.get(folders[0], ()):
        return kind, folders[1].split("_")[0]
    if family == "Attribute" and len(folders) == 1 and stem in KINDS:
        return stem, folders[0]
    if family == "Relation" and kind in ("action", "spatial"):
        return kind, folders[0] if folders else dataset
    return None


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
