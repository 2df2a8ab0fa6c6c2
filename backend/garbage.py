"""What has been imported goes out of the way of the search for garbage."""

import gc


def let_imports_be() -> None:
    """Take everything that there is out of the search, once what can go has gone.

    Streamlit looks for garbage among all objects after every run of a page, before the browser hears that it is over.
    Our modules and those of the libraries (half a million objects; as many again with torch) never become any: a tenth
    of a second for nothing at every click. Call it after imports, in the thread that made them.
    """
    gc.collect()
    gc.freeze()
