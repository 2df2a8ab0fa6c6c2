"""Names and captions are data: where Streamlit reads Markdown, they are shown character for character.

Options of selectbox, multiselect, dataframe and metric are plain text already; labels of buttons, tabs, expanders,
segmented controls and pills, `st.caption`, `st.markdown`, `st.toast`, `st.success` and all help texts are Markdown.
"""

import re

#: Everything that opens markup: emphasis, code, links, images, HTML, formulas, colours and icons, headings, lists.
_MARKS = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~$:&=])")
#: What Streamlit makes links, icons, emoji and arrows of only after the escapes are gone: bare addresses of the web and
#: of mail, names between colons, arrows that stand alone. A word joiner, which nobody sees, keeps each apart.
_LATER = re.compile(
    r"(?P<web>https?:)(?=//)|(?P<www>www)(?=\.)|(?P<mail>[-.\w+])(?=@[-\w])|(?P<icon>:)(?=[-+\w/]+:)"
    r"|(?:(?<=\s)|^)(?P<arrow><-|[<>~\-])(?=(?:->|[>\-=])(?:\s|$))",
    re.IGNORECASE,
)
JOINER = "\u2060"


def plain(text: str) -> str:
    """A text for a place that reads Markdown, so that it appears character for character, on one line.

    >>> plain("*a* $b$ :red[c]")
    '\\\\*a\\\\* \\\\$b\\\\$ \\\\:red\\\\[c\\\\]'
    >>> plain("https://x") == "https\\\\:" + JOINER + "//x"
    True
    """
    return _MARKS.sub(r"\\\1", _LATER.sub(rf"\g<0>{JOINER}", " ".join(text.split())))
