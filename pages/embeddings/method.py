"""The one line of what is seen, and in a fold what a map is and what it leaves out."""

from collections.abc import Sequence

from markupsafe import Markup

from backend import written
from backend.metrics.near_errors import NearErrors
from backend.store.items.embeddings import IMAGE, MOST, TEXT, Points
from pages.embeddings import data as embeddings_data
from pages.embeddings import explore, over
from pages.embeddings.choices import Choices
from pages.embeddings.data import Space
from pages.embeddings.over import Judge
from pages.shared.data import stored
from pages.shared.drawing.facts import facts
from pages.shared.drawing.numbers import count
from pages.shared.frame.header import chart_caption


def line(benchmark: stored.StoredBenchmark, of: Space, judge: Judge, name: str, whose: str = "") -> Markup:
    """What is seen: whether wrong answers lie together in the model's space. name: of the model; whose: by whose
    verdicts, where these are another's."""
    said, is_judged = _line(benchmark, of, judge, name)
    return by_verdicts(whose, said) if whose and is_judged else said


def by_verdicts(whose: str, said: Markup) -> Markup:
    """A sentence that is told of another's verdicts.

    >>> str(by_verdicts("clip", Markup("Wrong items lie together.")))
    'By the verdicts of clip, wrong items lie together.'
    """
    return Markup("By the verdicts of {}, {}{}").format(whose, said[:1].lower(), said[1:])


def _line(benchmark: stored.StoredBenchmark, of: Space, judge: Judge, name: str) -> tuple[Markup, bool]:
    """The sentence, and whether it tells of verdicts."""
    modalities = set(of.points.contents["modality"])
    side, what = (TEXT, "caption") if TEXT in modalities else (IMAGE, "image")
    found = over.near(benchmark, of, judge, side)
    if found is not None:
        return near_line(found, what) + either_way(judge.metric), True
    traits = over.traits(benchmark, of.points, judge)
    if not traits.judged:
        said = Markup("{} of {} where {} puts them.").format(
            f"{len(of.points.contents):,} images and captions", count(of.points.n_items, "item"), name
        )
        return said, False
    n = int((traits.wrong == traits.wrong).sum())
    wrong = int((traits.wrong > 0.5).sum())
    later = Markup("")
    if not of.known and side == TEXT and int((of.points.contents["modality"] == TEXT).sum()) <= over.MOST:
        later = Markup(
            " Whether these lie together is told once {} has embedded their captions: no run has stored "
            "the vectors of this subset (below the map)."
        )
    said = Markup("{} of {} are wrong.{}").format(f"{wrong:,}", count(n, "item"), later.format(name))
    return said + either_way(judge.metric), True


def either_way(metric: str) -> Markup:
    """What sets the wrong items of a pool apart from the rates that Overview shows; empty elsewhere. metric: that
    judges, "recall_at_k" for a pool.

    >>> str(either_way("accuracy")), str(either_way("recall_at_1"))[:42]
    ('', ' An item is wrong here where its image or ')
    """
    if not metric.startswith("recall_at_"):
        return Markup("")
    return Markup(
        " An item is wrong here where its image or one of its captions is; recalls on Overview count one direction "
        "alone."
    )


def near_line(found: NearErrors, what: str) -> Markup:
    """What the neighbours of wrong ones say. what: caption or image."""
    shown = facts(
        written.share(found.share), n=found.n, low=100 * found.low, high=100 * found.high, p=found.p,
        note=f"wrong items; the {found.k} nearest {what}s of other items, by cosine; verdicts dealt to the items anew "
        "400 times give what chance gives",
    )  # fmt: skip
    return Markup("{}: of the {} {}s nearest to theirs, {} are of wrong items, too; by chance it would be {}.").format(
        _near(found), found.k, what, shown, written.share(found.chance)
    )


def near_copied(benchmark: stored.StoredBenchmark, of: Space, judge: Judge) -> str:
    """The same without its full stop, to be copied with what the map shows; "" where nothing is told."""
    modalities = set(of.points.contents["modality"])
    side, what = (TEXT, "caption") if TEXT in modalities else (IMAGE, "image")
    found = over.near(benchmark, of, judge, side)
    if found is None:
        return ""
    shown = f"{written.share(found.share)} {written.ends((found.low, found.high))}"
    return (
        f"{_near(found)}: of the {found.k} {what}s nearest to theirs in the model's own space, "
        f"{shown} are of wrong items, too, by chance {written.share(found.chance)} "
        f"({found.n:,} wrong items, {written.p_value(found.p)})"
    )


def _near(found: NearErrors) -> str:
    if found.together:
        return "Wrong items lie together"
    return "Wrong items lie apart from each other" if found.p <= 0.05 else "Wrong items are not seen to lie together"


def about(benchmark: stored.StoredBenchmark, spaces: Sequence[Space], choice: Choices) -> None:
    """What the map is, what it leaves out, how clumps and selections are tested."""
    first, rows = explore.restricted(spaces)
    places, said = explore.places_of(spaces, rows, choice)
    of = first.points
    _map(of, said, spaces)
    _tests()
    _clumps(benchmark, of, explore.judge_of(benchmark, choice), places[0])


def _map(of: Points, said: Sequence[str], spaces: Sequence[Space]) -> None:
    images = int((of.contents["modality"] == IMAGE).sum())
    sorts = " and ".join(count(n, sort) for n, sort in ((images, "image"), (len(of.contents) - images, "caption")) if n)
    text = f"{sorts} of {count(of.n_items, 'item')}. "
    if of.n_items < of.n_all:
        text += f"A seeded sample of the {of.n_all:,} items there are, for a map shows {MOST:,} points at most. "
    if any(space.missing for space in spaces):
        text += f"{max(s.missing for s in spaces):,} have no vector (no picture here, or none stored). "
    if "UMAP" in said:
        text += (
            "UMAP keeps who is near whom: a clump is a group of alike vectors. How far clumps lie apart, how large and "
            "how dense they are, means little; compare with PCA, and trust the cosines. "
        )
    if "PCA" in said:
        shares = [100 * float(embeddings_data.pca(space).shares.sum()) for space in spaces if space.known]
        carried = " and ".join(f"{share:.0f} %" for share in shares)
        text += f"PCA: the two axes carry {carried} of the variance; the rest is not seen. "
    if len(spaces) > 1:
        text += "The second map is turned, mirrored and scaled onto the first; only what both models embed is shown. "
    chart_caption(text)


def _tests() -> None:
    chart_caption(
        "A lasso takes dots; what is counted are their items, for an item has several dots. Words are those of true "
        "captions; in a pool an item is wrong where its image or one of its captions is. "
        "Each word, concept, subset and reason that five items have and five lack is tested for being more "
        "frequent here (Fisher’s exact test, one-sided), errors for a difference either way; all are corrected "
        "together by Holm. A lasso drawn after looking at the colours uses the data twice: what the colours show then "
        "looks surer than it is."
    )


def _clumps(benchmark: stored.StoredBenchmark, of: Points, judge: Judge, places: over.Places) -> None:
    """How clumps are found, what chance would name, and whom the tests take for independent."""
    found = over.clumps(benchmark, of, judge, places)
    text = f"Clumps: HDBSCAN in the plane of the map, {len(found.each)} found, without verdicts or words. "
    if found.by_chance is not None:
        text += (
            f"With items dealt anew over the places, {written.percent(found.by_chance)} of 200 deals reach the weakest "
            "trait that is named here. "
        )
    if shared := over.shared_pictures(benchmark, of):
        text += (
            f"{count(shared, 'item')} share a picture or a group with another one and are no independent draws: p is "
            "too small as far as they decide. "
        )
    chart_caption(text)
