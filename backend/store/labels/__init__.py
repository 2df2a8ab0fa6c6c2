"""What edits of its captions say of an item: the verdicts that they flip.

Begin with `edited_captions.py`.
"""
