"""The error that states why a model cannot be opened or an input cannot be traced."""

from ..runtime.messages import UserError


class OpenError(UserError, ValueError):
    """A model cannot be opened, or an input not traced; the message states why in one sentence, and often a remedy."""
