"""The one mechanism for recording and intervening: a function that every named tensor passes through.

Names read `<stack>.<layer>.<kind>.<step>`, for example `decoder.0.cross.weights`. Kinds are `self` and `cross`; steps
are `queries`, `keys`, `values`, `scores` (scaled, unmasked), `mask`, `weights` and `outputs` (one vector per head).
Self-attention with rotary or ALiBi positions passes `positions` before them, with ALiBi `bias` before `scores`.
Every sub-layer, `self`, `cross` and `ffn`, also passes `sublayer_output`, what it adds to the residual stream, and
`normalised`, the stream after its Add & Norm; `ffn` has `hidden` before them. The residual stream passes as
`<stack>.embedded` and `<stack>.<layer>.residual`. In the pre-norm decoder-only network `normalised` is what the
sub-layer reads, and `decoder.normalised` what the logits are computed from.

Recurrent networks have steps in time in place of layers; their names are in `model.networks.recurrent`.
"""

from collections.abc import Callable, Collection, Mapping

from torch import Tensor

Tap = Callable[[str, Tensor], Tensor]


def identity_tap(name: str, tensor: Tensor) -> Tensor:
    """Return `tensor`: a tap that changes nothing and only makes attention run in its explicit form."""
    return tensor


class Recorder:
    """A tap that changes nothing and stores a reference to every tensor, or only those in `names`, in `tensors`."""

    def __init__(self, names: Collection[str] | None = None) -> None:
        self.names = names
        self.tensors: dict[str, Tensor] = {}

    def __call__(self, name: str, tensor: Tensor) -> Tensor:
        if self.names is None or name in self.names:
            self.tensors[name] = tensor
        return tensor


class Intervention:
    """A tap that replaces a tensor by the result of the function under its name; all others pass unchanged."""

    def __init__(self, changes: Mapping[str, Callable[[Tensor], Tensor]]) -> None:
        self.changes = dict(changes)

    def __call__(self, name: str, tensor: Tensor) -> Tensor:
        change = self.changes.get(name)
        return tensor if change is None else change(tensor)


class AtEveryStep(Intervention):
    """An intervention at every step of a recurrence; its names omit the number of the step.

    `AtEveryStep({"decoder.forget_gate": hold_gate(0)})` changes `decoder.0.forget_gate`, `decoder.1.forget_gate`, ...
    """

    def __call__(self, name: str, tensor: Tensor) -> Tensor:
        return super().__call__(".".join(part for part in name.split(".") if not part.isdigit()), tensor)


class Chain:
    """Several taps in sequence: `Chain(intervention, recorder)` records the result of the intervention."""

    def __init__(self, *taps: Tap) -> None:
        self.taps = taps

    def __call__(self, name: str, tensor: Tensor) -> Tensor:
        for tap in self.taps:
            tensor = tap(name, tensor)
        return tensor


def hold_gate(value: float) -> Callable[[Tensor], Tensor]:
    """Return a change that holds every unit of a gate at `value`, 1 for open and 0 for shut.

    Raises:
        ValueError: `value` is outside [0, 1], where no gate can be.
    """
    if not 0 <= value <= 1:
        raise ValueError(f"A gate cannot be held at {value}; choose a value from 0 (shut) to 1 (open).")
    return lambda gate: gate.new_full(gate.shape, value)


def replace_by(tensor: Tensor) -> Callable[[Tensor], Tensor]:
    """Return a change of any tensor to this one."""
    return lambda _: tensor


def replace_mask(allowed: Tensor) -> Callable[[Tensor], Tensor]:
    """Return a change of a `mask` step to `allowed` (bool, broadcastable to `(batch, head, query, key)`).

    Every query must have at least one key, or its weights are undefined.

    Raises:
        ValueError: `allowed` has a query without any key.
    """
    if not bool(allowed.any(dim=-1).all()):
        raise ValueError("The mask leaves a query without any key; let every query attend to at least one position.")
    return lambda mask: allowed.to(mask.device)
