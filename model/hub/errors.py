"""What is said where a model cannot be opened or a text cannot be traced."""

from ..runtime.messages import ReaderError


class OpenError(ReaderError, ValueError):
    """A model cannot be opened; the message says in one sentence why, and where it helps what to do."""
