import numpy as np
import pytest

torch = pytest.importorskip("torch")
from backend.errors import UsageError  # noqa: E402
from backend.metrics import eqsim as measured  # noqa: E402
from backend.metrics.reasons.quads import decompose  # noqa: E402
from backend.teach.losses import eqsim  # noqa: E402
from backend.teach.losses.eqsim import EqSim, equivariance  # noqa: E402

RAW = {"normalisation": "none"}


def drawn(n: int, seed: int = 0):
    return torch.randn(n, n, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def quad(gamma: float, c: float, r: float, mean: float = 0.3):
    return torch.tensor(
        [[mean + r + c + gamma, mean + r - c - gamma], [mean - r + c - gamma, mean - r - c + gamma]],
        dtype=torch.float64,
    )


def test_the_differences_are_those_that_the_equivariance_page_measures():
    s = drawn(2, 3)
    v1, text, image = (values[0] for values in measured.deviations(s[None].numpy()))
    assert eqsim.v1(s)[0, 1].item() == pytest.approx(v1)
    assert eqsim.v2_text(s)[0, 1].item() == pytest.approx(text)
    assert eqsim.v2_image(s)[0, 1].item() == pytest.approx(image)


@pytest.mark.parametrize("which", ["all", "close", "distant"])
def test_a_slow_independent_one(which):
    s, k, alpha = drawn(7, 5), 2, 0.6
    near = set()
    for a in range(7):
        for ranked in (lambda j, a=a: -s[a, j], lambda j, a=a: -s[j, a]):
            near |= {frozenset((a, j)) for j in sorted(set(range(7)) - {a}, key=ranked)[:k]}
    first, second = [], []
    for i in range(7):
        for j in range(i + 1, 7):
            chosen = which == "all" or (frozenset((i, j)) in near) == (which == "close")
            if chosen:
                first.append(max(0.0, (s[i, j] - s[j, i]).item() ** 2 - alpha))
                text = (s[i, i] - s[i, j]) - (s[j, j] - s[j, i])
                image = (s[i, i] - s[j, i]) - (s[j, j] - s[i, j])
                second.append(sum(max(0.0, v.item() ** 2 - alpha) for v in (text, image)))
    assert len(first) > 0
    one = equivariance(s, EqSim(alpha, k, which, "none", "none"))
    other = equivariance(s, EqSim(alpha, k, "none", which, "none"))
    assert one.item() == pytest.approx(np.mean(first), abs=1e-12)
    assert other.item() == pytest.approx(np.mean(second), abs=1e-12)
    both = equivariance(s, EqSim(alpha, k, which, which, "none"))
    assert both.item() == pytest.approx((one + other).item(), abs=1e-12)


def test_v1_pushes_only_r_minus_c_to_zero_v2_both_and_neither_has_a_term_in_gamma():
    def v1(gamma, c, r):
        return equivariance(quad(gamma, c, r), EqSim(v2="none", **RAW)).item()

    def v2(gamma, c, r):
        return equivariance(quad(gamma, c, r), EqSim(v1="none", v2="all", **RAW)).item()

    rng = np.random.default_rng(1)
    for gamma, c, r in rng.normal(size=(20, 3)):
        assert v1(gamma, c, r) == pytest.approx((2 * (r - c)) ** 2)
        assert v2(gamma, c, r) == pytest.approx((4 * c) ** 2 + (4 * r) ** 2)
        assert v1(gamma, c, c) == pytest.approx(0.0, abs=1e-20)  # any c and r that are equal
        assert v2(gamma, 0.0, 0.0) == pytest.approx(0.0, abs=1e-20)
        for loss in (v1, v2):  # a quad that binds nothing, or reads it reversed, costs the same
            assert loss(-gamma, c, r) == pytest.approx(loss(gamma, c, r))
            assert loss(0.0, c, r) == pytest.approx(loss(gamma, c, r))
        found = decompose(quad(gamma, c, r)[None].numpy())
        assert (found.gamma[0], found.c[0], found.r[0]) == pytest.approx((gamma, c, r))


def test_v1_and_v2_have_no_gradient_along_gamma():
    s = quad(0.2, 0.5, -0.4).requires_grad_()
    along_gamma = torch.tensor([[1.0, -1.0], [-1.0, 1.0]], dtype=torch.float64)
    along_both = torch.tensor([[1.0, 0.0], [0.0, -1.0]], dtype=torch.float64)  # r and c alike
    for settings, moved in ((EqSim(v2="none", **RAW), False), (EqSim(v1="none", v2="all", **RAW), True)):
        (gradient,) = torch.autograd.grad(equivariance(s, settings), s)
        assert (gradient * along_gamma).sum().item() == pytest.approx(0.0, abs=1e-12)
        assert ((gradient * along_both).sum().abs() > 1e-6).item() is moved


def test_a_softmax_or_a_sigmoid_can_shrink_gamma_all_the_same():
    """What docs say beside the raw statement: with normalised scores a gradient along gamma remains."""
    s = torch.eye(4, dtype=torch.float64)
    s[0, 1], s[1, 0], s[0, 0] = 0.8, 0.1, 1.6
    s.requires_grad_()
    for how in ("softmax", "batch", "sigmoid"):
        (gradient,) = torch.autograd.grad(equivariance(s, EqSim(normalisation=how)), s)
        assert abs(gradient[0, 0] - gradient[0, 1] - gradient[1, 0] + gradient[1, 1]) > 1e-6


def test_the_hinge_lies_on_each_pair():
    s = torch.zeros(3, 3, dtype=torch.float64)
    s[0, 1] = 0.3  # 0.09
    s[0, 2] = 0.1  # 0.01
    found = equivariance(s, EqSim(0.04, v2="none", **RAW)).item()
    assert found == pytest.approx((0.05 + 0 + 0) / 3)
    assert equivariance(s, EqSim(0.1, v2="none", **RAW)).item() == 0.0


def test_normalisations():
    s = drawn(4)
    assert torch.allclose(eqsim.normalised(s, "softmax").sum(1), torch.ones(4, dtype=torch.float64))
    assert eqsim.normalised(s, "batch").sum().item() == pytest.approx(1.0)
    assert torch.equal(eqsim.normalised(s, "sigmoid"), torch.sigmoid(s))
    assert eqsim.normalised(s, "none") is s
    with pytest.raises(ValueError, match="batches of 3 or more"):
        eqsim.normalised(s[:2, :2], "softmax")
    two = s[:2, :2].softmax(1)  # why: of two captions one side is always zero
    assert eqsim.v2_image(two)[0, 1].item() == pytest.approx(0.0, abs=1e-15)


def test_close_pairs_are_the_top_k_both_ways_and_carry_no_gradient():
    s = drawn(6, 2).requires_grad_()
    for k in (1, 3, 99):
        near = eqsim.close(s, k)
        assert torch.equal(near, near.T)
        assert not near.diagonal().any()
        assert not near.requires_grad
        assert (near.sum(1) >= min(k, 5)).all()
    assert eqsim.close(s, 99).sum() == 30
    tied = eqsim.close(torch.zeros(4, 4), 1)  # each has the first other one; the first has the second
    assert tied.nonzero().tolist() == [[0, 1], [0, 2], [0, 3], [1, 0], [2, 0], [3, 0]]


def test_pairs_without_a_change_of_meaning_are_left_out():
    s, same = drawn(4, 8), torch.zeros(4, 4, dtype=torch.bool)
    same[0, 3] = True
    other = s.clone()
    other[3, 0] += 5
    settings = EqSim(v2="all", **RAW)
    assert equivariance(s, settings, same).item() == pytest.approx(equivariance(other, settings, same).item())
    assert equivariance(s, settings).item() != pytest.approx(equivariance(other, settings).item())
    assert equivariance(s, settings, torch.ones(4, 4, dtype=torch.bool)).item() == 0.0


def test_invariances():
    """Another order, images for captions, and (on raw scores) a constant change nothing."""
    s, order = drawn(6, 4), torch.tensor([3, 1, 5, 0, 2, 4])
    settings = EqSim(0.04, 2, "all", "close", "none")
    value = equivariance(s, settings).item()
    assert equivariance(s[order][:, order], settings).item() == pytest.approx(value, abs=1e-12)
    assert equivariance(s.T, settings).item() == pytest.approx(value, abs=1e-12)
    assert equivariance(s + 3, settings).item() == pytest.approx(value, abs=1e-12)
    rows = s + drawn(6, 9)[:, :1]  # a constant for each image falls out of a softmax over its captions
    one, other = (equivariance(x, EqSim(k=6)).item() for x in (s, rows))
    assert one == pytest.approx(other, abs=1e-12)


@pytest.mark.parametrize("how", ["softmax", "batch", "sigmoid", "none"])
@pytest.mark.parametrize("alpha", [0.0, 0.04])
def test_gradients(how, alpha):
    s = drawn(5, 6).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: equivariance(x, EqSim(alpha, 2, normalisation=how)), (s,))


def test_wrong_settings():
    for wrong in ({"alpha": -1}, {"k": 0}, {"v1": "some"}, {"v2": "near"}, {"normalisation": "row"}):
        with pytest.raises(UsageError, match=f"EqSim's {next(iter(wrong))} "):
            EqSim(**wrong)
