"""Metrics from exported tables, written anew from docs/methods.md: nothing of backend.metrics is used, numpy only for a
median. Slow on purpose; `tests/test_golden_path.py` compares them with `report`."""

import json
import math
from collections import defaultdict


def cells(scores, kind):
    """item_id -> {(image_index, text_index): value} of one kind; t2t: {(text_index, text_index_b): value}."""
    found = defaultdict(dict)
    for row in scores[scores["kind"] == kind].itertuples():
        first = row.text_index if kind == "t2t" else row.image_index
        second = row.text_index_b if kind == "t2t" else row.text_index
        found[row.item_id][int(first), int(second)] = float(row.value)
    return found


def debiased(scores, items, alpha, norm):
    """As `cells` of gen, after alpha-debiasing by the noise samples (Eq. 7, 12 and 13 of the VisualGPTScore paper)."""
    samples = defaultdict(list)
    for row in scores[scores["kind"] == "prior"].itertuples():
        samples[row.item_id, int(row.text_index)].append((float(row.value), int(row.n_tokens)))
    pool = [(row.item_id, t) for row in items[items["protocol"] == "retrieval"].itertuples()
            for t in range(len(json.loads(row.texts)))]  # fmt: skip
    pooled = set(items[items["protocol"] == "retrieval"]["item_id"])
    found = defaultdict(dict)
    for row in scores[scores["kind"] == "gen"].itertuples():
        text = pool[int(row.text_index)] if row.item_id in pooled else (row.item_id, int(row.text_index))
        drawn, tokens = samples[text], int(row.n_tokens)
        assert {n for _, n in drawn} == {tokens}
        if norm == "paper-score":
            given = row.value / tokens
            blind = math.log(sum(math.exp(value / tokens) for value, _ in drawn) / len(drawn))
        else:
            given = row.value
            blind = math.log(sum(math.exp(value) for value, _ in drawn) / len(drawn))
            if norm == "token":
                given, blind = given / tokens, blind / tokens
        found[row.item_id][int(row.image_index), int(row.text_index)] = given - alpha * blind
    return found


def edits(a, b):
    """Levenshtein distance."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


def verdicts(items, scored, kind):
    """metric -> [True or False an item]: quads, triplets and choices."""
    found = defaultdict(list)
    for row in items.itertuples():
        s = scored.get(row.item_id)
        if s is None or row.protocol == "retrieval":
            continue
        texts = json.loads(row.texts)
        if row.protocol == "quad":
            text = s[0, 0] > s[0, 1] and s[1, 1] > s[1, 0]
            image = s[0, 0] > s[1, 0] and s[1, 1] > s[0, 1]
            found["text_score"].append(text)
            found["image_score"].append(image)
            found["group_score"].append(text and image)
            found["group_match"].append(s[0, 0] + s[1, 1] > s[0, 1] + s[1, 0])
        elif row.protocol == "choice":
            found["accuracy"].append(all(s[0, 0] > s[0, t] for t in range(1, len(texts))))
        else:
            # P1 is the paraphrase nearer to N; file order where both are equally near.
            p1, p2 = (
                (0, 1)
                if edits(texts[0].lower(), texts[2].lower()) <= edits(texts[1].lower(), texts[2].lower())
                else (1, 0)
            )
            if kind == "t2t":
                found["t2t_accuracy"].append(s[0, 1] > s[0, 2] and s[0, 1] > s[1, 2])
                found["p1_n_accuracy"].append(s[0, 1] > s[p2, 2])
                found["p2_n_accuracy"].append(s[0, 1] > s[p1, 2])
            else:
                found["i2t_accuracy"].append(s[0, 0] > s[0, 2] and s[0, 1] > s[0, 2])
                found["i2t_p1_n_accuracy"].append(s[0, p1] > s[0, 2])
                found["i2t_p2_n_accuracy"].append(s[0, p2] > s[0, 2])
    return found


def thresholded(items, scored):
    """pc, pf, their minimum, mean and the area under the curve, of log-odds on the choices; probability 0.5 is 0."""
    true, foil = [], []
    for row in items[items["protocol"] == "choice"].itertuples():
        s = scored[row.item_id]
        true.append(s[0, 0])
        foil += [s[0, t] for t in range(1, len(json.loads(row.texts)))]
    pc, pf = share([value > 0 for value in true]), share([value <= 0 for value in foil])
    wins = sum((t > f) + 0.5 * (t == f) for t in true for f in foil)
    return {"pc": pc, "pf": pf, "threshold_accuracy": (pc + pf) / 2, "min_pc_pf": min(pc, pf),
            "auroc": wins / len(true) / len(foil)}  # fmt: skip


def recalls(items, scored):
    """R@1, 5, 10 both ways, their sum, and median ranks, of the pool: rows images, columns all texts in order."""
    pool = items[items["protocol"] == "retrieval"]
    owner = [item_id for item_id, texts in zip(pool["item_id"], pool["texts"], strict=True) for _ in json.loads(texts)]
    matrix = {item_id: [scored[item_id][0, t] for t in range(len(owner))] for item_id in pool["item_id"]}
    ranks = {"i2t": [], "t2i": []}
    for item_id, row in matrix.items():
        best = max(value for value, of in zip(row, owner, strict=True) if of == item_id)
        ranks["i2t"].append(1 + sum(v >= best for v, of in zip(row, owner, strict=True) if of != item_id))
    for t, of in enumerate(owner):
        ranks["t2i"].append(1 + sum(row[t] >= matrix[of][t] for item_id, row in matrix.items() if item_id != of))
    found = {f"{side}_recall_at_{k}": share([rank <= k for rank in ranks[side]]) for side in ranks for k in (1, 5, 10)}
    found["rsum"] = sum(found.values())
    for side, all_ranks in ranks.items():
        ordered = sorted(all_ranks)
        middle = len(ordered) // 2
        found[f"{side}_median_rank"] = (
            ordered[middle] if len(ordered) % 2 else sum(ordered[middle - 1 : middle + 1]) / 2
        )
    return found


def share(values):
    return sum(values) / len(values)
