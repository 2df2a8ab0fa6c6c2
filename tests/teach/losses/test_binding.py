import numpy as np
import pytest

torch = pytest.importorskip("torch")
from backend.metrics.reasons.quads import decompose  # noqa: E402
from backend.teach.losses import binding as losses  # noqa: E402


def drawn(n: int, seed: int = 0):
    return torch.randn(n, 2, 2, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_the_terms_are_those_of_the_reasons():
    quads = drawn(50)
    found, expected = losses.terms(quads), decompose(quads.numpy())
    for name in ("gamma", "c", "r"):
        assert np.allclose(getattr(found, name).numpy(), getattr(expected, name), atol=1e-12)


def test_by_hand():
    """γ 2.25, c -1.25, r -0.75; and γ .5, c -1, r 0: margins 1 and 1.5 short."""
    quads = torch.tensor([[[4.0, 2.0], [1.0, 8.0]], [[1.0, 2.0], [0.0, 3.0]]])
    assert losses.binding(quads, 2.0).item() == pytest.approx((1.0 + 2.5) / 2)
    assert losses.binding(quads[:1], 1.0).item() == 0.0


def test_without_a_margin_it_is_zero_exactly_where_the_group_score_is_reached():
    quads = drawn(200)
    group = decompose(quads.numpy()).group
    each = torch.stack([losses.binding(quad[None], 0.0) for quad in quads]).numpy()
    assert 20 < group.sum() < 180
    assert ((each == 0) == group).all()


def test_invariances():
    """Both images and captions exchanged, transposed, a constant, and bias signs change nothing; a scale scales."""
    quads = drawn(20, 1)
    value = losses.binding(quads, 0.3).item()
    for other in (quads.flip(1, 2), quads.transpose(1, 2), quads + 4, quads[torch.randperm(20)]):
        assert losses.binding(other, 0.3).item() == pytest.approx(value, abs=1e-12)
    assert losses.binding(3 * quads, 0.9).item() == pytest.approx(3 * value)


def test_it_pulls_gamma_up_and_the_larger_bias_down():
    quads = torch.tensor([[[0.9, 0.1], [0.5, 0.2]]], dtype=torch.float64, requires_grad=True)
    before = losses.terms(quads.detach())
    assert before.c.abs() > before.r.abs()
    (gradient,) = torch.autograd.grad(losses.binding(quads, 0.3), quads)
    after = losses.terms(quads.detach() - 0.01 * gradient)
    assert after.gamma > before.gamma
    assert after.c.abs() < before.c.abs()
    assert after.r.item() == pytest.approx(before.r.item())


def test_gradients_where_there_is_no_corner():
    assert torch.autograd.gradcheck(lambda q: losses.binding(q, 0.3), (drawn(8, 2).requires_grad_(),))
    collapsed = torch.full((3, 2, 2), 0.5, requires_grad=True)  # every corner at once: finite, and away from it
    loss = losses.binding(collapsed, 0.3)
    loss.backward()
    assert loss.item() == pytest.approx(0.3)
    assert torch.isfinite(collapsed.grad).all()
    assert losses.terms(collapsed.grad).gamma.max() < 0


def test_quads_of_a_batch():
    scores = torch.arange(16.0).view(4, 4)
    found = losses.of_batch(scores, torch.tensor([[0, 2], [3, 1]]))
    assert found.tolist() == [[[0, 2], [8, 10]], [[15, 13], [7, 5]]]
    none = losses.of_batch(scores.requires_grad_(), torch.zeros(0, 2, dtype=torch.long))
    assert losses.binding(none, 0.3).item() == 0.0
    losses.binding(none, 0.3).backward()
