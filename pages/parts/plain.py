"""Names and captions are data: where Streamlit reads Markdown, they are shown character for character.

Options of selectbox, multiselect, dataframe and metric are plain text already; labels of buttons, tabs, expanders,
segmented controls and pills, `st.caption`, `st.markdown`, `st.toast`, `st.success` and all help texts are Markdown.
"""

import re

#: Everything that opens markup: emphasis, code, links, images, HTML, formulas, colours and icons, headings, lists.
_MARKS = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~$:&=])")


def plain(text: str) -> str:
    """A text for a place that reads Markdown, so that it appears character for character, on one line.

    >>> plain("*a* $b$ :red[c]")
    '\\\\*a\\\\* \\\\$b\\\\$ \\\\:red\\\\[c\\\\]'
    """
    return _MARKS.sub(r"\\\1", " ".join(text.split()))
