import numpy as np
import pandas as pd
import pytest

from backend.metrics.paired.resampling import where_shared
from backend.store.scores import shared_clusters


@pytest.mark.parametrize("words", [["b", "a", "b", "ä", "Z"], ["", "z", ""], ["a", "b"], []])
def test_a_column_is_numbered_as_its_words_are(words):
    found, expected = (
        shared_clusters.of_items(pd.Series(words, dtype="str")),
        where_shared(np.array(words, dtype=object)),
    )
    assert (found is None) == (expected is None)
    assert found is None or (found.tolist() == expected.tolist() and found.dtype == expected.dtype)


def test_many_are_numbered_as_their_words_are():
    words = np.random.default_rng(3).integers(0, 900, 5000).astype(str).astype(object)
    assert np.array_equal(shared_clusters.of_items(pd.Series(words, dtype="str")), where_shared(words))
