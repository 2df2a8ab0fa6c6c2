"""Metrics: pure numpy functions on score arrays; no torch, streamlit, duckdb or pandas in here.

Scores come in as stored (float32 or float64) and are computed in float64. Every formula, its paper and our own
readings stand in docs/methods.md. One comparison, `compare.compare`, is under every verdict.
"""
