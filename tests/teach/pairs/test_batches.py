import numpy as np
import pytest

from backend.errors import UsageError
from backend.items import ImageRef
from backend.teach.pairs.batches import Batches
from backend.teach.pairs.examples import Data, Example
from backend.teach.pairs.generated import Captions, Generated


def data(quads: int, singles: int) -> Data:
    found = []
    for k in range(quads):
        for half in (1, 2):
            ref = ImageRef(f"q{k}{half}", "x")
            found.append(Example(f"q{k}#{half}", ref, f"quad {k} half {half}", f"q{k}#{3 - half}"))
    found += [Example(f"s{k}", ImageRef(f"s{k}", "x"), f"single {k}", foils=(f"foil {k}",)) for k in range(singles)]
    return Data(tuple(found))


def ids(batch):
    return [each.id for each in batch.examples]


@pytest.mark.parametrize(
    ("quads", "singles", "size"), [(6, 0, 4), (5, 0, 4), (3, 9, 5), (4, 3, 3), (0, 7, 4), (5, 2, 5)]
)
def test_an_epoch_holds_every_example_once_and_the_halves_of_a_quad_together(quads, singles, size):
    made = data(quads, singles)
    batches = Batches(made, size)
    n = len(batches._epoch(0))
    seen = [name for step in range(n) for name in ids(batches[step])]
    assert set(seen) == {each.id for each in made.examples}
    assert len(seen) - len(set(seen)) < 2 * size  # only what fills up the last one comes again
    for step in range(3 * n):
        batch = batches[step]
        assert len(ids(batch)) == len(set(ids(batch))) in (size, size - 1)
        halves = [each.partner for each in batch.examples if each.partner]
        assert set(halves) == {each.id for each in batch.examples if each.partner}
        assert len(batch.partners) == len(halves) // 2
        for a, b in batch.partners:
            assert batch.examples[a].partner == batch.examples[b].id


def test_a_batch_is_a_function_of_seed_and_step_whatever_was_asked_before():
    made = data(6, 6)
    forward = [ids(Batches(made, 4, 3)[step]) for step in range(12)]
    one = Batches(made, 4, 3)
    assert [ids(one[step]) for step in reversed(range(12))] == forward[::-1]
    assert [ids(Batches(made, 4, 4)[step]) for step in range(12)] != forward


def test_negatives_come_from_foils_from_what_was_generated_and_else_from_the_other_half():
    made = data(2, 1)
    rows = (
        Generated("single 0", "made up", "negative", "x"),
        Generated("single 0", "taken out", "negative", "x", keep=False),
        Generated("single 0", "the same", "positive", "y"),
        Generated("quad 0 half 1", "quad 0 half 1 changed", "negative", "x"),
        Generated("single 0", "single 0", "negative", "x"),  # true of the image
    )
    batches = Batches(made, 5, 0, Captions(rows, {}))
    seen: dict[str, set[str | None]] = {}
    for step in range(40):
        batch = batches[step]
        for each, negative, positive in zip(batch.examples, batch.negatives, batch.positives, strict=True):
            seen.setdefault(each.id, set()).add(negative)
            assert positive == ("the same" if each.id == "s0" else None)
    assert seen["s0"] == {"foil 0", "made up"}
    assert seen["q0#1"] == {"quad 0 half 1 changed"}
    assert seen["q0#2"] == {"quad 0 half 1"}


def test_a_caption_that_is_true_of_another_image_is_marked():
    shared = (
        Example("a#1", ImageRef("a", "x"), "first"),
        Example("a#2", ImageRef("a", "x"), "second"),
        Example("b", ImageRef("b", "x"), "first", paraphrases=("third",)),
        Example("c", ImageRef("c", "x"), "third"),
    )
    batch = Batches(Data(shared), 4)[0]
    place = {name: k for k, name in enumerate(ids(batch))}
    expected = np.zeros((4, 4), dtype=bool)
    for image, caption in (("a#1", "a#2"), ("a#2", "a#1"), ("a#1", "b"), ("a#2", "b"), ("b", "a#1"), ("b", "c")):
        expected[place[image], place[caption]] = True
    assert (batch.same == expected).all()


def test_the_digest_knows_what_decides_the_batches():
    made = data(2, 3)
    one = Batches(made, 4).digest()
    assert Batches(made, 4).digest() == one
    rows = Captions((Generated("single 0", "made up", "negative", "x"),), {})
    others = {Batches(made, 4, 1).digest(), Batches(made, 5).digest(), Batches(data(2, 4), 4).digest()}
    others.add(Batches(made, 4, 0, rows).digest())
    assert len(others | {one}) == 5


def test_too_little_for_a_batch():
    with pytest.raises(UsageError, match="3 examples do not fill a batch of 4"):
        Batches(data(0, 3), 4)
    with pytest.raises(UsageError, match="at least 3 pairs"):
        Batches(data(0, 3), 2)
