"""Rendering for pages and notebooks: components, figures, HTML, exported files, and the state in the URL."""

from .trace_frame import frame

__all__ = ["frame"]
