"""Sentences on shipped results, each recounted from the stored scores it speaks of."""

import re

import numpy as np
import pytest

from backend import results
from backend.store import queries
from backend.store.reasons.of_item import ItemOf, of_item
from backend.store.reasons.sentence_words import score


def explained(mine, item_id, model, kind):
    known = queries.benchmarks(mine.store)
    benchmark = str(known.loc[known["name"] == "world", "hash"].iloc[0])
    d = queries.item(mine.store, benchmark, item_id)
    runs = queries.models(mine.store, benchmark).set_index("model")["run_id"]
    item = ItemOf(benchmark, d.item_no, item_id, d.subset, d.protocol, d.texts)
    (found,) = of_item(mine.store, item, [(model, str(runs[model]), kind)], {model: model.partition(":")[2]})
    return d, found


@pytest.mark.long
def test_two_sentences_say_what_the_stored_scores_say(shipped_imported):
    mine = results.open()
    detail, found = explained(mine, "relation/1", "bundled:clip", "itc")
    rows = detail.scores[(detail.scores["model"] == "bundled:clip") & (detail.scores["part"] == "itc")]
    s = np.zeros((2, 2))
    s[rows["image_index"].astype(int), rows["text_index"].astype(int)] = rows["value"]
    captions = (abs(s[0, 0] - s[0, 1]) + abs(s[1, 0] - s[1, 1])) / 2
    images = (abs(s[0, 0] - s[1, 0]) + abs(s[0, 1] - s[1, 1])) / 2
    said = f"the captions moves it by {score(captions)}, exchanging the images by {score(images)} (cosine), yet"
    assert said in found.said.text, "relations are what clip does not bind: no sentence says that it does"
    assert found.said.short.startswith("no binding beyond luck")

    detail, found = explained(mine, "choice/8", "bundled:captioner", "gen")
    rows = detail.scores[(detail.scores["model"] == "bundled:captioner") & (detail.scores["part"] == "gen")]
    own = (rows["value"] / rows["n_tokens"]).to_numpy()[np.argsort(rows["text_index"])]
    m = own[0] - own[1:].max()
    numbers = {n.sign: n.value for n in found.said.numbers}
    assert numbers["m"] == f"{score(m, signed=True)} (nats a token)"
    assert numbers["N"] == "16"
    assert f"leads by {score(abs(m))} (nats a token)" in found.said.text
    prior = re.search(r"Its prior \(from the blind language model bundled:lm\) taken away, it [a-z ]+", found.said.text)
    assert prior or "Nothing is said of its prior" in found.said.text
