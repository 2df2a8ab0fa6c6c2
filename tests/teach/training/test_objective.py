import pytest

torch = pytest.importorskip("torch")
from torch.nn.functional import cross_entropy, softplus  # noqa: E402

from backend.errors import UsageError  # noqa: E402
from backend.teach.pairs.examples import Data  # noqa: E402
from backend.teach.pairs.generated import Captions, Generated  # noqa: E402
from backend.teach.training.objective import margin, objective, settings  # noqa: E402
from backend.teach.training.recipes import RECIPES, recipe, refuse_data  # noqa: E402

NAMES = "abcde"


def cosines(table, batch):
    return table.see(batch.images) @ table.read(batch.texts).T


def test_the_baseline_is_the_contrastive_loss_of_the_batch(table, batch):
    logits = 10 * cosines(table, batch)
    logits = logits.masked_fill(torch.as_tensor(batch.same), -1e9)
    target = torch.arange(5)
    expected = (cross_entropy(logits, target) + cross_entropy(logits.T, target)) / 2
    found = objective(table, batch, recipe("baseline"))
    assert found.total.item() == pytest.approx(expected.item())
    assert list(found.terms) == ["retrieval"]
    assert "t neg a" not in table.vectors  # nothing is read that the recipe has no use for


def test_eqsim_by_hand(table, batch):
    s = (10 * cosines(table, batch)).softmax(1)
    raw = cosines(table, batch)
    first, second = [], []
    for i in range(5):
        for j in range(i + 1, 5):
            if {i, j} == {2, 4}:  # caption e is true of image c
                continue
            first.append((s[i, j] - s[j, i]).item() ** 2)
            off = [[raw[a, b].item() if a != b else -9.0 for b in range(5)] for a in range(5)]
            down = [list(column) for column in zip(*off, strict=True)]
            near = any(m[a][b] == max(m[a]) for m in (off, down) for a, b in ((i, j), (j, i)))
            if near:
                text = (s[i, i] - s[i, j]) - (s[j, j] - s[j, i])
                image = (s[i, i] - s[j, i]) - (s[j, j] - s[i, j])
                second.append(text.item() ** 2 + image.item() ** 2)
    found = objective(table, batch, recipe("eqsim", k=1, eqsim=0.2))
    expected = sum(first) / len(first) + sum(second) / len(second)
    assert found.terms["eqsim"].item() == pytest.approx(expected)
    assert found.total.item() == pytest.approx(found.terms["retrieval"].item() + 0.2 * expected)


def test_svlc_by_hand(table, batch):
    found = objective(table, batch, recipe("svlc", negatives=2.0, analogies=0.25))
    images, texts = table.see(batch.images), table.read(batch.texts)
    wrong = table.read(["neg a", "neg c"])
    lost = [softplus(10 * (images[k] @ wrong[n] - images[k] @ texts[k])) for n, k in enumerate((0, 2))]
    assert found.terms["negatives"].item() == pytest.approx(((lost[0] + lost[1]) / 2).item())
    good = table.read(["pos d", "pos e"])
    text, image = 10 * good @ texts.T, 10 * good @ images.T
    for logits in (text, image):
        logits.data[1, 2] = -1e9  # caption e is true of image c
    rows = torch.tensor([3, 4])
    assert found.terms["analogy_text"].item() == pytest.approx(cross_entropy(text, rows).item())
    assert found.terms["analogy_image"].item() == pytest.approx(cross_entropy(image, rows).item())
    terms = {name: value.item() for name, value in found.terms.items()}
    expected = terms["retrieval"] + 2 * terms["negatives"] + 0.25 * (terms["analogy_text"] + terms["analogy_image"])
    assert found.total.item() == pytest.approx(expected)


def test_binding_is_taken_from_raw_cosines_of_the_quads(table, batch):
    s = cosines(table, batch)[:2, :2]
    gamma = (s[0, 0] - s[0, 1] - s[1, 0] + s[1, 1]).item() / 4
    c = (s[0, 0] - s[0, 1] + s[1, 0] - s[1, 1]).item() / 4
    r = (s[0, 0] + s[0, 1] - s[1, 0] - s[1, 1]).item() / 4
    found = objective(table, batch, recipe("binding", margin=0.9))
    assert found.terms["binding"].item() == pytest.approx(max(0.0, max(abs(c), abs(r)) - gamma + 0.9))
    told = found.told()
    assert (told["gamma"], told["abs_c"], told["abs_r"]) == pytest.approx((gamma, abs(c), abs(r)))
    assert told["loss"] == found.total.item()


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_tells_gamma_c_and_r_and_sends_gradients_back(table, batch, name):
    found = objective(table, batch, recipe(name))
    assert found.told()["gamma"] is not None
    found.total.backward()
    assert table.vectors["i img a"].grad.any()


def test_defaults_follow_the_kind_of_score():
    assert settings(recipe("eqsim"), "itc").normalisation == "softmax"
    assert settings(recipe("eqsim"), "itm").normalisation == "sigmoid"
    assert settings(recipe("eqsim", normalisation="none"), "itc").normalisation == "none"
    assert margin(recipe("binding"), "itc") < margin(recipe("binding"), "itm")


def test_data_that_a_recipe_has_no_use_for_is_refused(world, batch):
    single = Data(batch.examples)
    for name, said in (("binding", "and the data has none"), ("neg", "needs pairs with negatives"), ("svlc", "pairs")):
        with pytest.raises(UsageError, match=said):
            refuse_data(recipe(name), single)
    refuse_data(recipe("baseline"), single)
    for name in ("baseline", "eqsim", "neg", "binding"):
        refuse_data(recipe(name), world)
    with pytest.raises(UsageError, match="needs positives"):
        refuse_data(recipe("svlc"), world)
    text = world.examples[0].text
    refuse_data(recipe("svlc"), world, Captions((Generated(text, "other words", "positive", "x"),), {}))
    with pytest.raises(UsageError, match="needs positives"):
        refuse_data(recipe("svlc"), world, Captions((Generated(text, "other words", "positive", "x", keep=False),), {}))


def test_wrong_recipes():
    with pytest.raises(UsageError, match=r"unknown recipe 'eqsym'\. Did you mean eqsim\?"):
        recipe("eqsym")
    with pytest.raises(UsageError, match="recipe eqsim has no 'gamma'"):
        recipe("eqsim", gamma=1)
    with pytest.raises(UsageError, match="eqsim -1"):
        recipe("eqsim", eqsim=-1)
