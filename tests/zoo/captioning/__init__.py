"""Captioners of the zoo."""
