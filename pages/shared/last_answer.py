"""The last answer to the requests of a component, which later runs repeat.

The next run can follow before the browser has drawn an answer. A request without an answer is sent again
(`web/src/core/requests.ts`): it gets the answer of the first time, and nothing is done twice.
"""

import streamlit as st


def last_answer(name: str) -> dict[str, object]:
    """Return the last answer to the requests of this name; empty if there is none.

    It is updated in place: between two accesses of the session a run can be ended.
    """
    return st.session_state.setdefault(f"{name}_answer", {})
