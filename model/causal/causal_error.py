"""The error of all causal methods."""

from ..runtime.messages import UserError


class CausalError(UserError, ValueError):
    """An experiment that is impossible on this network or input; the message is one sentence for the user."""
