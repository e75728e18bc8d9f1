"""Where earlier versions kept `views.controls.pictures`: what they saved for notebooks imports it from here."""

from .controls.pictures import read_picture

__all__ = ["read_picture"]
