"""Answers to requests of a component: each request is done once, and whatever comes gets an answer.

Of messages that wait the server receives the last, a run can be replaced before its answer is drawn, and a request
without an answer is sent again (`web/src/core/requests.ts`). So later runs repeat the last answer, and a request that
comes again gets the answer of the first time.
"""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from model import DecodingOptions, InputError, InterventionError
from views.components.requests import INVALID, ComponentRequest, InvalidRequest
from views.text.catalogue import say_error

Answer = dict[str, object]


class OutdatedError(Exception):
    """The request is about something that is not shown any more."""


class RefusedError(Exception):
    """The request cannot be done; the message is a sentence for the user."""


def state_token(sentence: str, options: DecodingOptions) -> str:
    """Return the state of a page in which this sentence is entered and translated with these options."""
    described = repr((sentence, options)).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(described, digest_size=12).hexdigest()


def answer_request(
    request: ComponentRequest, state: str, last: Mapping[str, object], compute: Callable[[Any], Mapping[str, object]]
) -> Answer:
    """Return the answer to a request.

    Args:
        state: of the page.
        last: the answer to the latest request before; empty if there is none.
        compute: does the request and returns what was asked for; it is not called for a request that is outdated,
            invalid, or was answered already. Its errors about inputs become refusals.
    """
    latest = last.get("serial", -1)
    if request.serial == latest:
        return dict(last)
    answer: Answer = {"serial": request.serial}
    if isinstance(latest, int) and request.serial < latest:
        return answer | {"status": "outdated"}
    if isinstance(request, InvalidRequest):
        return answer | {"status": "refused", "reason": INVALID()}
    if request.state != state:
        return answer | {"status": "outdated"}
    try:
        return answer | {"status": "done", **compute(request)}
    except OutdatedError:
        return answer | {"status": "outdated"}
    except RefusedError as error:
        return answer | {"status": "refused", "reason": str(error)}
    except (InputError, InterventionError) as error:
        return answer | {"status": "refused", "reason": say_error(error)}


class Channel:
    """Requests of one kind: the one that came since the last run, and the last answer, both in the session.

    Args:
        name: of the channel in the session.
    """

    def __init__(self, name: str) -> None:
        self._request, self._last = name, f"{name}_answer"

    def receive(self, request: ComponentRequest) -> None:
        """Store a request, in a callback, for the run that follows."""
        st.session_state[self._request] = request

    def answer(self, state: str, compute: Callable[[Any], Mapping[str, object]]) -> list[Answer]:
        """Answer the request that came since the last run; return the last answer, and that to an older request.

        The last answer is updated in place: between two accesses of the session a run can be ended.

        Args:
            state, compute: as of `answer_request`.
        """
        request: ComponentRequest | None = st.session_state.pop(self._request, None)
        last: Answer = st.session_state.setdefault(self._last, {})
        if request is None:
            return [last] if last else []
        answer = answer_request(request, state, last, compute)
        if last and request.serial < last["serial"]:  # type: ignore[operator]
            return [last, answer]
        last.clear()
        last |= answer
        return [last]
