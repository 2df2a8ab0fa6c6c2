"""What the rows of each kind look like, as the engine and an import of predictions write them: which columns say
something, and what numbers the kind can be."""

import numpy as np
from numpy.typing import NDArray

from backend.items import SIMILARITIES, Kind
from backend.kinds import PREDICTIONS, SPOKEN, in_own_unit
from backend.store.exchange.cells import samples_of
from backend.store.exchange.coverage import Ints, Mask

#: How far above 0 rounding may carry a log-probability, and above 1 a cosine of vectors in half precision.
ROUNDING, COSINE = 1e-3, 1.01
#: What is wrong of which rows; what is said of the first of these, after its item.
Wrong = tuple[Mask, str]


def cell_wrong(part: str, image: Ints, other: Ints | None, sample: Ints, spec: str) -> list[Wrong]:
    """Rows that say which image, texts and sample they are of in another way than rows of this part do. other: the
    second texts, None for tokens. spec: of the run's model; predictions may number their samples as they like."""
    of = part.removeprefix("tokens:")
    own = spec.startswith(PREDICTIONS)
    sees = of in SIMILARITIES or of.startswith(Kind.VERDICT)
    found = [
        ((image < 0) if sees else (image != -1), f"{'names no image' if sees else 'names an image'} in part {part}")
    ]
    if other is not None:
        two = of == Kind.T2T or of.startswith(Kind.VERDICT)
        said = f"{'compares no two texts' if two else 'names a second text'} in part {part}"
        found.append(((other < 0) if two else (other != -1), said))
    if of.startswith("prior@"):
        most = samples_of(of)
        wrong = (sample < 0) | (sample >= (1 if most is None else most))
        found.append((wrong & (not own), f"has a sample that part {part} does not have"))
    else:
        found.append(((sample != -1) & (not own), f"has a sample in part {part}, which has none"))
    return found


def value_wrong(part: str, value: NDArray[np.floating], n_tokens: Ints, spec: str) -> list[Wrong]:
    """Rows whose number this part's kind cannot be."""
    of = part.removeprefix("counterfactual:").partition("@")[0]
    if of in SPOKEN:
        return [
            (value > ROUNDING, f"has a log-probability above 0 in part {part}"),
            (n_tokens < 1, f"has a sum over no tokens in part {part}"),
        ]
    if of in (Kind.ITC, Kind.T2T) and not in_own_unit(of, spec):
        return [(np.abs(value) > COSINE, f"has a cosine beyond 1 in part {part}")]
    return []
