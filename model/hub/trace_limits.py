"""What a trace keeps, decided from its size before anything is computed."""

from dataclasses import dataclass

from .errors import OpenError
from .record import RetainedSteps

LARGEST = 1_000_000_000  # bytes that the maps of one trace may take
HALF_FROM = 400_000_000  # bytes of weights, from which on they are kept in half precision


@dataclass(frozen=True)
class TraceRetention:
    """What is kept of a run.

    Attributes:
        what: "all", or "weights" only.
        half: weights, and scores if kept, in half precision.
        layer: only this one, from 0; None keeps all layers.
    """

    what: RetainedSteps
    half: bool
    layer: int | None = None


def plan_retention(maps: int, layers: int, wanted: str | int) -> TraceRetention:
    """What to keep of so many numbers of weights.

    Args:
        maps: numbers of weights in all layers.
        layers: most layers of a kind.
        wanted: "auto", "all", "weights", or a layer from 0.

    Raises:
        OpenError: it would be more than `LARGEST`; with the figure, and what would fit. There is no such layer.
    """
    if isinstance(wanted, int):
        if not 0 <= wanted < layers:
            raise OpenError("There is no layer {layer}; this model has {layers}.", layer=wanted + 1, layers=layers)
        maps //= layers
    layer = wanted if isinstance(wanted, int) else None
    weights = TraceRetention("weights", maps * 4 > HALF_FROM, layer)
    offers = [TraceRetention("all", False, layer), weights] if wanted not in ("all", "weights") else []
    offers += [TraceRetention("all", False)] if wanted == "all" else [weights] if wanted == "weights" else []
    for offer in offers:
        if _bytes(maps, offer) <= LARGEST:
            return offer
    raise OpenError(
        "The maps of this input would take {size:.1f} GB, where {limit:.1f} GB are allowed; choose one layer or a "
        "shorter input.",
        size=_bytes(maps, offers[-1]) / 1e9,
        limit=LARGEST / 1e9,
    )


def retained_sizes(maps: int, layers: int) -> dict[str, int]:
    """Bytes that the maps take by what is kept of them: "all", "weights", or one "layer".

    Args:
        maps, layers: as of `choose`.
    """
    half = maps * 4 > HALF_FROM
    kept = {"all": TraceRetention("all", False), "weights": TraceRetention("weights", half)}
    found = {what: _bytes(maps, keep) for what, keep in kept.items()}
    one = maps // layers
    whole = _bytes(one, TraceRetention("all", False))
    return found | {"layer": whole if whole <= LARGEST else _bytes(one, TraceRetention("weights", one * 4 > HALF_FROM))}


def _bytes(maps: int, keep: TraceRetention) -> int:
    return maps * (2 if keep.half else 4) * (2 if keep.what == "all" else 1)
