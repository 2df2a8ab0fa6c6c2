"""Overview: which models fail at what. The page itself is in whole.py, whose imports take longer than a first look."""

import streamlit as st

from pages.overview import first_picture
from pages.shared.frame.header import head
from pages.shared.frame.style import show

show(head(*first_picture.HEAD))  # the picture's and the page's: one head, from the first moment to the last
place = st.empty()
first_picture.draw(place)

from pages.overview import whole  # noqa: E402 - a second of imports where a server has just started: the picture comes first

try:
    whole.draw()
finally:
    place.empty()  # also where the page says why it cannot be drawn
