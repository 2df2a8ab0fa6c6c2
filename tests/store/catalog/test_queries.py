"""What the pages ask, checked against numpy on the same shards."""

from dataclasses import replace

import numpy as np
import pytest

from backend.engine.storage import shards
from backend.errors import UsageError
from backend.store import queries as q
from backend.store.build.reader import open_store
from backend.store.compare import compare
from tests.store import writer
from tests.store.conftest import BLIND, ONE, TWO

FOUR = "4" * 16
ITC, GEN = q.Setting("itc"), q.Setting("gen")


@pytest.fixture(scope="session")
def benchmark(asked):
    return q.benchmarks(asked)["hash"][0]


def quads(asked, kind="itc"):
    rows = (
        asked.cursor()
        .execute(
            """SELECT item_no, image_index, text_index, value FROM scores JOIN items USING (item_no)
        WHERE run_id = ? AND part = ? AND protocol = 'quad' ORDER BY 1, 2, 3""",
            [ONE, kind],
        )
        .fetchall()
    )
    return np.array([row[3] for row in rows]).reshape(-1, 2, 2)


def test_what_there_is(asked, benchmark):
    known = q.benchmarks(asked).iloc[0]
    assert known["subsets"] == {"attribute": 12, "relation": 12, "triplet": 12, "choice": 12, "retrieval": 12}
    assert known["protocols"]["retrieval"] == "retrieval"
    assert (known["name"], known["n_items"], known["n_runs"]) == ("toy", 60, 3)
    runs = q.runs(asked).set_index("run_id")
    assert runs["kinds"][ONE] == ["itc", "itm", "gen", "t2t"]
    assert runs["kinds"][BLIND] == ["prior"]
    assert runs["priors"][ONE] == ["lm:fake:blind", "images:2", "noise:3"]
    assert q.models(asked, benchmark)["model"].tolist() == ["fake:blind", "fake:collapsed", "fake:ok"]
    available = q.settings(asked, ONE)
    assert available.default == ITC
    assert asked.run(ONE).record["run"] == ONE
    with pytest.raises(UsageError, match="no run"):
        _ = asked.run("nope").record


def test_rates_are_those_of_the_scores(asked):
    s = quads(asked)
    text = (s[:, 0, 0] > s[:, 0, 1]) & (s[:, 1, 1] > s[:, 1, 0])
    image = (s[:, 0, 0] > s[:, 1, 0]) & (s[:, 1, 1] > s[:, 0, 1])
    table = q.rates(asked, ONE, ITC).set_index("metric")
    assert table["value"]["text_score"] == pytest.approx(text.mean())
    assert table["value"]["image_score"] == pytest.approx(image.mean())
    assert table["value"]["group_score"] == pytest.approx((text & image).mean())
    assert table["n"]["group_score"] == 24
    assert table["chance"]["group_score"] == pytest.approx(1 / 6)
    assert table["chance"]["accuracy"] == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert table["n"]["t2i_recall_at_1"] == 24
    assert table["chance"]["i2t_recall_at_1"] == pytest.approx(2 / 24)
    assert np.isnan(table["value"]["threshold_accuracy"])
    assert table["n"]["threshold_accuracy"] == 0
    assert 1 <= table["value"]["i2t_median_rank"] <= 12
    assert table["lo"]["group_score"] <= table["value"]["group_score"] <= table["hi"]["group_score"]


def test_thresholds_need_probabilities(asked):
    table = q.rates(asked, ONE, q.Setting("itm")).set_index("metric")
    pc, pf = table["value"]["pc"], table["value"]["pf"]
    assert table["value"]["threshold_accuracy"] == pytest.approx((pc + pf) / 2)
    assert table["value"]["min_pc_pf"] == pytest.approx(min(pc, pf))


@pytest.mark.parametrize(
    ("by", "groups"),
    [
        ("subset", {"attribute", "relation", "triplet", "choice", "retrieval"}),
        ("concept", {"attribute", "relation", "count", "mixed"}),
        ("perturbation", {"swap", "implausible", "against_prior"}),
        ("split", {"dev", "test"}),
        ("nothing", set()),
    ],
)
def test_rates_by_a_tag(asked, by, groups):
    table = q.rates(asked, ONE, ITC, by)
    assert set(table["group"]) == groups
    whole = q.rates(asked, ONE, ITC).set_index("metric")["n"]
    if groups:
        assert table[table["metric"] == "accuracy"]["n"].sum() == whole["accuracy"]


def test_rates_of_a_subset_and_of_nothing(asked):
    assert set(q.rates(asked, ONE, ITC, None, "choice")["metric"]) >= {"accuracy"}
    assert "group_score" not in set(q.rates(asked, ONE, ITC, None, "choice")["metric"])
    assert q.rates(asked, BLIND, ITC).empty


@pytest.mark.long
def test_the_heat_map_has_every_model_and_kind(asked, benchmark):
    table = q.heatmap(asked, benchmark)
    assert set(table["model"]) == {"fake:ok", "fake:collapsed", "fake:blind"}
    assert set(table[table["model"] == "fake:ok"]["kind"]) == {"itc", "itm", "gen", "t2t"}
    assert set(table[table["headline"]]["kind"]) == {"itc", "prior"}
    assert table.groupby(["model", "kind", "group"]).size().max() == 1
    only = q.heatmap(asked, benchmark, "concept", (q.Setting("gen", 1.0),))
    assert set(only["model"]) == {"fake:ok"}


def test_the_default_setting_is_what_the_store_keeps(asked):
    for kind in ("itc", "gen", "t2t"):
        frame = q.outcomes(asked, ONE, q.Setting(kind))
        kept = (
            asked.cursor()
            .execute(
                "SELECT metric, sum(correct::INT), count(*) FROM outcomes WHERE run_id = ? AND kind = ? GROUP BY 1",
                [ONE, kind],
            )
            .fetchall()
        )
        assert kept
        again = frame.groupby("metric")["correct"].agg(["sum", "size"])
        assert {name: (right, n) for name, right, n in kept} == {
            name: (int(row["sum"]), int(row["size"])) for name, row in again.iterrows()
        }


def test_failures_are_the_items_that_fail(asked):
    page = q.failures(asked, q.FailureFilter(ONE, ITC, metrics=("group_score",), limit=1000))
    frame = q.outcomes(asked, ONE, ITC)
    wrong = frame[(frame["metric"] == "group_score") & ~frame["correct"].astype(bool)]
    assert page.total == len(page.rows) == len(wrong)
    assert page.n_items == 24
    assert page.rows["margin"].is_monotonic_increasing
    assert set(page.rows["item_id"]) == set(wrong["item_id"])
    assert page.facets["correct"] == {"wrong": len(wrong), "right": 24 - len(wrong)}
    assert sum(page.facets["subset"].values()) == len(wrong)


@pytest.mark.long
@pytest.mark.parametrize("setting", [ITC, q.Setting("gen", 0.5, "noise:3"), q.Setting("t2t")], ids=str)
def test_every_filter_narrows(asked, setting):
    def total(**more):
        return q.failures(asked, q.FailureFilter(ONE, setting, **{"correct": None, "limit": 5, **more})).total

    everything = total()
    assert everything == total(correct=True) + total(correct=False)
    subsets = list(q.failures(asked, q.FailureFilter(ONE, setting, correct=None)).facets["subset"])
    assert everything == sum(total(subsets=(name,)) for name in subsets)
    assert total(margin=(-1e9, 0.0)) + total(margin=(1e-9, 1e9)) == everything
    rows = q.failures(asked, q.FailureFilter(ONE, setting, correct=None, limit=1000)).rows
    assert len(rows) == everything
    starred = sum("star" in " ".join(texts).lower() for texts in rows["texts"])
    assert total(text="STAR") == starred > 0
    assert total(text="100 % '; DROP TABLE scores") == 0
    assert total(concepts=("relation",)) == sum("relation" in found for found in rows["concepts"]) > 0
    said = ("outvoted_by_image", "no_binding")
    assert total(cells=said) == rows["cell"].isin(said).sum()
    assert total(reasons=("uncertain",)) == (rows["reason"] == "uncertain").sum()


def test_a_right_and_b_wrong(asked):
    wanted = q.FailureFilter(ONE, ITC, ("group_score",), correct=True, other_run=TWO, other_correct=False, limit=100)
    rows = q.failures(asked, wanted).rows
    table = compare.against(q.shared(asked, (q.Side(ONE, ITC), q.Side(TWO, ITC)), "group_score"))
    assert len(rows) == table["only_a"][0]
    assert rows["correct"].all()
    assert not rows["other_correct"].any()


def test_pages_of_failures_fit_together(asked):
    wanted = q.FailureFilter(ONE, ITC, correct=None, limit=7)
    pages = [q.failures(asked, wanted.page(k)).rows["item_id"].tolist() for k in range(4)]
    ids = q.failure_ids(asked, wanted)
    assert [name for page in pages for name in page] == ids[:28]


def test_an_item_in_full(asked, benchmark):
    found = q.item(asked, benchmark, "triplet/2")
    assert found.truth == [(0, 0), (0, 1)]
    assert found.tags["concept"] == ["relation"]
    assert len(found.texts) == 3
    scores = found.scores.groupby(["model", "part"]).size()
    assert scores["fake:ok", "t2t"] == 3
    assert scores["fake:ok", "prior@noise:3"] == 9
    assert scores["fake:collapsed", "itc"] == 3
    assert set(found.outcomes["model"]) == {"fake:ok", "fake:collapsed", "fake:blind"}
    with pytest.raises(UsageError, match="no item 'nope'"):
        q.item(asked, benchmark, "nope")


@pytest.mark.long
def test_curves_agree_with_outcomes_at_any_alpha(asked):
    for curve in q.alpha_curves(asked, ONE, "noise:3"):
        for alpha in (0.0, 0.37, 1.0):
            table = q.rates(asked, ONE, q.Setting("gen", alpha, "noise:3")).set_index("metric")
            assert float(curve.curve.at(alpha)) == pytest.approx(table["value"][curve.metric]), curve.metric
    curves = {curve.metric: curve for curve in q.alpha_curves(asked, ONE)}
    assert set(curves) == {"accuracy", "i2t_accuracy", "text_score", "image_score", "group_score"}
    assert "cancels" in curves["image_score"].note
    assert curves["accuracy"].tuned["n_dev"] + curves["accuracy"].tuned["n_test"] == 12
    assert curves["accuracy"].prior == "lm:fake:blind"
    stratum = q.alpha_curves(asked, ONE, perturbation="implausible")
    assert [len(curve.items) for curve in stratum] == [8]
    assert q.alpha_curves(asked, TWO) == []
    assert q.alpha_curves(asked, ONE, "noise:99") == []


def test_a_blind_models_own_run_is_a_prior(asked):
    curve = q.alpha_curves(asked, ONE, "lm:fake:blind")[0]
    assert curve.prior == "lm:fake:blind"
    table = q.prior_agreement(asked, ONE)
    assert set(table["prior"]) == {"images:2", "noise:3"}
    assert set(table["reference"]) == {"lm:fake:blind"}
    assert table[table["subset"] == ""]["n"].tolist() == [24, 24]
    assert q.prior_agreement(asked, TWO).empty


def test_deviations_by_hand(asked):
    s = quads(asked)
    table = q.deviations(asked, ONE, "itc")
    assert table["v1"].to_numpy() == pytest.approx(s[:, 0, 1] - s[:, 1, 0])
    assert table["v2_text"].to_numpy() == pytest.approx(s[:, 0, 0] - s[:, 0, 1] - s[:, 1, 1] + s[:, 1, 0])
    first = s[:12]
    assert table["v1_scale_free"].to_numpy()[:12] == pytest.approx((first[:, 0, 1] - first[:, 1, 0]) / first.std())
    assert (q.deviations(asked, ONE, "itm")[["s11", "s12", "s21", "s22"]].to_numpy() < 1).all()
    assert q.deviations(asked, BLIND, "itc").empty
    assert len(q.deviations(asked, ONE, "gen", "relation")) == 12


@pytest.mark.slow
def test_comparing_a_run_with_itself(asked):
    table = compare.against(q.shared(asked, (q.Side(ONE, ITC), q.Side(ONE, ITC))), by="subset")
    assert len(table) == 5
    assert (table["only_a"] == 0).all()
    assert (table["gain"] == 0).all()


def test_failures_carry_the_cells_of_the_outcomes(asked):
    frame = q.outcomes(asked, ONE, ITC)
    frame = frame[frame["metric"] == "group_score"].set_index("item_id")
    wanted = q.FailureFilter(ONE, ITC, metrics=("group_score",), correct=None, limit=10_000)
    found = q.failures(asked, wanted)
    rows = found.rows.set_index("item_id")
    for name in ("cell", "reason"):
        assert rows[name].to_dict() == frame[name].to_dict()
        assert found.facets[name] == frame[name].value_counts().to_dict()


@pytest.mark.slow
def test_a_missing_score_is_undefined_not_wrong(toy):
    from backend.store.build.reader import open_store

    run_dir = toy / "runs" / ONE
    manifest = shards.read_manifest(run_dir)
    table = shards.read_part(run_dir, "itc").to_pandas()
    table = table[~((table["item_no"] == 0) & (table["image_index"] == 0) & (table["text_index"] == 1))]
    columns = {name: table[name].to_numpy() for name in table}
    manifest["parts"]["itc"]["shards"] = [shards.write_shard(run_dir, "itc", 9, columns)]
    shards.write_manifest(run_dir, manifest)
    store = open_store()
    assert q.rates(store, ONE, ITC).set_index("metric")["n"]["group_score"] == 23
    page = q.failures(store, q.FailureFilter(ONE, ITC, correct=None, metrics=("group_score",)))
    assert page.facets["correct"]["undefined"] == 1
    assert page.n_items == 23


def test_failures_of_several_runs_are_listed_together(asked, benchmark):
    def page(*runs, **more):
        wanted = q.FailureFilter(runs[0], ITC, correct=None, limit=1000, also=runs[1:], **more)
        return q.failures(asked, wanted)

    one, two, both = page(ONE), page(TWO), page(ONE, TWO)
    assert both.total == one.total + two.total == len(both.rows)
    assert both.rows["run_id"].value_counts().to_dict() == {ONE: one.total, TWO: two.total}
    assert both.facets["benchmark"] == {benchmark: both.total}
    assert both.rows["margin"].dropna().is_monotonic_increasing
    assert page(ONE, TWO, benchmarks=(benchmark,)).total == both.total
    assert page(ONE, TWO, benchmarks=("elsewhere",)).total == 0


@pytest.mark.slow
def test_a_broader_term_stands_for_the_narrower_ones(toy):
    store = open_store()
    counts = q.failures(store, q.FailureFilter(ONE, ITC, correct=None)).facets["concept"]
    assert "attribute/*" not in counts  # one term alone is its own family
    # The tags of this toy are words of its own; two of them become narrower terms of one family.
    items = [replace(i, tags={"concept": (("colour", "size")[n % 2],)}) if i.protocol == "quad" else i
             for n, i in enumerate(writer.items())]  # fmt: skip
    writer.write_run(toy, items, FOUR, ["itc"], model="fake:retagged")
    found = q.failures(open_store(), q.FailureFilter(FOUR, ITC, correct=None, limit=1000))
    counts = found.facets["concept"]
    assert counts["attribute/*"] == counts["colour"] + counts["size"] == 24
    wanted = q.FailureFilter(FOUR, ITC, correct=None, limit=1000, concepts=("attribute/*",))
    page = q.failures(open_store(), wanted)
    assert page.total == 24
    assert {name for names in page.rows["concepts"] for name in names} == {"colour", "size"}
