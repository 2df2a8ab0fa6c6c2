"""What `flipside doctor` looks at: this computer, stored results, one model.

Begin with `checks`.
"""
