"""EqSim's close pairs against loops, in blocks of any size, with ties and missing scores."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import logsumexp

from backend.metrics import close_pairs as module
from backend.metrics import eqsim
from backend.metrics.close_pairs import close_pairs, mined

NAN = float("nan")


def slow(s, k, side):
    """{(i, j): best rank}, by sorting every row and column."""
    n, found = len(s), {}
    lists = []
    if side != "text":
        lists += [(i, [(-s[i][j], j) for j in range(n) if j != i and not np.isnan(s[i][j])]) for i in range(n)]
    if side != "image":
        lists += [(j, [(-s[i][j], i) for i in range(n) if j != i and not np.isnan(s[i][j])]) for j in range(n)]
    for own, others in lists:
        for rank, (_, other) in enumerate(sorted(others)[:k], start=1):
            pair = (min(own, other), max(own, other))
            if not np.isnan([s[a][b] for a in pair for b in pair]).any():
                found[pair] = min(rank, found.get(pair, rank))
    return found


cells = st.one_of(st.integers(-4, 4).map(float), st.just(NAN))


@pytest.mark.long
@given(
    arrays(np.float64, st.integers(1, 9).map(lambda n: (n, n)), elements=cells),
    st.integers(1, 10), st.sampled_from(["both", "image", "text"]), st.sampled_from([1, 7, 20, 10**6]),
)  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_against_loops(s, k, side, block):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CELLS", block)
        found = close_pairs(s, k, side, 2.0)
    expected = slow(s, k, side)
    pairs = dict(zip(zip(found.first.tolist(), found.second.tolist(), strict=True), found.rank.tolist(), strict=True))
    assert list(pairs) == sorted(expected)
    # a rank may have been reached first by a quad's other side; the best one counts
    assert pairs == expected
    for (i, j), quad in zip(pairs, found.scores, strict=True):
        assert quad.tolist() == [[s[i][i], s[i][j]], [s[j][i], s[j][j]]]
    known = 2.0 * s[~np.isnan(s)]
    assert found.log_sum_exp == pytest.approx(logsumexp(known) if known.size else NAN, nan_ok=True)


def test_real_numbers_of_a_larger_pool():
    rng = np.random.default_rng(0)
    images, texts = rng.normal(size=(2, 300, 16))
    s = images @ texts.T + 3 * np.eye(300)
    found = close_pairs(s)
    assert {(i, j): r for i, j, r in zip(found.first, found.second, found.rank, strict=True)} == slow(
        s.tolist(), 8, "both"
    )
    one = eqsim.deviations(found.scores)
    i, j = int(found.first[5]), int(found.second[5])
    assert one.v1[5] == pytest.approx(s[i, j] - s[j, i])
    assert one.v2_text[5] == pytest.approx((s[i, i] - s[i, j]) - (s[j, j] - s[j, i]))
    assert one.v2_image[5] == pytest.approx((s[i, i] - s[j, i]) - (s[j, j] - s[i, j]))


@pytest.mark.slow
def test_memory_is_bounded_by_the_block():
    rng = np.random.default_rng(1)
    n, images = 6000, rng.normal(size=(6000, 4)).astype(np.float32)
    texts = images + 0.1 * rng.normal(size=(n, 4)).astype(np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CELLS", 300_000)
        tracemalloc.start()
        found = mined(lambda a, b: images[a:b] @ texts.T, n, k=2)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert len(found.first) >= n / 2
    assert peak < n * n * 8 / 5, "the whole matrix was held"


def test_wrong_use_and_tiny_pools():
    assert len(close_pairs(np.zeros((0, 0))).first) == 0
    assert len(close_pairs([[1.0]]).first) == 0
    assert close_pairs([[1.0, 0.0], [0.0, 1.0]]).scores.tolist() == [[[1.0, 0.0], [0.0, 1.0]]]
    with pytest.raises(ValueError, match="shape"):
        close_pairs([[1.0, 2.0]])
    with pytest.raises(ValueError, match="k must be"):
        close_pairs([[1.0]], k=0)
    with pytest.raises(ValueError, match="side"):
        close_pairs([[1.0]], side="row")
