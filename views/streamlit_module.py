"""Streamlit, imported when it is first used: what a notebook shows is made by the same files, and needs none of it."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import streamlit as st
else:

    class StreamlitModule:
        """Has every name of Streamlit.

        Raises:
            ImportError: Streamlit is not installed; the message states what to install.
        """

        def __getattr__(self, name: str) -> Any:
            try:
                import streamlit
            except ModuleNotFoundError as error:
                if error.name != "streamlit":
                    raise
                raise ImportError(
                    "The app needs Streamlit, which is not installed; run in its checkout: pip install '.[app]'"
                ) from None
            return getattr(streamlit, name)

    st = StreamlitModule()

__all__ = ["st"]
