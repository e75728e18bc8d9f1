"""Choose which steps a trace stores, by their size, before anything is computed."""

from collections.abc import Sequence
from dataclasses import dataclass

from .errors import OpenError
from .record import RetainedSteps

KEPT = ("auto", "all", "weights")
LARGEST = 1_000_000_000  # bytes that the maps of one trace may take
HALF_FROM = 400_000_000  # bytes; more weights than this are stored in half precision


@dataclass(frozen=True)
class TraceRetention:
    """Which steps of a run are stored."""

    steps: RetainedSteps  # "all", or "weights" only
    half: bool  # whether weights, and scores if stored, are in half precision
    layer: int | None = None  # only this one, from 0; None stores all layers


def plan_retention(maps: int, layers: Sequence[int], keep: str | int) -> TraceRetention:
    """Choose the steps to store.

    Args:
        maps: number of attention weights in all layers.
        layers: numbers from 0 of the layers that have attention.
        keep: "auto", "all", "weights", or one of `layers`.

    Raises:
        OpenError: they would take more than `LARGEST`, with the figure; or there is no such layer.
    """
    if isinstance(keep, bool) or not (isinstance(keep, int) or keep in KEPT):
        raise OpenError(
            "There is no keep={keep!r}; choose {known}, or the number of a layer from 0.",
            keep=keep,
            known=", ".join(KEPT),
        )
    if isinstance(keep, int):
        if keep not in layers:
            raise OpenError(
                "There is no attention in layer {layer}; counted from 0, this model has it in {layers}.",
                layer=keep,
                layers=", ".join(map(str, layers)),
            )
        maps //= len(layers)
    layer = keep if isinstance(keep, int) else None
    weights = TraceRetention("weights", maps * 4 > HALF_FROM, layer)
    choices = [TraceRetention("all", False, layer), weights] if keep not in ("all", "weights") else []
    choices += [TraceRetention("all", False)] if keep == "all" else [weights] if keep == "weights" else []
    for choice in choices:
        if _bytes(maps, choice) <= LARGEST:
            return choice
    raise OpenError(
        "The maps of this input would take {size:.1f} GB, where {limit:.1f} GB are allowed; choose one layer or a "
        "shorter input.",
        size=_bytes(maps, choices[-1]) / 1e9,
        limit=LARGEST / 1e9,
    )


def retained_sizes(maps: int, layers: int) -> dict[str, int]:
    """Bytes that the maps take with "all" steps, "weights" only, or all steps of one "layer".

    Args:
        maps: as of `plan_retention`.
        layers: number of layers that have attention.
    """
    half = maps * 4 > HALF_FROM
    sizes = {
        "all": _bytes(maps, TraceRetention("all", False)),
        "weights": _bytes(maps, TraceRetention("weights", half)),
    }
    one = maps // layers
    whole = _bytes(one, TraceRetention("all", False))
    return sizes | {"layer": whole if whole <= LARGEST else _bytes(one, TraceRetention("weights", one * 4 > HALF_FROM))}


def _bytes(maps: int, retention: TraceRetention) -> int:
    return maps * (2 if retention.half else 4) * (2 if retention.steps == "all" else 1)
