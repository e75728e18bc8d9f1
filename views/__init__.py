"""Everything that a page or a notebook shows."""

from .trace_frame import frame

__all__ = ["frame"]
