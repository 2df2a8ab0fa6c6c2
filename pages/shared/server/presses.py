"""Keeps presses that Streamlit drops.

A press inside a fragment waits until the run of the whole page that is under way has ended. Where a request for another
run of the whole page comes meanwhile (the next click, as a rule), Streamlit stops the run, and what waits with it: the
press was sent and never does anything (Streamlit 1.67, `AppSession.request_rerun` with `runner.fastReruns`). Here it
goes along with the later request, as Streamlit itself does for requests that meet in one run.
"""

from typing import TYPE_CHECKING

from streamlit import config
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner_utils import script_requests
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests, ScriptRequestType

if TYPE_CHECKING:
    from streamlit.proto.ClientState_pb2 import ClientState


def take(requests: ScriptRequests, later: "ClientState") -> None:
    """Stop a run as Streamlit would, and add the presses that wait in it to the later request; under one lock, or what
    waits could begin meanwhile and be done twice. Streamlit offers no other way to ask."""
    with requests._lock:
        if requests._state is not ScriptRequestType.RERUN:
            return
        waiting, requests._state = requests._rerun_data.widget_states, ScriptRequestType.STOP
    together = script_requests._coalesce_widget_states(waiting, later.widget_states)
    if together is not None:
        later.widget_states.CopyFrom(together)


def keep() -> None:
    """From now on, in every session of this server. Called once, as the server imports app.py."""
    request_rerun = AppSession.request_rerun

    def kept(self: AppSession, client_state: "ClientState | None") -> None:
        runner = self._scriptrunner
        replaces = client_state is not None and not client_state.fragment_id and config.get_option("runner.fastReruns")
        if client_state is not None and replaces and runner is not None:
            take(runner._requests, client_state)
        request_rerun(self, client_state)

    AppSession.request_rerun = kept  # type: ignore[method-assign]
