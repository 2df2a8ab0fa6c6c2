"""Flipside's backend. Importing it loads neither torch, streamlit nor duckdb."""

__version__ = "0.1.0"
