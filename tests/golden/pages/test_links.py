"""Old links: what each of them shows on the bundled results, so that a paper's or a colleague's goes on to show it."""

import json
import re
from collections.abc import Iterator

import pytest

from backend.store.failures import notes, selections
from tests.golden.kept import FOLDER, check_value
from tests.golden.pages import visits
from tests.golden.pages.journeys import PICKED, WORLD

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("example")]

CAPTIONER, MATCHER, BAG = "bundled:captioner", "bundled:matcher", "bundled:clip-bag"
#: The key that `PICKED` has been kept under since sets are kept; another name would be another link.
SET = "f2dd7f5c3553"
LINKS: dict[str, tuple[dict[str, str | list[str]], ...]] = {
    "overview": (
        {"benchmark": "world", "by": "concept", "broad": "True", "score": "itc", "order": "-attribute|group_score"},
        {"by": "perturbation", "quads": "text_score", "score": "every", "threshold": "0.34"},
        {"benchmark": "world", "threshold_of": "bundled:matcher|itm", "threshold_on": "choice"},
        {"benchmark": "world~character_swap@2", "quads": "image_score"},
        {"by": "no such thing", "score": "ITC", "threshold": "-7", "order": "<b>", "utm_source": "a&b=c"},
        {"tour": "1"},
        {"benchmark": "world", "example": "attribute/6"},
        {"benchmark": "world", "alpha": "0.87", "prior": "lm:bundled:lm", "norm": "sum"},
    ),
    "try-it": (
        {"example": "count"},
        {"i": ["world:2.crbpKO.sbbpig", "world:2.cbbpKO.srbpig"], "t": ["a red circle", "“ein blauer” Stern & 星 <b>"],
         "as": "quad"},
        {"example": "binding", "now": ["a green circle and a blue star", "a blue circle and a red star"],
         "cover": "1:20,20,90,90"},
        {"mode": "rank", "q": "three hearts, 50 % larger + α", "from": "in:world~negation", "n": "12"},
        {"mode": "many"},
        {"i": "upload:0000", "t": ["one", "two"], "as": "nothing", "example": "none"},
    ),
    "failures": (
        {"benchmark": "world", "model": CAPTIONER, "kind": "gen", "alpha": "0.35", "subset": ["choice", "triplet"],
         "diagnosis": "language_prior", "sort": "-margin", "page": "3"},
        {"model": MATCHER, "kind": "itm", "show": "right", "other": BAG, "other_is": "wrong", "sort": "gap"},
        {"model": BAG, "metric": "group_score", "concept": ["attribute/*", "count"], "view": "table"},
        {"perturbation": ["swap/*", "against_prior"], "diagnosis": "bag_of_words", "margin": ["-0.1", "0"],
         "text": "left of"},
        {"set": SET, "show": "all", "model": "bundled:clip"},
        {"set": "000000000000", "show": "all"},
        {"model": "bundled:clip", "cell": ["outvoted_by_image", "outvoted"], "reason": "uncertain", "show": "all"},
        {"tag": ["look/again", "schön & gut"], "note": "with", "show": "all"},
        {"benchmark": "world~negation", "model": "bundled:clip", "page": "999", "view": "cards"},
        {"of": WORLD, "text": "100% <script>", "kind": "none", "alpha": "x", "margin": ["1", "-1"]},
        {"tour": "2"},
        {"model": CAPTIONER, "kind": "gen", "alpha": "0.87", "prior": "images:20", "norm": "sum", "subset": "choice"},
        {"item": "attribute/7", "show": "all"},
        {"human": ["label_wrong", "none"], "show": "all", "item": "<b>/1"},
    ),
    "equivariance": (
        {"kind": "itm", "category": "relation", "scale": "softmax-cells", "signed": "absolute", "rows": "subsets",
         "model": MATCHER},
        {"planes": [f"{BAG}|itc", f"{CAPTIONER}|gen"], "worst": "swapped", "k": "3", "worst_pair": "v1",
         "category": "concept:attribute", "rows": "concepts"},
        {"picked": SET, "scale": "softmax-pool", "benchmark": "world", "kind": "gen"},
        {"k": "99", "worst": "-", "planes": "bundled:clip|no", "picked": "'\""},
        {"item": "attribute/7", "worst": "v1", "model": BAG},
        {"item": "<b>/1"},
    ),
    "debias": (
        {"benchmark": "world", "model": CAPTIONER, "subset": "choice", "stratum": "against_prior", "alpha": "0.999",
         "since": "0.5", "ranges": "all", "range_order": "narrow", "range_page": "2"},
        {"subset": "attribute", "metric": "image_score", "prior": "lm:bundled:lm"},
        {"norm": "sum", "wide": "True", "alpha": "-1.5", "since": "1", "subset": "triplet", "ranges": "never"},
        {"norm": "paper-score", "range_order": "item", "prior": "noise:3", "stratum": "all"},
    ),
    "robustness": (
        {"tab": "flips", "benchmark": "world", "judged": "group_score", "part": "relation", "measure": "flipped"},
        {"cell": "bundled:clip|itc|distraction", "flip": "lost", "page": "2"},
        {"tab": "granularity", "set_a": "world", "set_b": "world~shuffle_all_words", "texts": "all",
         "part_a": "attribute", "part_b": "relation"},
        {"tab": "edits", "caption": "Two “red” cats & a dog’s 星, left of 3 trees.", "edit": "nearby_key", "seed": "7"},
        {"tab": "brittle"},
        {"tab": "finer"},
    ),
    "embeddings": (
        {"model": BAG, "part": "relation", "map": "pca", "colour": "reason", "other": "bundled:clip"},
        {"benchmark": "world", "map": "umap", "neighbours": "50", "tightness": "0.5", "centred": "taken out",
         "judge": MATCHER, "kind": "itm", "metric": "recall_at_5"},
        {"pin": "image:0:retrieval/1", "set": SET, "part": "all", "map": "pca"},
        {"lasso": "t05555555580005555800080005555aaaa"},
        {"lasso": "c0"},
        {"pin": "caption:x:ä/1/2", "colour": "modality", "part": "retrieval", "map": "pca"},
    ),
    "compare": (
        {"a": f"itc {BAG}", "b": "itc bundled:clip", "more": [f"itm {MATCHER}", f"gen {CAPTIONER}"], "by": "subset",
         "subset": ["attribute", "relation"], "metric": "group_score"},
        {"benchmark": "world", "a": f"gen {CAPTIONER}", "b": f"gen-alpha {CAPTIONER}", "alpha": "0.75",
         "prior": "lm:bundled:lm", "norm": "sum", "by": "perturbation", "which": "lost",
         "group": "against_prior"},
        {"series": "clip", "series_kind": "t2t", "which": "both", "group": "count"},
        {"weights": "subsets", "protocol": "choice", "parts": "reasons", "link": "any"},
        {"picked": SET},
    ),
    "teach": (
        {"benchmark": "world", "series": "clip", "before": "bundled:clip-young", "after": "bundled:clip",
         "kind": "t2t", "which": "lost", "group": "relation"},
        {"benchmark": "world", "series": "clip-relational", "against": "before", "protocol": "choice",
         "parts": "reasons", "link": "any"},
        {"view": "train", "teach": "bundled:clip", "teach_by": "binding", "teach_on": "fresh", "teach_pairs": "50",
         "teach_concepts": ["size", "count"], "teach_steps": "20", "training": "none-such", "teach_batch": "8",
         "teach_rank": "2", "teach_rate": "0.001", "teach_seed": "3"},
        {"view": "what-if", "item": "attribute/7", "model": "bundled:clip", "kind": "itc", "quad_loss": "binding"},
        {"view": "what-if", "quad": "0.4 0.3 0.2 0.5", "quad_from": "right", "quad_kind": "itc", "quad_alpha": "0.04",
         "quad_beta": "1", "quad_margin": "0.1", "quad_norm": "sigmoid", "quad_scale": "20", "quad_step": "0.01",
         "quad_steps": "20", "quad_sum": "with"},
    ),
    "runs": (
        {"tab": "perturb"}, {"tab": "predictions"}, {"tab": "Computed"}, {"tab": "add"}, {"run": "ed8561a8f3063c0e"},
    ),
    "atlas": (
        {"x": "winoground::text", "y": "winoground::image", "entry": "OpenCLIP/ViT-B-32/openai", "of": "12",
         "people": "1"},
        {"families": ["OpenCLIP", "none"], "hide": "stored", "given": "1"},
    ),
    "item": (
        {"benchmark": "world", "item": "choice/440"},
        {"benchmark": "world~negation", "item": "choice/851"},
        {"item": "no/such/item?&=%2F"},
        {"item": "retrieval/1", "tour": "3"},
        {"item": "relation/1", "model": "bundled:clip-relational", "kind": "itc"},
        {"item": "choice/440", "alpha": "1", "prior": "noise:3", "norm": "paper-score"},
    ),
    "model": (
        {"benchmark": "world", "model": "bundled:captioner", "by": "concept"},
        {"benchmark": "world", "model": "bundled:matcher", "kind": "itm"},
        {"model": "bundled:captioner", "alpha": "0.87", "prior": "images:20", "norm": "sum"},
        {"benchmark": "world~negation", "model": "bundled:sentence"},
        {"model": "no such <b>model</b>"},
    ),
    "not-found": ({"address": "failure/wörld & co"},),
}  # fmt: skip


@pytest.fixture
def marked() -> Iterator[None]:
    """Two tags, a note and a set of picked items, gone again when the test is over."""
    tags = {"attribute/7": "look/again", "relation/12": "schön & gut"}
    for item, tag in tags.items():
        notes.add_tag(WORLD, item, tag)
    notes.set_note(WORLD, "attribute/7", "= a note, with “quotes”")
    assert selections.keep(WORLD, PICKED, "golden").key == SET
    yield
    for item, tag in tags.items():
        notes.remove_tag(WORLD, item, tag)
    notes.set_note(WORLD, "attribute/7", "")


#: What Teach says while another process measures a first batch: with seconds, and not at all once it has ended.
MEASURING = "Loading the model and measuring its first batch"
#: How many captions are in a clump, and which: one more on one make of CPU than on another, as their vectors differ in
#: the last digits.
IN_CLUMP = re.compile(r"(?<=images and )\d+ captions(?= of)|(?<=clump \d, )lit \S+( … \(\d+ characters\))?")

#: Sums that differ in their last digits from one make of CPU to another, and a digest of such.
LONG = re.compile(r"\d+\.\d{9,}")
SIGNATURE = re.compile(r"signature [0-9a-f]{12}\b")


@pytest.mark.usefixtures("marked")
@pytest.mark.parametrize("page", LINKS)
def test_what_a_link_shows(page: str) -> None:
    """The address that it becomes, its fields' values, and what is read on the page."""
    found = {}
    for query in LINKS[page]:
        app = visits.visit(page, **query)
        found[visits.link_of(page, query)] = {
            "becomes": visits.link_of(page, visits.written(app)), "fields": visits.fields(app),
            "text": [_steady(said) for said in visits.text(app)[1:] if not said.startswith(MEASURING)],
        }  # fmt: skip
    check_value(f"pages-links-{page}", found)


def _steady(said: str) -> str:
    short = LONG.sub(lambda found: f"{float(found[0]):.7g}", IN_CLUMP.sub("(some)", said))
    return SIGNATURE.sub("signature (of its numbers)", short)


def test_every_key_is_in_some_link() -> None:
    """A page's link says each of the page's keys once at least; the guided visit and the glossary are on each."""
    known = json.loads((FOLDER / "shapes" / "pages-addresses.json").read_text(encoding="utf-8"))
    said = {page: {key for query in queries for key in query} | {"tour", "glossary"} for page, queries in LINKS.items()}
    assert {page: sorted(set(keys) - said[page]) for page, keys in known.items()} == {page: [] for page in known}
    assert sum(map(len, LINKS.values())) >= 40
