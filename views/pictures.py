"""The former place of `views.controls.pictures`: recipes that earlier versions saved import from here."""

from .controls.pictures import read_picture

__all__ = ["read_picture"]
