import math

import pytest

torch = pytest.importorskip("torch")
from backend.teach.losses import svlc  # noqa: E402


def drawn(*shape: int, seed: int = 0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_negatives_by_hand():
    """Eq. 3 with S = exp(logit): -log(e²/(e² + e¹)) and -log(e⁰/(e⁰ + e³)), averaged."""
    own, wrong = torch.tensor([2.0, 0.0]), torch.tensor([[1.0], [3.0]])
    first = -math.log(math.exp(2) / (math.exp(2) + math.exp(1)))
    second = -math.log(1 / (1 + math.exp(3)))
    assert svlc.negatives(own, wrong).item() == pytest.approx((first + second) / 2)


def test_several_negatives_share_a_denominator_and_an_absent_one_is_none():
    own, wrong = drawn(3), drawn(3, 2, seed=1)
    present = torch.tensor([[True, True], [False, True], [False, False]])
    first = -math.log(math.exp(own[0]) / (math.exp(own[0]) + math.exp(wrong[0, 0]) + math.exp(wrong[0, 1])))
    second = -math.log(math.exp(own[1]) / (math.exp(own[1]) + math.exp(wrong[1, 1])))
    assert svlc.negatives(own, wrong, present).item() == pytest.approx((first + second) / 2)
    moved = wrong.clone()
    moved[1, 0] = moved[2] = 40.0
    assert svlc.negatives(own, moved, present).item() == svlc.negatives(own, wrong, present).item()


def test_without_any_negative_or_positive_the_loss_is_zero_and_its_gradient_too():
    own, wrong = drawn(3).requires_grad_(), drawn(3, 1, seed=1).requires_grad_()
    loss = svlc.negatives(own, wrong, torch.zeros(3, 1, dtype=torch.bool))
    loss.backward()
    assert loss.item() == 0.0
    assert not own.grad.any()
    assert not wrong.grad.any()
    none = svlc.analogy_text(drawn(0, 4).requires_grad_(), torch.zeros(0, dtype=torch.long))
    none.backward()
    assert none.item() == 0.0


def test_analogies_by_hand():
    """Eq. 4 and 5: positive 0 was made from caption 2, positive 1 from caption 0."""
    logits, rows = drawn(2, 3, seed=4), torch.tensor([2, 0])
    expected = 0.0
    for p, row in enumerate([2, 0]):
        expected -= math.log(math.exp(logits[p, row]) / sum(math.exp(logits[p, j]) for j in range(3))) / 2
    assert svlc.analogy_text(logits, rows).item() == pytest.approx(expected)
    assert svlc.analogy_image(logits, rows).item() == pytest.approx(expected)


def test_a_caption_that_says_the_same_is_no_wrong_answer():
    logits, rows = drawn(2, 3, seed=4), torch.tensor([2, 0])
    same = torch.tensor([[True, False, True], [False, False, False]])
    other = logits.clone()
    other[0, 0] = 30.0
    assert svlc.analogy_text(other, rows, same).item() == pytest.approx(svlc.analogy_text(logits, rows, same).item())
    other[0, 2] += 1  # its own caption stays
    assert svlc.analogy_text(other, rows, same).item() < svlc.analogy_text(logits, rows, same).item()


def test_a_constant_changes_nothing():
    own, wrong = drawn(4), drawn(4, 2, seed=1)
    assert svlc.negatives(own + 5, wrong + 5).item() == pytest.approx(svlc.negatives(own, wrong).item())


def test_gradients():
    own, wrong = drawn(3).requires_grad_(), drawn(3, 2, seed=1).requires_grad_()
    present = torch.tensor([[True, True], [False, True], [False, False]])
    assert torch.autograd.gradcheck(lambda a, b: svlc.negatives(a, b, present), (own, wrong))
    logits, rows = drawn(2, 3, seed=4).requires_grad_(), torch.tensor([2, 0])
    same = torch.tensor([[True, False, True], [False, False, False]])
    assert torch.autograd.gradcheck(lambda x: svlc.analogy_text(x, rows, same), (logits,))
    assert torch.autograd.gradcheck(lambda x: svlc.analogy_image(x, rows), (logits,))
