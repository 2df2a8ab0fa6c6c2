"""What is known of English words: tokens, endings, classes, WordNet. No perturbation stands in here.

Begin with `tokens` and `lexicon`.
"""
