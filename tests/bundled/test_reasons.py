"""What the reasons say of the bundled models on the bundled world."""

import pytest

from backend import results


@pytest.mark.long
def test_what_ships_binds_where_its_page_says(shipped_imported):
    """docs/reasons.md: clip binds attributes, and is outvoted; relations it does not bind at all."""
    mine = results.open()
    frame = mine.outcomes({"kind": "itc"}, model="bundled:clip", benchmark="world")
    rows = frame[frame["metric"] == "group_match"]
    share = rows.groupby("subset")["correct"].mean().round(3)
    assert share["attribute"] == pytest.approx(0.876, abs=5e-4)
    assert share["relation"] == pytest.approx(0.433, abs=5e-4)
    said = rows.groupby("subset")["reason"].value_counts().unstack(fill_value=0)
    luck = said.loc["relation"]
    assert luck.drop(["uncertain", "no_binding"], errors="ignore").sum() == 0, "nothing is certified by luck"
    assert said.loc["count", "right"] > 200
