"""What is typed in the sentence box before it is entered: translated on the stage, and nowhere else.

It is in neither the address nor the settings of the page, so that no history entry is made while the user types.
"""

from functools import partial

import streamlit as st

from model import DecodingOptions, Trace
from pages.shared.requests import Answer, Channel
from pages.shared.service import Service
from views.components.stage import TypedSentence

TYPING_CHANNEL = Channel("stage_type")
_TYPED = "stage_typed"  # in the session: the state of the page, and what is typed over its sentence


def follow_typing(service: Service, entered: Trace, options: DecodingOptions, state: str) -> tuple[Trace, list[Answer]]:
    """Return the trace of what is typed over the entered sentence, and the answers to the browser.

    The trace is `entered` itself if nothing is typed. Text that cannot be translated is refused and changes nothing.
    """
    answers = TYPING_CHANNEL.answer(state, partial(_take, service, entered))
    typed_over, text = st.session_state.get(_TYPED, ("", ""))
    if text and typed_over != state:
        del st.session_state[_TYPED]  # another sentence was entered: coming back to this one shows it alone
        text = ""
    return (service.trace(text, options) if text else entered), answers


def _take(service: Service, entered: Trace, request: TypedSentence) -> dict[str, object]:
    """Store the text of a request as what is typed; the entered sentence counts as nothing.

    Raises:
        InputError: the text cannot be translated.
    """
    same = request.text.strip() in ("", entered.source_text.strip())
    if not same:
        service.tokens(request.text)
    st.session_state[_TYPED] = request.state, "" if same else request.text
    return {}
