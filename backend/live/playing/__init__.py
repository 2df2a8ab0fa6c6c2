"""Playing with one experiment: a word is changed, a part of a picture covered, and what turns a model's answer is kept.

Begin with `play.py`, which says what an edited experiment is; `recipes.py` keeps the smallest edits that turned an
answer, `meaning.py` says whether an edit keeps the meaning, `covering.py` covers, `others.py` asks other scenes.
"""
