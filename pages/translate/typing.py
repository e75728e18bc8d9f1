"""What is typed in the sentence box before it is entered: translated on the stage, and nowhere else.

It is in neither the address nor the settings of the page, so that no history entry is made while the user types.
"""

import streamlit as st

from model import DecodingOptions, InputError, Trace
from pages.shared.service import Service
from views.components.stage import StageRequest, TypedSentence
from views.text.catalogue import say, say_error

_TYPED = "stage_typed"  # in the session: the sentence of the page, and what is typed over it


def remember(entered: str, typed: TypedSentence) -> None:
    """Store, in a callback, what is typed over the sentence of the page."""
    st.session_state[_TYPED] = entered, typed


def typed_trace(service: Service, trace: Trace, options: DecodingOptions) -> tuple[Trace, dict[str, object]]:
    """Return the trace of what is typed over the sentence of `trace`, and the answer to the browser.

    It is `trace` itself if nothing is typed, or what is typed cannot be translated; the answer states the reason.
    """
    entered, typed = st.session_state.get(_TYPED, ("", None))
    if entered != trace.source_text:
        st.session_state.pop(_TYPED, None)  # another sentence was entered: coming back to this one shows it alone
        typed = None
    if typed is None:
        return trace, {}
    answer: dict[str, object] = {"typed": typed.serial}
    if typed.text.strip() in ("", trace.source_text.strip()):
        return trace, answer
    try:
        service.tokens(typed.text)
    except InputError as error:
        return trace, answer | {"refused": say_error(error)}
    return service.trace(typed.text, options), answer


def answer_pull(request: StageRequest | None) -> dict[str, object]:
    """Return the answer to a request about pulls while the sentence is only typed."""
    if request is None or request.action == "control":
        return {"serial": request.serial if request else -1}
    return {"serial": request.serial, "error": say("stage.enter-first", "Press Enter, then pull a weight.")}
