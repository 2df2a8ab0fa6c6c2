"""What an interactive page needs: safe uploads, checked captions, a shared model pool, live scores.

Importing it loads no torch; a model does, when the first live score is asked for.
"""
