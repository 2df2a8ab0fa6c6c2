"""What the map and the cosines of Embeddings give to be copied."""

from types import SimpleNamespace

import numpy as np

from backend.metrics.modality_gap import PairCosines
from backend.metrics.near_errors import NearErrors
from pages.embeddings import gap, method, view
from pages.embeddings.data import Apart
from tests.pages.embeddings.test_embeddings import points


def test_the_map_says_what_is_drawn_and_claims_no_more() -> None:
    of = points()
    said = view.to_copy(of, ["m"], ["PCA"], [0.43], "modality", view.by_modality(of), ("Relation", "w"))
    images = int((of.contents["modality"] == "image").sum())
    assert said.startswith(
        f"PCA of {images} images and {len(of.contents) - images} captions under m, coloured by modality: "
    )
    assert f"{images} image, " in said
    assert said.endswith(
        f"the two axes of PCA carry 43 % of the variance (n = {of.n_items} items; no test of where points lie on the "
        "map; Relation; w)."
    )
    assert "variance" not in view.to_copy(of, ["m"], ["UMAP"], [], "modality", view.by_modality(of), ())


def test_what_the_page_says_of_the_models_own_space_is_copied_first(monkeypatch) -> None:
    """Failed before: “no test of where points lie” was copied from below “Wrong items lie together”."""
    of = SimpleNamespace(points=points())
    found = NearErrors(share=0.47, low=0.41, high=0.53, chance=0.34, p=0.0025, n=332, k=8)
    monkeypatch.setattr(method.over, "near", lambda *_: found)
    near = method.near_copied(None, of, None)  # type: ignore[arg-type]
    said = view.to_copy(of.points, ["m"], ["UMAP"], [], "modality", view.by_modality(of.points), (), near)
    assert said.startswith(
        "Wrong items lie together: of the 8 captions nearest to theirs in the model's own space, 47 % [41.0, 53.0] are "
        "of wrong items, too, by chance 34 % (332 wrong items, p = .003); UMAP of "
    )
    monkeypatch.setattr(method.over, "near", lambda *_: None)
    assert method.near_copied(None, of, None) == ""  # type: ignore[arg-type]


def test_the_cosines_say_the_three_means() -> None:
    pairs = PairCosines(np.full(40, 0.31), np.full(20, 0.29), np.full(9, 0.1), np.arange(40))
    said = gap.to_copy(Apart("m", 40, 40, None, pairs, (0.31, (0.3, 0.32))), "m", ("Relation", "w"))
    assert said == (
        "Under m images and their own captions have a cosine of 0.310 on average [0.300, 0.320], against 0.290 for "
        "pairs of one item that do not belong together and 0.100 for a sample of pairs of different items (n = 40 "
        "pairs; no test; Relation; w)."
    )
    assert gap.to_copy(Apart("m", 0, 4, None, None, None), "m", ()) == ""
