"""From a `py:` spec to a model: the code is imported, the model made, and told apart from every other one.

A class is called without arguments (with the spec's `#argument` where it has one), a function likewise; a function of
two arguments is the score itself; anything else is the model as it stands. `device` is passed to what takes it.
"""

import contextlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from backend.errors import UsageError
from backend.kinds import ASKED
from backend.models.base import Model
from backend.models.own import asked, code, identity, neighbours, permission, target
from backend.models.own.adapter import OwnModel
from backend.models.request import Request

#: What a class of one's own may give; that of a function shows when it has made something.
ANY: Final = frozenset(ASKED)


class OwnFamily:
    """The registry's entry for `py:`; models are of another class (`OwnModel`, or a `Model` of the user's own)."""

    @classmethod
    def load(cls, request: Request) -> Model:
        """The model of a `py:` spec. UsageError where it may not run here, is not there or wants other arguments."""
        permission.refuse(request.spec)
        wanted = target.parse(request.name)
        found, file = code.find(wanted)
        if request.dtype != "auto":
            raise UsageError(f"{request.spec}: code of your own decides its dtype itself; leave --dtype out.")
        with rng_kept(request.seed):
            made = _made(found, wanted, request, file)
        with code.answering(wanted, f"looking at what {wanted.name} made", file), code.quietly():
            identity.weights_id(made, request.spec)
            own = identity.source_of(made)
            files = _sources(file, wanted.where if not wanted.is_file else "", own)
            neighbours.refuse_others(wanted, file if wanted.is_file else None, files)
        if isinstance(made, Model):
            made.spec, made.made_by = request.spec, (wanted.name, wanted.argument)
            made.sources = tuple(files)
            if not made.kinds:
                raise UsageError(f"{request.spec}: {type(made).__name__}.kinds is empty; name the kinds that it gives.")
            return made
        with code.answering(wanted, f"looking at what {wanted.name} made", file), code.quietly():
            model = OwnModel(request.spec, made, files, made_by=(wanted.name, wanted.argument), seed=request.seed)
            return _placed(model, request.device)


def kinds_of(spec: str, name: str) -> frozenset[str]:
    """The kinds that a class, or an object, gives; every kind for a function, which has made nothing yet. The code is
    imported, and nothing made. name: what stands after `py:`."""
    permission.refuse(spec)
    wanted = target.parse(name)
    found, file = code.find(wanted)
    if inspect.isclass(found) and issubclass(found, Model):
        return frozenset(map(str, found.kinds)) or frozenset(map(str, ANY))
    if isinstance(found, Model):
        return frozenset(map(str, found.kinds))
    if _is_maker(found) and not inspect.isclass(found):
        return frozenset(map(str, ANY))
    try:
        with code.answering(wanted, f"looking at {wanted.name}", file):
            return frozenset(map(str, asked.kinds_in(found, spec)))
    except UsageError:
        if inspect.isclass(found):  # its encoders may be made with the object
            return frozenset(map(str, ANY))
        raise


def _is_maker(found: Any) -> bool:
    return inspect.isclass(found) or (inspect.isroutine(found) and not asked.is_score(found))


def _made(found: Any, wanted: target.Target, request: Request, file: Path | None) -> Any:
    """The object that does the work."""
    if not _is_maker(found):
        if wanted.argument:
            raise UsageError(
                f"{wanted}: {wanted.name} takes no #argument, for it is no class or function that makes one."
            )
        return found
    given: list[Any] = [wanted.argument] if wanted.argument else []
    if inspect.isclass(found) and issubclass(found, Model):
        if (maker := getattr(found, "load", None)) is not None:
            return _called(maker, [request], {}, wanted, file)
        if found.__init__ is Model.__init__ or "spec" in inspect.signature(found).parameters:
            given = [request.spec]
        made = _called(found, given, _options(found, request), wanted, file)
        made.spec = request.spec  # the name by which it was asked for, whatever its constructor has set
        return made
    return _called(found, given, _options(found, request), wanted, file)


def _options(found: Any, request: Request) -> dict[str, Any]:
    """The device, for what takes one."""
    with contextlib.suppress(TypeError, ValueError):
        if "device" in inspect.signature(found).parameters:
            from backend.models.device import resolve_device

            return {"device": str(resolve_device(request.device))}
    return {}


def _called(found: Any, given: list[Any], options: dict[str, Any], wanted: target.Target, file: Path | None) -> Any:
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        signature = None  # built in: the call says what is wrong
    if signature is not None:
        try:
            signature.bind(*given, **options)
        except TypeError as error:
            what = "with the #argument of the spec" if wanted.argument else "without arguments"
            raise UsageError(
                f"{wanted}: {wanted.name}{signature} cannot be called {what} ({error}); write a function in "
                f"{file or wanted.where} that takes none and gives the model, and name that."
            ) from None
    with code.answering(wanted, f"making {wanted.name}", file), code.quietly():
        made = found(*given, **options)
    if made is None:
        raise UsageError(f"{wanted}: {wanted.name} in {file or wanted.where} gave None; let it return the model.")
    return made


def _placed(model: OwnModel, device: str) -> OwnModel:
    """A torch module in evaluation mode, on the device that was named; `auto` leaves it where its author put it."""
    if model.module is None:
        return model
    if callable(getattr(model.module, "eval", None)):
        model.module.eval()
    if device != "auto" and callable(getattr(model.module, "to", None)):
        from backend.models.device import resolve_device

        model.module.to(resolve_device(device))
    return model


def _sources(file: Path | None, module: str, own: Path | None) -> list[Path]:
    """The named file and the one that its class is written in, each with what it imports of the user's own."""
    found: dict[Path, None] = {}
    for path, name in ((file, module), (own, "")):
        if path is not None and path not in found:
            found |= dict.fromkeys(identity.sources(path, name))
    return list(found)


@contextlib.contextmanager
def rng_kept(seed: int | None = None) -> Iterator[None]:
    """The states of random numbers of Python, numpy and torch (all devices) as they were, afterwards. seed: what they
    begin with in between; None leaves them."""
    import random
    import sys

    import numpy as np

    torch = sys.modules.get("torch")
    states = random.getstate(), np.random.get_state()
    of_torch = torch.get_rng_state() if torch is not None else None
    of_devices = torch.cuda.get_rng_state_all() if torch is not None and torch.cuda.is_initialized() else None
    if seed is not None:
        random.seed(seed)
        np.random.seed(seed % 2**32)
        if torch is not None:
            torch.manual_seed(seed)
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])
        if torch is not None and of_torch is not None:
            torch.set_rng_state(of_torch)
            if of_devices is not None:
                torch.cuda.set_rng_state_all(of_devices)
