"""Why no single item has a reason though the share is beyond luck: the sentence follows from the items, and is true."""

import numpy as np
import pandas as pd
import pytest

from backend.metrics.reasons import counterfactual, items
from backend.metrics.reasons.counterfactual import CHOICE_CELLS
from backend.store.reasons import uncertified

KEY = ("r", "itc", "choice", "s")


def table(m, others, **more):
    """Choices of one bar as `runs.of_run` gives them. m: (n,); others: (n, images)."""
    evidence = counterfactual.of_margins(m, others)
    said = items.of_choices(evidence, sources_agree=bool(more.get("sources_agree", True)))
    names = np.array([*CHOICE_CELLS, ""], dtype=object)
    return pd.DataFrame({
        "run_id": "r", "kind": "itc", "protocol": "choice", "subset": "s", "cell": names[evidence.cell],
        "mirrored": names[evidence.mirrored], "reason": said.reason, "q": said.q, "n_other": evidence.n_other,
        "sources_agree": True,
    } | more)  # fmt: skip


def world(n=300, loud=24, images=16, seed=0):
    """Most images add a little; `loud` take so much that no strength of evidence is free of luck."""
    rng = np.random.default_rng(seed)
    others = rng.normal(1.0, 0.3, size=(n, images))
    m = 1.0 + np.abs(rng.normal(0.4, 0.2, size=n))
    m[:loud] = 1.0 - np.linspace(1.2, 4.0, loud)
    return m, others


def test_too_many_turned_round_are_as_strong():
    found = uncertified.counted(table(*world()))[KEY]
    assert found.counts.get("grounded", 0) == 0
    (why,) = [line for line in found.why if "grounded" in line]
    data = table(*world())
    least = data.loc[data["cell"] == "grounded", "q"].min()
    assert least > 0.05
    assert f"luck alone would put {(data['mirrored'] == 'grounded').sum()} there" in why
    assert f"at least {100 * least:.1f} % would be luck" in why


def test_nothing_is_said_where_one_is_certified_or_few_are_there():
    m, others = world(loud=2)
    found = uncertified.counted(table(m, others))[KEY]
    assert found.counts["grounded"] > 100
    assert not [line for line in found.why if "grounded" in line]
    few = table(m, others)
    few = few[few["cell"] != "grounded"]
    assert uncertified.counted(few).get(KEY, uncertified.Certified({}, ())).counts.get("grounded", 0) == 0


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (table(*world(images=4)), "4 other images were scored, and a reason needs 16"),
        (table(*world(), sources_agree=False), "under images of other subsets the share is another one"),
        (table(*world(n=15, loud=0)), "it takes 20 with evidence to tell any from luck"),
    ],
)
def test_what_is_missing(data, why):
    (said,) = [line for line in uncertified.counted(data)[KEY].why if "grounded" in line]
    assert why in said


def test_quads_have_no_other_images():
    data = pd.DataFrame({
        "run_id": "r", "kind": "itc", "protocol": "quad", "subset": "s", "cell": ["right"] * 30,
        "mirrored": ["no_binding"] * 28 + ["right"] * 2, "reason": ["uncertain"] * 30, "q": [0.1] * 30,
        "n_other": np.nan, "sources_agree": None,
    })  # fmt: skip
    (said,) = uncertified.counted(data)["r", "itc", "quad", "s"].why
    assert said.startswith("None of the 30 right is certified: luck alone would put 2 there")
