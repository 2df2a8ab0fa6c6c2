"""What Equivariance's planes and violins give to be copied: rates, recounted, and no score or deviation."""

import numpy as np
import pandas as pd

from backend.metrics.statistics import rate
from pages.equivariance import to_copy


def quads(n: int = 200, seed: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 4)), columns=["s11", "s12", "s21", "s22"])
    over = np.abs(rng.normal(size=n)) * 2
    over[:5] = np.nan
    return frame.assign(cluster=[f"i{k}" for k in range(n)], model="m", v2_text_over_margin=over)


def test_a_plane_says_its_parts_and_no_score() -> None:
    frame = quads()
    one, two = frame["s11"] > frame["s12"], frame["s22"] > frame["s21"]
    said = to_copy.plane("m", frame, "all quads", ("similarity", "w"))
    low, high = rate(one & two).ci95 or (0, 0)
    assert said == (
        f"Under m both images prefer their own caption on {100 * np.mean(one & two):.1f} % [{100 * low:.1f}, "
        f"{100 * high:.1f}] of all quads; on {100 * np.mean(one != two):.1f} % one caption wins for both images, on "
        f"{100 * np.mean(~one & ~two):.1f} % both are swapped (n = 200 quads; ties count as failures; similarity; w)."
    )
    assert to_copy.plane("m", frame.assign(s11=np.nan), "all quads", ()) == ""


def test_violins_say_how_often_the_deviation_is_larger_than_the_margin() -> None:
    frame = pd.concat([quads(), quads(seed=4).assign(model="other")])
    own = frame[frame["model"] == "other"]["v2_text_over_margin"].dropna()
    said = to_copy.violins({"m": "m", "other": "Other"}, frame, "other", "all quads", ("similarity", "w"))
    assert said.startswith(
        "Under Other the deviation of the text side (v2) is larger than the margin that decides the "
    )
    assert f"{100 * np.mean(own > 1):.1f} % [" in said
    assert "of the 2 models drawn it is on" in said
    assert said.endswith("(n = 195 quads; similarity; w; 5 that tie or lack a score left out).")
    alone = to_copy.violins({"m": "m"}, frame, "gone", "all quads", ())
    assert alone.startswith("Under m ")
    assert "models drawn" not in alone
    assert to_copy.violins({}, frame, "m", "all quads", ()) == ""
