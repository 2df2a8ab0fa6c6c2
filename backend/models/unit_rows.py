"""What the towers of a dual encoder give, at unit length, batch by batch."""

import numpy as np
import torch
from numpy.typing import NDArray


class UnitRows:
    """n rows in float32. Those of a batch on a GPU are read back when the next batch has been given to it, which would
    be idle otherwise while the processor gets that batch ready."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._rows: NDArray[np.float32] | None = None
        self._coming: tuple[NDArray[np.int64], torch.Tensor, torch.cuda.Event] | None = None

    def put(self, part: NDArray[np.int64], features: torch.Tensor) -> None:
        """features: (len(part), d), on any device, of the rows at the places `part`."""
        units = torch.nn.functional.normalize(features.float(), dim=-1)
        if units.device.type != "cuda":
            self._keep(part, units)
            return
        on_host = units.to("cpu", non_blocking=True)
        copied = torch.cuda.Event()  # type: ignore[no-untyped-call]
        copied.record(torch.cuda.current_stream(units.device))
        self._arrived()
        self._coming = (part, on_host, copied)

    def array(self) -> NDArray[np.float32]:
        """All rows, (n, d); (0, 0) where there are none."""
        self._arrived()
        return np.zeros((0, 0), dtype=np.float32) if self._rows is None else self._rows

    def _arrived(self) -> None:
        if self._coming is not None:
            part, on_host, copied = self._coming
            copied.synchronize()
            self._coming = None
            self._keep(part, on_host)

    def _keep(self, part: NDArray[np.int64], units: torch.Tensor) -> None:
        if self._rows is None:
            self._rows = np.zeros((self._n, units.shape[1]), dtype=np.float32)
        self._rows[part] = units.numpy()
