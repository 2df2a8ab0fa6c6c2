"""English endings: plurals, verb forms, "a" or "an", capitals. Rules and short lists of exceptions; no data files."""

import re
from typing import Final

_PLURALS: Final = {
    "man": "men", "woman": "women", "child": "children", "person": "people", "foot": "feet", "tooth": "teeth",
    "goose": "geese", "mouse": "mice", "ox": "oxen", "knife": "knives", "wife": "wives", "life": "lives",
    "leaf": "leaves", "wolf": "wolves", "calf": "calves", "half": "halves", "loaf": "loaves", "shelf": "shelves",
    "scarf": "scarves", "elf": "elves", "thief": "thieves", "hoof": "hooves", "tomato": "tomatoes",
    "potato": "potatoes",
    "hero": "heroes", "echo": "echoes", "mango": "mangoes", "volcano": "volcanoes", "sheep": "sheep", "deer": "deer",
    "fish": "fish", "moose": "moose", "bison": "bison", "aircraft": "aircraft", "species": "species",
    "series": "series",
    "cactus": "cacti", "bus": "buses", "gas": "gases",
}  # fmt: skip
#: These have no other number, or change their meaning with it.
UNCOUNTED: Final = frozenset(
    [
        "pants",
        "jeans",
        "shorts",
        "trousers",
        "glasses",
        "scissors",
        "tongs",
        "goggles",
        "sunglasses",
        "clothes",
        "clothing",
        "luggage",
        "furniture",
        "people",
        "grass",
        "water",
        "snow",
        "sand",
        "bread",
        "rice",
        "food",
        "equipment",
        "traffic",
        "hair",
    ]
)

#: Past and participle of verbs that captions use and rules do not give.
_IRREGULAR: Final = {
    "be": ("was", "been"), "have": ("had", "had"), "do": ("did", "done"), "go": ("went", "gone"),
    "see": ("saw", "seen"),
    "eat": ("ate", "eaten"), "ride": ("rode", "ridden"), "run": ("ran", "run"), "swim": ("swam", "swum"),
    "fly": ("flew", "flown"), "throw": ("threw", "thrown"), "take": ("took", "taken"), "give": ("gave", "given"),
    "wear": ("wore", "worn"), "drive": ("drove", "driven"), "write": ("wrote", "written"), "grow": ("grew", "grown"),
    "draw": ("drew", "drawn"), "blow": ("blew", "blown"), "break": ("broke", "broken"), "choose": ("chose", "chosen"),
    "drink": ("drank", "drunk"), "fall": ("fell", "fallen"), "hide": ("hid", "hidden"), "lie": ("lay", "lain"),
    "rise": ("rose", "risen"), "shake": ("shook", "shaken"), "sing": ("sang", "sung"), "speak": ("spoke", "spoken"),
    "come": ("came", "come"), "become": ("became", "become"), "begin": ("began", "begun"), "bite": ("bit", "bitten"),
    "stand": ("stood", "stood"), "sit": ("sat", "sat"), "hold": ("held", "held"), "catch": ("caught", "caught"),
    "sleep": ("slept", "slept"), "read": ("read", "read"), "cut": ("cut", "cut"), "hit": ("hit", "hit"),
    "put": ("put", "put"), "set": ("set", "set"), "let": ("let", "let"), "shut": ("shut", "shut"),
    "get": ("got", "got"),
    "make": ("made", "made"), "say": ("said", "said"), "keep": ("kept", "kept"), "leave": ("left", "left"),
    "lead": ("led", "led"), "feed": ("fed", "fed"), "fight": ("fought", "fought"), "find": ("found", "found"),
    "hang": ("hung", "hung"), "buy": ("bought", "bought"), "bring": ("brought", "brought"), "build": ("built", "built"),
    "kneel": ("knelt", "knelt"), "lean": ("leaned", "leaned"), "lay": ("laid", "laid"), "pay": ("paid", "paid"),
    "sell": ("sold", "sold"), "send": ("sent", "sent"), "shine": ("shone", "shone"), "shoot": ("shot", "shot"),
    "slide": ("slid", "slid"), "spread": ("spread", "spread"), "sweep": ("swept", "swept"),
    "swing": ("swung", "swung"),
    "teach": ("taught", "taught"), "tell": ("told", "told"), "think": ("thought", "thought"), "win": ("won", "won"),
    "wind": ("wound", "wound"), "meet": ("met", "met"), "bend": ("bent", "bent"), "dig": ("dug", "dug"),
    "spin": ("spun", "spun"), "stick": ("stuck", "stuck"), "tear": ("tore", "torn"), "show": ("showed", "shown"),
}  # fmt: skip
_DOUBLED: Final = frozenset(
    [
        "sit",
        "run",
        "swim",
        "hit",
        "cut",
        "put",
        "get",
        "stop",
        "hug",
        "pet",
        "ship",
        "jog",
        "skip",
        "hop",
        "step",
        "grab",
        "drag",
        "plan",
        "chat",
        "clap",
        "drop",
        "flip",
        "mop",
        "nap",
        "pat",
        "rub",
        "shop",
        "slip",
        "snap",
        "spin",
        "split",
        "tap",
        "tip",
        "trim",
        "trip",
        "wrap",
        "zip",
        "dig",
        "let",
        "set",
        "shut",
        "win",
        "bat",
        "stir",
        "scrub",
        "chop",
        "tug",
        "knit",
        "pin",
        "rip",
        "beg",
        "hum",
        "jam",
        "lap",
        "log",
        "nod",
        "pop",
        "rob",
        "sip",
        "skim",
        "slam",
        "snip",
        "strum",
        "swap",
        "top",
        "wag",
        "whip",
        "begin",
    ]
)
_THIRD: Final = {"be": "is", "have": "has", "do": "does", "go": "goes"}
_BASES: Final = {third: base for base, third in _THIRD.items()}
_VOWEL_LETTERS: Final = "aeiou"
_SPOKEN_CONSONANT: Final = re.compile(r"(?:uni(?!n|m)|us[aeiu]|u[bcfhjkqrst][aeiou]|eu|ewe|one(?:$|[^a-z])|once)")
_SPOKEN_VOWEL: Final = re.compile(r"(?:hour|honest|honou?r|heir|[fhlmnrsx](?:$|[^a-z])|mp3|tv$|xbox)")


def plural(noun: str) -> str:
    """The plural of a singular noun in lower case.

    >>> [plural(noun) for noun in ("dog", "bench", "boy", "berry", "woman", "roof")]
    ['dogs', 'benches', 'boys', 'berries', 'women', 'roofs']
    """
    if noun in _PLURALS:
        return _PLURALS[noun]
    for end in ("woman", "man", "child", "person"):
        if noun.endswith(end) and noun not in ("human", "german", "roman"):
            return noun[: -len(end)] + _PLURALS[end]
    return _with_s(noun)


def _with_s(word: str) -> str:
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return f"{word}es"
    if word.endswith("y") and word[-2:-1] not in _VOWEL_LETTERS:
        return f"{word[:-1]}ies"
    return f"{word}s"


def third(base: str) -> str:
    """Third person singular: "sit" → "sits"."""
    return _THIRD.get(base) or _with_s(base)


def base_of_third(verb: str) -> str:
    """The base of a third person singular.

    >>> [base_of_third(verb) for verb in ("sits", "watches", "carries", "uses", "has", "lies")]
    ['sit', 'watch', 'carry', 'use', 'have', 'lie']
    """
    if verb in _BASES:
        return _BASES[verb]
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    return verb[:-2] if verb.endswith(("ches", "shes", "sses", "xes", "zzes")) else verb[:-1]


def past(base: str) -> str:
    """Past tense of a base: "ride" → "rode", "walk" → "walked"."""
    return _IRREGULAR[base][0] if base in _IRREGULAR else _with(base, "ed")


def ing(base: str) -> str:
    """Present participle: "lie" → "lying", "run" → "running", "ride" → "riding"."""
    return f"{base[:-2]}ying" if base.endswith("ie") else _with(base, "ing")


def _with(base: str, ending: str) -> str:
    if base in _DOUBLED:
        return base + base[-1] + ending
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
        return base[:-1] + ending
    if ending == "ed" and base.endswith("y") and base[-2:-1] not in _VOWEL_LETTERS:
        return f"{base[:-1]}ied"
    return (base[:-1] if ending == "ed" and base.endswith("e") else base) + ending


def _plain_pasts() -> dict[str, str]:
    """Pasts that are neither a participle nor a base, nor a word of another class."""
    others = {"lay", "saw", "rose", "wore", "fell", "bit", "hid"} - {"wore", "fell", "hid"}
    return {
        old: base for base, (old, participle) in _IRREGULAR.items()
        if old not in (participle, base, *others) and base not in ("be", "have", "do")
    }  # fmt: skip


#: "rode" → "ride": forms that can be nothing but a past tense.
PASTS: Final = _plain_pasts()


def article(word: str) -> str:
    """ "a" or "an", as the next word is spoken.

    >>> [article(word) for word in ("orange", "blue", "unicorn", "umbrella", "hour", "one-way", "uninteresting")]
    ['an', 'a', 'a', 'an', 'an', 'a', 'an']
    """
    lower = word.lower()
    if _SPOKEN_VOWEL.match(lower):
        return "an"
    return "an" if lower[:1] in tuple(_VOWEL_LETTERS) and not _SPOKEN_CONSONANT.match(lower) else "a"


def like(old: str, new: str) -> str:
    """The new word with the old one's capitals: "Red" → "Blue", "RED" → "BLUE"."""
    if old.isupper() and len(old) > 1:
        return new.upper()
    return new[:1].upper() + new[1:] if old[:1].isupper() else new
