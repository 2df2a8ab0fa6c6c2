import math

import pytest

torch = pytest.importorskip("torch")
from backend.teach.losses import retrieval  # noqa: E402


def drawn(n: int, seed: int = 0):
    return torch.randn(n, n, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_contrastive_by_hand():
    """Two pairs: rows log(1 + e^(1-3)) and log(1 + e^(0-2)), columns log(1 + e^(0-3)) and log(1 + e^(1-2))."""
    rows = (math.log1p(math.exp(-2)) + math.log1p(math.exp(-2))) / 2
    columns = (math.log1p(math.exp(-3)) + math.log1p(math.exp(-1))) / 2
    found = retrieval.contrastive(torch.tensor([[3.0, 1.0], [0.0, 2.0]], dtype=torch.float64))
    assert found.item() == pytest.approx((rows + columns) / 2, abs=1e-12)


def test_contrastive_is_a_slow_independent_one():
    s = drawn(5)
    slow = 0.0
    for i in range(5):
        slow -= math.log(math.exp(s[i, i]) / sum(math.exp(s[i, j]) for j in range(5)))
        slow -= math.log(math.exp(s[i, i]) / sum(math.exp(s[k, i]) for k in range(5)))
    assert retrieval.contrastive(s).item() == pytest.approx(slow / 10, abs=1e-12)


def test_a_caption_that_is_true_of_another_image_is_no_negative_of_it():
    s, same = drawn(4), torch.zeros(4, 4, dtype=torch.bool)
    same[0, 2] = same[2, 0] = True
    other = s.clone()
    other[0, 2], other[2, 0] = 50.0, -50.0
    assert retrieval.contrastive(s, same).item() == pytest.approx(retrieval.contrastive(other, same).item())
    assert retrieval.matching(s, same).item() == pytest.approx(retrieval.matching(other, same).item())
    assert retrieval.contrastive(s).item() != pytest.approx(retrieval.contrastive(other).item())
    whole = torch.ones(4, 4, dtype=torch.bool)  # the diagonal is true of itself, and stays
    assert retrieval.contrastive(s, whole).item() == pytest.approx(0.0, abs=1e-12)


def test_matching_by_hand():
    """Two pairs: the only wrong one of a row or column has the weight 1."""
    s = torch.tensor([[3.0, 1.0], [-1.0, 2.0]], dtype=torch.float64)

    def yes(x: float) -> float:
        return math.log1p(math.exp(x))

    own, wrong = (yes(-3) + yes(-2)) / 2, (yes(1) + yes(-1)) / 2
    assert retrieval.matching(s).item() == pytest.approx((own + wrong) / 2, abs=1e-12)


def test_matching_counts_the_harder_of_two_wrong_ones_more():
    s = torch.tensor([[0.0, 4.0, -4.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], requires_grad=True)
    retrieval.matching(s).backward()
    assert s.grad[0, 1] > 50 * s.grad[0, 2].abs()


def test_the_order_of_the_pairs_and_a_constant_change_nothing():
    s, order = drawn(6), torch.tensor([3, 1, 5, 0, 2, 4])
    for loss in (retrieval.contrastive, retrieval.matching):
        assert loss(s[order][:, order]).item() == pytest.approx(loss(s).item(), abs=1e-12)
        assert loss(s.T).item() == pytest.approx(loss(s).item(), abs=1e-12)
    assert retrieval.contrastive(s + 7).item() == pytest.approx(retrieval.contrastive(s).item(), abs=1e-12)


def test_gradients():
    s = drawn(4).requires_grad_()
    same = torch.zeros(4, 4, dtype=torch.bool)
    same[1, 3] = True
    assert torch.autograd.gradcheck(retrieval.contrastive, (s,))
    assert torch.autograd.gradcheck(lambda x: retrieval.contrastive(x, same), (s,))
    # Through the weights of the wrong pairs no gradient goes: they are taken as they stand.
    weights = s.detach().masked_fill(torch.eye(4, dtype=torch.bool), -1e9)
    by_hand = (torch.nn.functional.softplus(-s.diagonal()).mean() + sum(
        (weights.softmax(d) * torch.nn.functional.softplus(s)).sum(d).mean() for d in (0, 1)
    ) / 2) / 2  # fmt: skip
    (expected,) = torch.autograd.grad(by_hand, s)
    (found,) = torch.autograd.grad(retrieval.matching(s), s)
    assert torch.allclose(found, expected, atol=1e-12)
    assert not torch.autograd.grad(retrieval.matching(s, same), s)[0][1, 3]


def test_one_pair_has_nothing_to_be_told_from():
    assert retrieval.contrastive(torch.tensor([[2.0]])).item() == 0.0
    assert math.isfinite(retrieval.matching(torch.tensor([[2.0]])).item())
