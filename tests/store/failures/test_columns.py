"""Words of a column as numbers: in the order in which they come, whatever order a file's dictionary has."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from backend.store.failures.columns import Words


@pytest.mark.parametrize("seed", range(20))
def test_numbers_stand_for_the_words_in_the_order_in_which_they_come(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = [f"word {k}" for k in range(int(rng.integers(1, 6)))]
    codes = rng.integers(-1, len(names), int(rng.integers(0, 12)))
    if seed % 2:  # numbered as they come, as a file has them
        found, _ = pd.factorize(np.where(codes < 0, None, codes.astype(object)))
        codes = found.astype(np.int64)
    column = pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), pa.array(names))
    said = [names[code] if code >= 0 else None for code in codes]
    words = Words.of(column)
    assert [words.names[code] if code >= 0 else None for code in words.codes] == said
    assert list(words.names) == list(dict.fromkeys(word for word in said if word is not None))
    assert words.codes.dtype == np.int8
