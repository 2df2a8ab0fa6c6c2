"""What a prior source is called in words, wherever a page or a sentence names one."""

import re

#: The sources without a number or a spec.
_PLAIN = {"self": "the model itself, without an image", "predicted": "the imported predictions"}


def prior_name(source: str) -> str:
    """A prior source, which is what `--prior` takes or a run has kept, in words that follow "P(t) from".

    >>> prior_name("images:20"), prior_name("noise:1"), prior_name("lm:bundled:lm")
    ('20 sampled images', '1 noise image', 'the blind language model bundled:lm')
    >>> prior_name("lm:lm:facebook/opt-1.3b"), prior_name("lm:lm:/data/models/opt"), prior_name("self")
    ('the blind language model facebook/opt-1.3b', 'the blind language model opt', 'the model itself, without an image')
    >>> prior_name("images:20@train2017-0a1b2c3d"), prior_name("images:20@/data/train2017/")
    ('20 sampled images of train2017', '20 sampled images of train2017')
    """
    head, _, rest = source.partition(":")
    if head in ("images", "noise"):
        number, _, folder = rest.partition("@")
        of = re.sub(r"-[0-9a-f]{8}$", "", folder.rstrip("/")).rpartition("/")[2]
        what = f"{'sampled' if head == 'images' else 'noise'} image{'' if number == '1' else 's'}"
        return f"{number} {what}{f' of {of}' if of else ''}"
    return f"the blind language model {_model(rest)}" if head == "lm" else _PLAIN.get(head, source)


def prior_option(source: str) -> str:
    """The same in a narrow list of choices, where the beginning has to tell one from another.

    >>> prior_option("lm:bundled:lm"), prior_option("images:20")
    ('bundled:lm (blind)', '20 sampled images')
    """
    head, _, rest = source.partition(":")
    return f"{_model(rest)} (blind)" if head == "lm" else prior_name(source)


def _model(spec: str) -> str:
    """A blind model's spec without what is said already; of a folder its last name, for only its owner knows the rest
    of the path."""
    family, colon, place = spec.removeprefix("lm:").partition(":")
    path = place if colon else family
    if path.startswith(("/", "~", ".")):
        path = path.rstrip("/").rpartition("/")[2]
    return f"{family}:{path}" if colon else path
