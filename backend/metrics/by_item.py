"""How an item is judged: one function a protocol, each from scores to verdicts."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from rapidfuzz.distance import Levenshtein

from backend.metrics.core.arrays import BoolArray, FloatArray, as_mask, as_scores
from backend.metrics.core.compare import Outcomes, compare, real_texts


def rename_paraphrases(p1: Sequence[str], p2: Sequence[str], negative: Sequence[str]) -> BoolArray:
    """True where the first paraphrase in file order keeps the name P1, bool (n,).

    P1 is the paraphrase with the smaller edit distance to the negative (VISLA, section 4.3 and Figure 8). The paper
    does not say which distance: ours is Levenshtein over characters of the lower-cased captions, ties keep file order,
    which reproduces the numbers that the paper prints.

    Raises ValueError where the three lists differ in length.

    >>> rename_paraphrases(["a cat on a mat", "cats"], ["a mat", "a dog"], ["a cat on a hat", "a dog!"]).tolist()
    [True, False]
    """
    if not len(p1) == len(p2) == len(negative):
        raise ValueError(f"three lists of one length wanted, got {len(p1)}, {len(p2)} and {len(negative)}")
    triples = zip(p1, p2, negative, strict=True)
    lowered = ((first.lower(), second.lower(), wrong.lower()) for first, second, wrong in triples)
    keeps = (Levenshtein.distance(a, n) <= Levenshtein.distance(b, n) for a, b, n in lowered)
    return np.fromiter(keeps, dtype=np.bool_, count=len(p1))


def triplet_i2t(scores: ArrayLike) -> Outcomes:
    """VISLA image-to-text (Table 1, Appendix B): both paraphrases above the negative.

    scores: (n, 3), the image with text 0, 1 and 2, where 2 is the negative; any kind.

    >>> triplet_i2t([[0.3, 0.2, 0.1], [0.3, 0.1, 0.1]]).correct.tolist()
    [True, False]
    """
    s = as_scores(scores, (3,))
    return compare(s[:, :2], s[:, [2, 2]])


def triplet_t2t(t2t: ArrayLike) -> Outcomes:
    """VISLA text-to-text (Table 1, Appendix B): the paraphrases are closer to each other than either to the negative.

    t2t: (n, 3), cosines s(t0, t1), s(t0, N), s(t1, N) in file order.

    >>> triplet_t2t([[0.9, 0.8, 0.7], [0.9, 0.8, 0.95]]).correct.tolist()
    [True, False]
    """
    s = as_scores(t2t, (3,))
    return compare(s[:, [0, 0]], s[:, 1:])


def triplet_pairs_t2t(t2t: ArrayLike, p1_first: ArrayLike) -> dict[str, Outcomes]:
    """VISLA P1-N and P2-N (Table 3): each paraphrase against the negative, with the other one as the query.

    t2t: (n, 3) as in `triplet_t2t`. p1_first: bool (n,) from `rename_paraphrases`.
    P1-N: query P2, s(P1, P2) > s(P2, N). P2-N: query P1, s(P1, P2) > s(P1, N).

    >>> pairs = triplet_pairs_t2t([[0.9, 0.95, 0.7]], [True])
    >>> pairs["p1_n_accuracy"].correct.tolist(), pairs["p2_n_accuracy"].correct.tolist()
    ([True], [False])
    """
    s = as_scores(t2t, (3,))
    first = as_mask(p1_first, len(s), "p1_first")
    p1_to_n, p2_to_n = np.where(first, s[:, 1], s[:, 2]), np.where(first, s[:, 2], s[:, 1])
    return {
        "p1_n_accuracy": compare(s[:, :1], p2_to_n[:, None]),
        "p2_n_accuracy": compare(s[:, :1], p1_to_n[:, None]),
    }


def triplet_pairs_i2t(scores: ArrayLike, p1_first: ArrayLike) -> dict[str, Outcomes]:
    """Image-to-text P1-N and P2-N: each paraphrase alone above the negative. Arguments as above.

    >>> pairs = triplet_pairs_i2t([[0.3, 0.1, 0.2]], [False])
    >>> pairs["i2t_p1_n_accuracy"].correct.tolist(), pairs["i2t_p2_n_accuracy"].correct.tolist()
    ([False], [True])
    """
    s = as_scores(scores, (3,))
    first = as_mask(p1_first, len(s), "p1_first")
    p1, p2 = np.where(first, s[:, 0], s[:, 1]), np.where(first, s[:, 1], s[:, 0])
    return {
        "i2t_p1_n_accuracy": compare(p1[:, None], s[:, 2:]),
        "i2t_p2_n_accuracy": compare(p2[:, None], s[:, 2:]),
    }


def choice(scores: ArrayLike, n_texts: ArrayLike | None = None) -> Outcomes:
    """One image, the true caption above every foil (ARO, SugarCrepe, CREPE, VL-CheckList; VALSE's pairwise accuracy).

    scores: (n, k+1), truth in column 0; items with fewer foils are padded on the right. n_texts: (n,) texts of each
    item, truth included; without it NaN at the right end is padding. Undefined: a missing score, or no foil at all.

    >>> choice([[0.5, 0.4, 0.1], [0.5, 0.6, float("nan")], [0.5, float("nan"), float("nan")]]).defined.tolist()
    [True, True, False]
    """
    s = as_scores(scores, (None,))
    if s.shape[1] < 2:
        return compare(np.full((len(s), 1), np.nan), np.zeros((len(s), 1)))
    counted = real_texts(s, n_texts)[:, 1:]
    return compare(np.repeat(s[:, :1], s.shape[1] - 1, axis=1), s[:, 1:], counted)


def quad(scores: ArrayLike) -> dict[str, Outcomes]:
    """Winoground's three scores (also EqBen; EqSim paper, section 5.1).

    scores: (n, 2, 2), s[i, j] is image i with text j, image i belongs to text i.
    Text: s11 > s12 and s22 > s21. Image: s11 > s21 and s22 > s12. Group: both.

    >>> verdicts = quad([[[0.9, 0.1], [0.95, 0.96]]])
    >>> {name: v.correct.tolist() for name, v in verdicts.items()}
    {'text_score': [True], 'image_score': [False], 'group_score': [False]}
    """
    s: FloatArray = as_scores(scores, (2, 2))
    right = np.stack([s[:, 0, 0], s[:, 1, 1]], axis=1)
    text = compare(right, np.stack([s[:, 0, 1], s[:, 1, 0]], axis=1))
    image = compare(right, np.stack([s[:, 1, 0], s[:, 0, 1]], axis=1))
    return {"text_score": text, "image_score": image, "group_score": text & image}
