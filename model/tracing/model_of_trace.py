"""The model that recorded a trace, for the methods of a trace that run its network again."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from ..causal.causal_error import CausalError
from ..runtime.messages import Template, UserError

if TYPE_CHECKING:
    from ..causal.logit_attribution import LogitAttribution
    from ..causal.logit_lens import LogitLens

TraceT = TypeVar("TraceT")
NO_TRACE = Template("Pass a trace that this model has recorded, as model.trace(...) returns it; this is a {kind}.")
_MODEL, _CHANGED = "_find_model", "_has_intervention"


class TraceOfModel:
    """Base of the traces of models with causal methods. A copy of such a trace knows no model."""

    def logit_lens(self, top: int | None = None, right: int | None = None) -> "LogitLens":
        """Read out every layer of this input; see `model.causal.logit_lens` (nostalgebraist 2020).

        Args:
            top: how many tokens or classes are listed at each position.
            right: the token or class whose probability is stated at every position; by default the token that follows,
                or the answer.

        Raises:
            CausalError: the model is not known or closed, or the trace was recorded under an intervention.
        """
        return self._model("logit_lens").logit_lens(self, top, right)

    def logit_attribution(
        self, index: int | None = None, other: int | None = None, position: int = -1
    ) -> "LogitAttribution":
        """Split a logit of this input into its parts; see `model.causal.logit_attribution` (Elhage et al. 2021).

        Args:
            index: token or class; by default the one that follows at this position, or the answer.
            other: the token or class whose logit is subtracted.
            position: of the output, from 0; negative ones count from the end.

        Raises:
            CausalError: as of `logit_lens`.
        """
        return self._model("logit_attribution").logit_attribution(self, index, other, position)

    def _model(self, method: str) -> Any:
        """Return the model that recorded this trace, to call a method of that name."""
        find_model = vars(self).get(_MODEL)
        if find_model is None:
            raise CausalError(
                "This trace has no link to the model that recorded it; call model.{method}(trace).", method=method
            )
        if vars(self)[_CHANGED]:
            raise CausalError(
                "This trace was recorded under an intervention, and {method} runs the network without it; trace the "
                "input without one, or call model.{method}(trace).",
                method=method,
            )
        model = find_model()
        if model is None:
            raise CausalError(
                "The model that recorded this trace is no longer in memory; open it again and call "
                "model.{method}(trace).",
                method=method,
            )
        return model

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in (_MODEL, _CHANGED)}


def attach_model(trace: TraceT, find_model: Callable[[], Any], intervention: object = None) -> TraceT:
    """Let a trace call methods of its model, where it has such methods.

    Args:
        find_model: returns the model, or None once it is gone, as a weak reference does.
        intervention: under which the trace was recorded; None for none.

    Returns:
        The same trace.
    """
    if isinstance(trace, TraceOfModel):
        vars(trace).update({_MODEL: find_model, _CHANGED: intervention is not None})
    return trace


def share_model(trace: TraceT, other: TraceOfModel) -> TraceT:
    """Let a trace that was made of another one call methods of its model; return the same trace."""
    vars(trace).update({name: value for name, value in vars(other).items() if name in (_MODEL, _CHANGED)})
    return trace


def check_trace(trace: object, expected: type, refusal: type[UserError]) -> None:
    """Raise `refusal` with what to pass if an argument is no trace of the model's own kind."""
    if not isinstance(trace, expected):
        raise refusal(NO_TRACE, kind=type(trace).__name__)
