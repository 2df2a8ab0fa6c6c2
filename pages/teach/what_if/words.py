"""What the what-if calls its losses, and what it says of each; a test holds every formula against torch."""

from typing import Any, Final

from pages.shared.drawing.colours import OKABE_ITO
from pages.teach.what_if.presets import Start

#: How to read the picture.
READ: Final = "Leftwards a bias goes, upwards binding rises; in the green the group score is right."


def units(unit: str) -> str:
    """In which units the numbers beside the picture are. unit: of the scores.

    >>> units("cosine").split(".")[0]
    'Scores, γ, c, r and μ are in cosine'
    """
    return (
        f"Scores, γ, c, r and μ are in {unit}. The number under a score is by how much the chosen loss falls there, "
        f"per unit of {unit} (→ as the score rises, ← as it falls)."
    )


#: What the picture is, and is not.
ABOUT: Final = (
    "On logits as they are EqSim's paths are level: it helps only where γ is above zero already. This is no training: "
    "only these four numbers move, each freely and straight downhill, every step equally far until the loss is met. A "
    "model's scores hang together by its weights, which other pairs pull at, too, so a training may go elsewhere."
)

#: The six losses: name, short name, colour, dashes, and formula in γ, c, r by kind. τ is the logit scale.
_NAMES: Final = {
    "retrieval": ("retrieval", "retrieval", OKABE_ITO[0], ""),
    "v1": ("EqSim v1", "v1", OKABE_ITO[1], "7 3"),
    "v2": ("EqSim v2", "v2", OKABE_ITO[2], "2 3"),
    "both": ("EqSim v1 + v2", "v1 + v2", OKABE_ITO[4], ""),
    "negatives": ("SVLC negatives", "negatives", OKABE_ITO[3], ""),
    "binding": ("binding (ours)", "binding", OKABE_ITO[5], ""),
}
_SAME: Final = {
    "binding": (
        "[max(|c|, |r|) − γ + m]₊",
        "Our hinge on what the group score is: binding above the larger bias, by the margin m. Where that holds it "
        "asks for nothing more.",
    ),
}
_V1: Final = "Asks that both wrong pairs score alike, s12 = s21 (EqSim paper, Eq. 6): r = c, not that either is zero."
_V2: Final = (
    "Asks that changing the caption moves both images alike, and changing the image both captions (EqSim paper, "
    "Eq. 6): c = 0 and r = 0."
)
_COSINE: Final = {
    "retrieval": (
        "¼ [ln(1 + e^−2τ(γ+c)) + ln(1 + e^−2τ(γ−c)) + ln(1 + e^−2τ(γ+r)) + ln(1 + e^−2τ(γ−r))]",
        "The contrastive loss of a batch that holds both pairs of the quad and no others (SVLC paper, Eq. 2): each of "
        "the four comparisons behind text and image score.",
    ),
    "v1": ("[4τ²(r − c)² − α]₊", _V1),
    "v2": ("[16τ²c² − α]₊ + [16τ²r² − α]₊", _V2),
    "both": (
        "[4τ²(r − c)² − α]₊ + [16τ²c² − α]₊ + [16τ²r² − α]₊",
        "Both of EqSim's conditions; a quad's two pairs are close ones, of which the paper asks both (section 5.4).",
    ),
    "negatives": (
        "½ [ln(1 + e^−2τ(γ+c)) + ln(1 + e^−2τ(γ−c))]",
        "Each image against the other caption as its generated negative (SVLC paper, Eq. 3): the comparisons behind "
        "the text score. Two images are never compared, so r is left alone.",
    ),
}  # fmt: skip
_LOG_ODDS: Final = {
    "retrieval": (
        "¼ [ln(1 + e^−s11) + ln(1 + e^−s22) + ln(1 + e^s12) + ln(1 + e^s21)]",
        "Binary cross-entropy: yes to the two true pairs, no to the other two (BLIP, section 3.2).",
    ),
    **{name: (formula.replace("τ²", "").replace("τ", ""), said)
       for name, (formula, said) in _COSINE.items() if name != "retrieval"},
}  # fmt: skip
#: What EqSim compares, as the control says it, and what that means.
NORMS: Final = {
    "none": ("logits as they are", ""),
    "sigmoid": (
        "sigmoid of each",
        "p: a sigmoid of each logit, as the paper trains matching heads. The same conditions of probabilities; through "
        "the sigmoid γ may move, up or down.",
    ),
    "batch": (
        "softmax over the four",
        "p: a softmax over all four logits; through it γ may move, up or down. The paper's own, over the captions of "
        "each image, needs three captions or more: of two, each row sums to one and the image side vanishes.",
    ),
}


#: EqSim's conditions of what a sigmoid or a softmax made of the scores.
_OF_P: Final = {
    "v1": "[(p12 − p21)² − α]₊",
    "v2": "[(p11 − p12 + p21 − p22)² − α]₊ + [(p11 + p12 − p21 − p22)² − α]₊",
}


def _looks(kind: str) -> dict[str, Any]:
    formulas = (_COSINE if kind == "itc" else _LOG_ODDS) | _SAME
    losses = [
        {"id": key, "name": name, "short": short, "colour": colour, "dash": dash, "formula": formulas[key][0],
         "of_p": _OF_P.get(key, " + ".join(_OF_P.values()) if key == "both" else ""), "what": formulas[key][1]}
        for key, (name, short, colour, dash) in _NAMES.items()
    ]  # fmt: skip
    return {"losses": losses, "norms": [[key, *said] for key, said in NORMS.items()]}


#: Kind -> what the component calls everything.
LOOKS: Final = {kind: _looks(kind) for kind in ("itc", "itm")}


def about_scale(start: Start) -> str:
    """How the scores become logits, in words."""
    if start.kind == "itm":
        return "Log-odds are logits already."
    whose = "CLIP's first one" if start.is_made_up else "the model's own where its record has one, else CLIP's first"
    return f"Losses other than binding take logits, scale × cosine; the scale is {whose} until it is changed."
