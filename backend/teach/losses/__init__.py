"""What a step of teaching minimises: pure functions of scores, one file a family.

Scores are (n, n), s[i, j] image i with caption j, image i belongs to caption i; *logits* are what a softmax or a
sigmoid takes (logit scale x cosine of a dual encoder, log-odds of a matching head), *raw* scores are the cosine, or the
log-odds. All losses are means, so that their weights do not depend on the size of a batch.
"""
