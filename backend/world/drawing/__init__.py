"""From a scene to its pixels, in integers, the same on every machine.

Begin with `render`; `fast` is the path that training takes.
"""
