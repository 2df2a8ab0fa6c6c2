"""What teaching changed: counted from the file, tested with a correction that is named."""

import re
from dataclasses import replace

import numpy as np
import pytest

from backend import written
from backend.metrics.paired.multiplicity import holm
from backend.published.atlas.columns import columns
from backend.published.atlas.reading import Atlas
from pages.atlas import taught
from tests.pages.atlas.conftest import X, Y


def test_teaching_is_counted_from_the_file(atlas: Atlas) -> None:
    found = taught.changes(atlas, X, Y)
    assert [atlas.entries[each.pair.taught].arch for each in found] == ["NegCLIP", "CE-CLIP", "DAC-LLM"]
    tasks = [atlas.column[each.key] for each in columns() if each.benchmark == "elevator"]
    change = atlas.rates[3, tasks] - atlas.rates[0, tasks]
    first = found[0]
    assert (first.zero_shot.rose, first.zero_shot.fell) == ((change > 0).sum(), (change < 0).sum())
    assert first.zero_shot.median == pytest.approx(np.median(change))
    assert (first.composition.n, first.zero_shot.n, first.retrieval.n) == (12, 21, 12)
    assert first.x == pytest.approx(X.of(atlas)[3] - X.of(atlas)[0])
    raw = [p for each in found for p in (each.composition.p, each.zero_shot.p)]
    assert [p for pair in taught.adjusted(found) for p in pair] == pytest.approx(holm(raw).tolist())
    assert taught.sentence(found).startswith("Of 3 taught models ")
    drawn = taught.html(found, atlas, X, Y)
    assert drawn.count("<tr>") == 4
    assert not re.search("fs-gain|fs-loss", drawn), "what the axes gained is not tested"


def test_a_model_without_a_change_has_no_p(atlas: Atlas) -> None:
    same = taught.directions([1.0], [1.0])
    still = [replace(each, composition=same, zero_shot=same) for each in taught.changes(atlas, X, Y)]
    assert taught.adjusted(still) == [(None, None)] * 3
    assert "(0 beyond chance)" in taught.sentence(still)


def test_the_correction_is_named_in_the_header(atlas: Atlas) -> None:
    html = str(taught.html(taught.changes(atlas, X, Y), atlas, X, Y))
    assert html.count(">p, Holm</th>") == 2
    assert ">p</th>" not in html


def test_teaching_is_copied_with_what_it_rests_on(atlas: Atlas) -> None:
    changed = taught.changes(atlas, X, Y)
    said = taught.to_copy(changed, atlas)
    assert said.startswith(taught.sentence(changed).removesuffix("."))
    least = min(p for pair in taught.adjusted(changed) for p in pair if p is not None)
    assert "(n = 3 models; exact two-sided sign tests over benchmarks and over tasks" in said
    assert f"Holm over 6 tests; the smallest is {written.p_value(least)}, " in said
