"""Overview: which models fail at what. The page itself is in whole.py, whose imports take longer than a first look."""

import streamlit as st

from pages.overview import first_picture

place = st.empty()
first_picture.draw(place)

from pages.overview import whole  # noqa: E402 - a second of imports where a server has just started: the picture comes first

try:
    whole.draw()
finally:
    place.empty()  # also where the page says why it cannot be drawn
