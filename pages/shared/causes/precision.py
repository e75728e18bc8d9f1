"""How exactly a network runs, for the bounds of its checks."""

from pages.shared.service import Service

WHOLE = ("float32", "float64")


def runs_in_half(service: Service) -> bool | None:
    """Whether an opened model runs in half precision; None for a network of this project."""
    if "export" in service.model.capabilities:
        return None
    return service.model.precision not in WHOLE
