"""Where earlier versions kept `model.text.words`: what they saved for notebooks imports it from here."""

from .text.words import by_words, whole_words

__all__ = ["by_words", "whole_words"]
