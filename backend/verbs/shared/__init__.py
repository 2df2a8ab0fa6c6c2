"""What several verbs share: options given twice, output as JSON or table, progress. No verb stands in here.

Begin with `output`.
"""
