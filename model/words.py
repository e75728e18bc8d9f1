"""The former module of `model.text.words`; notebooks saved by earlier versions import it."""

from .text.words import by_words, whole_words

__all__ = ["by_words", "whole_words"]
