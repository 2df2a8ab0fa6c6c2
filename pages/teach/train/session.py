"""Who asks: one browser session, so that a question takes the place of its own former one alone."""

import secrets

import streamlit as st

_KEY = "_teach_session"


def key() -> str:
    """A word that no other session has."""
    return str(st.session_state.setdefault(_KEY, secrets.token_hex(8)))
