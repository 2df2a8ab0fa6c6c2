"""Starts the dashboard: page list and theme, nothing else. Run it with `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

from pages.parts import style

#: File in pages/, title, icon, address.
PAGES = (
    ("overview", "Overview", ":material/grid_view:", "overview"),
    ("try_it", "Try it", ":material/science:", "try-it"),
    ("failures", "Failures", ":material/error_outline:", "failures"),
    ("equivariance", "Equivariance", ":material/compare_arrows:", "equivariance"),
    ("debias", "Debias", ":material/tune:", "debias"),
)
HERE = Path(__file__).parent

st.set_page_config(page_title="Flipside", page_icon=str(HERE / "pages/parts/mark.svg"), layout="wide")
style.apply()
st.logo(HERE / "pages/parts/logo.svg", size="large", icon_image=HERE / "pages/parts/mark.svg")
listed = [
    st.Page(HERE / f"pages/{file}.py", title=title, icon=icon, url_path=address, default=not i)
    for i, (file, title, icon, address) in enumerate(p for p in PAGES if (HERE / f"pages/{p[0]}.py").exists())
]
st.navigation(listed).run()
