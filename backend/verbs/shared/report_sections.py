"""What `flipside report` prints below its rates for people: α*, Monte-Carlo errors; each with its setting named."""

from typing import Any

from backend import written
from backend.metrics.alpha import star_number
from backend.metrics.reasons.priors import ENOUGH_SAMPLES
from backend.verbs.shared.output import counted, print_table, say
from backend.verbs.shared.report_reasons import show_reasons

DASH = "–"


def show_sections(found: dict[str, Any]) -> None:
    """Every section that the document has, under a heading that says what it was computed with."""
    if found.get("official"):
        _official(found["official"], found["benchmark"])
    for reason in dict.fromkeys(found.get("undefined", {}).values()):
        names = [name for name, why in found["undefined"].items() if why == reason]
        say(f"\n{', '.join(names)} are undefined for {found['setting']['kind']}: {reason}.")
    lower = found.get("lower_bounds", {})
    for reason in dict.fromkeys(lower.values()):
        names = [name for name, why in lower.items() if why == reason]
        say(f"\n{', '.join(names)} are lower bounds, and not to be set against chance: {reason}.")
    groups = [group for group, table in found["by"].items() if any("lower_bound" in entry for entry in table.values())]
    if groups and not lower:
        why = next(entry["lower_bound"] for entry in found["by"][groups[0]].values() if "lower_bound" in entry)
        say(f"\n≥ (in {', '.join(groups)}): a lower bound, and not to be set against chance: {why}.")
    for name, title in (("deviations", "Deviations on quads"), ("close_pairs", "Deviations on mined close pairs")):
        if found.get(name):
            _deviations(title, found[name])
    if "reasons" in found:
        show_reasons(found["reasons"])
    if "orders" in found:
        _orders(found["orders"])
    if found["setting"].get("prior_samples"):
        _prior_samples(found["setting"]["prior"], found["setting"]["prior_samples"])
    if "alpha_star" in found:
        _alpha_star(found["alpha_star"])
    if "monte_carlo" in found:
        _monte_carlo(found["monte_carlo"])


def _official(rows: list[dict[str, Any]], benchmark: str) -> None:
    """Each score, print beside it where a paper prints exactly that, and the number of its rule, said below once."""
    say(f"\nScores as {benchmark}'s own evaluator or its papers form them")
    table = []
    rules: dict[str, int] = {}
    for row in rows:
        printed = row["published"]
        beside = (
            ""
            if printed is None
            else f"{written.percent(printed['value'], digits=2)} ({printed['paper']}, {printed['table']})"
        )
        rule = f"[{rules.setdefault(row['how'], len(rules) + 1)}]"
        table.append((row["metric"], row["name"], _percent(row["value"]), row["n"], rule, beside))
    print_table(("metric", "score", "value", "n", "rule", "published"), table)
    for how, number in rules.items():
        say(f"[{number}] {how}")
    shown = [row["published"] for row in rows if row["published"]]
    for remark in dict.fromkeys(
        f"{each['paper']}, {each['table']}: {' '.join([*each['caveats'], each['note']]).strip()}"
        for each in shown
        if each["caveats"] or each["note"]
    ):
        say(remark)


def _deviations(title: str, found: dict[str, Any]) -> None:
    scale = "" if found["logit_scale"] is None else f", logit scale {found['logit_scale']:.4g}"
    more = ""
    if "k" in found:
        rates = ", ".join(f"{name} score {_percent(found[f'{name}_score'])}" for name in ("text", "image", "group"))
        more = f", k {found['k']} (EqSim): {rates}. {found['caution']}"
    say(f"\n{title}, normalisation {found['normalisation']} ({found['unit']}{scale}), n {found['n']}{more}")
    if found.get("prior"):
        say(f"v1 and the text side with log P(t) from {found['prior']} taken away, α = {found['alpha']:g}; else they "
            "measure the prior. On the image side α cancels; what all three are divided by is at this α.")  # fmt: skip
    names = ("mean", "mean_absolute", "median_absolute", "mean_absolute_scale_free", "median_over_margin")
    rows = [
        (
            f"eqsim_{measure}",
            *(DASH if found[measure][name] is None else f"{found[measure][name]:.4g}" for name in names),
        )
        for measure in ("v1", "v2_text", "v2_image")
    ]
    print_table(("deviation", "mean", "mean |.|", "median |.|", "mean |.| scale-free", "median |.|/margin"), rows)


def _orders(found: dict[str, Any]) -> None:
    say("\nBy order of asking, right where the true text was chosen; accuracy above asks that it is in every order")
    names = list(found["all"])
    parts = {**found["by_subset"], "all": found["all"]} if len(found["by_subset"]) > 1 else {"all": found["all"]}
    fewer = found["all"]["mean"]["in_fewer"]

    def said(of: dict[str, Any], name: str) -> str:
        if name not in of:
            return DASH
        return _percent(of[name]["value"]) + (f" (n {of[name]['n']:,})" if fewer and name != "mean" else "")

    rows = [(part, *(said(of, name) for name in names), of["mean"]["n"]) for part, of in parts.items()]
    print_table(("subset", *names, "n"), rows)
    if fewer:
        say(
            f"{counted(fewer, 'item')} of {found['all']['mean']['n']:,} were not asked in every order: accuracy judges "
            "them by the orders in which they were, and the orders' own rates are over different items. The mean is "
            "over items, each by its share of orders right, so it may lie outside of the orders' rates."
        )
    if without := found["all"]["mean"]["without_order"]:
        say(
            f"{counted(without, 'item')} more {'was' if without == 1 else 'were'} answered without an order: in "
            "accuracy, and in no order and no mean of them."
        )


def _alpha_star(stars: dict[str, Any]) -> None:
    first = next(iter(stars.values()))
    say(f"\nα* of log P(t|i) − α · log P(t), prior {first['prior']}, norm {first['norm']}")
    rows = []
    reasons: dict[str, list[str]] = {}
    notes: dict[str, None] = {}
    for metric, line in stars.items():
        every, protocol = line["all"], line["protocol"]
        ends = DASH if every["interval"] is None else " to ".join(f"{end:.3f}" for end in every["interval"])
        name, alpha, value = _chosen(protocol)
        rows.append(
            (metric, _star(every), ends, written.percent(every["value"], every["n"]),
             written.percent(every["at_0"], every["n"]), written.percent(every["at_1"], every["n"]), name, alpha, value)
        )  # fmt: skip
        if protocol is None:
            reasons.setdefault(line["reason"], []).append(metric)
        elif protocol["note"]:
            notes[f"{protocol['name']} ({protocol['source']}): {protocol['note']}"] = None
    print_table(
        ("metric", "α* on all", "plateau", "value", "at 0", "at 1", "paper's protocol", "its α*", "its value"), rows
    )
    _uncertainty(stars)
    for text in notes:
        say(text)
    for reason, metrics in reasons.items():
        say(f"No protocol for {', '.join(metrics)}: {reason}.")


def _uncertainty(stars: dict[str, Any]) -> None:
    """The plateau is where these items agree; what other items would say is the bootstrap's, and the test half's."""
    rows = []
    few = []
    for metric, line in stars.items():
        sure, tuned = line.get("uncertainty"), (line["dev_test"] or {}).get("test_gain")
        if not sure:
            continue
        own, drawn, size = sure["gain"], sure["bootstrap"], sure["effective_samples"]
        claimed = size["median"] is None or size["enough"]
        if not claimed:
            few.append(metric)
        rows.append(
            (metric, DASH if size["median"] is None else f"{written.number(size['median'])} of {size['n']}",
             _points(own["value"]) + ("" if claimed else ", not claimed"), f"{own['won']} / {own['lost']}",
             written.p_cell(own["p"]),
             DASH if not drawn else " to ".join(f"{end:.2f}" for end in drawn["alpha"]),
             DASH if not drawn else f"{drawn['p_gain']:.2f}",
             DASH if not tuned else f"{_points(tuned['value'])} {written.ends(tuned['ci95'], signed=True)}",
             DASH if not tuned else written.p_cell(tuned["p"]))
        )  # fmt: skip
    if rows:
        print_table(
            (
                "metric",
                "effective samples",
                "gain over α = 0",
                "won / lost",
                "p",
                "α*, 95 %",
                "P(gain > 0)",
                "on the test half",
                "its p",
            ),
            rows,
        )
        say(
            "The plateau holds for these items alone; α*, 95 %, and P(gain > 0) are over items and sampled images "
            "drawn again. The gain is at an α chosen on the same items; the test half did not choose it."
        )
    if few:
        say(
            f"Not claimed, whatever p and the test half say: the gains of {', '.join(few)}. P(t) rests there on fewer "
            f"than {ENOUGH_SAMPLES:g} effective samples (median over the metric's items of the text that has fewest): "
            "with other samples α* may be another one."
        )


def _points(value: float | None) -> str:
    return DASH if value is None else f"{written.number(100 * value, 1, signed=True)} points"


def _prior_samples(prior: str, told: dict[str, Any]) -> None:
    """How far P(t) can be trusted, in two lines and one for each subset."""
    size = told["effective_median"]
    own = f"; {told['own']}" if told["own"] else ""
    say(
        f"\nP(t) from {prior}: {told['n']} samples, which weigh like {_size(size)} (median over all "
        f"{told['n_items']} items of the text that has fewest){own}."
    )
    if told["below_5"]:
        say(f"Below 5 effective samples nothing debiased is claimed: {told['below_5']} of {told['n_items']} items.")
    if len(told["by_subset"]) > 1:
        rows = [
            (name, _size(part["effective_median"]), f"{part['below_5']} of {part['n_items']}")
            for name, part in told["by_subset"].items()
        ]
        print_table(("subset", "effective samples, median", "items below 5"), rows)


def _size(value: float | None) -> str:
    return written.number(value)


def _chosen(protocol: dict[str, Any] | None) -> tuple[str, str, str]:
    """Name, α and value of a protocol, in one cell each."""
    if protocol is None:
        return DASH, DASH, DASH
    if "grid" in protocol:
        grid, exact = protocol["grid"], protocol["exact"]
        alpha = f"{_spread(grid, 'alpha')}, exact {_spread(exact, 'alpha')}"
        value = f"{_spread(grid, 'value', 100)} %, exact {_spread(exact, 'value', 100)} %"
        return f"{protocol['name']}, step {grid['step']:g}", alpha, value
    return protocol["name"], _star(protocol), _percent(protocol.get("value", protocol.get("test_value")))


def _spread(line: dict[str, Any], name: str, scale: float = 1) -> str:
    mean, std = line[f"{name}_mean"], line[f"{name}_std"]
    digits = 1 if scale > 1 else 3
    return DASH if mean is None else f"{scale * mean:.{digits}f} ({scale * (std or 0):.{digits}f})"


def _monte_carlo(errors: dict[str, Any]) -> None:
    say(f"\nMonte-Carlo error of log P(t), prior {errors['prior']}, norm {errors['norm']}: ", end="")
    if errors["se"] is None:
        say(f"none ({errors['reason']}).")
        return
    se, size = errors["se"], errors["effective_samples"]
    say(
        f"mean {se['mean']:.3g}, median {se['median']:.3g}, largest {se['max']:.3g} {errors['unit']}; "
        f"{errors['n_samples']} samples, which weigh like {written.number(size['median'])} (median over all "
        f"{errors['n_texts']} texts, not of each item's least)"
    )
    rows = [
        (
            metric,
            f"{line['alpha']:.3f}",
            _percent(line["value"]),
            "±" + _percent(line["se"]),
            _count(line["n_within_2_se"]),
        )
        for metric, lines in errors.get("rates", {}).items()
        for line in lines
        if line["alpha"]
    ]
    if rows:
        print_table(("metric", "α", "value", "Monte-Carlo se", "items within 2 se of a tie"), rows)


def _count(value: int | None) -> str:
    return DASH if value is None else str(value)


def _star(found: dict[str, Any]) -> str:
    return DASH if found["alpha"] is None else star_number(found["alpha"], found.get("interval"))


def _percent(value: float | None) -> str:
    return DASH if value is None else written.percent(value)
