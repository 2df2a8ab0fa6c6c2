"""The flow of verdicts from one system's reasons to another's, each way a button: Compare and Teach draw it.

Begin with `view.py`.
"""
