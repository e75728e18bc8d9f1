"""Rows of an opened model's decoder: the token read, and the one that it chose there, unless the text was given."""

from __future__ import annotations

from model.open_model import open_model
from tests.pages.models.opened_model_page import open_maps
from views.components import component

ISOLATES = str.maketrans("", "", "\u2068\u2069")


def test_any_model_names_what_its_decoder_chose_and_reads_what_is_given(open_app, listed):
    text = "The quick fox runs."
    for name, fed in (("t5", {}), ("t5", {"target": "a dog"}), ("gpt2", {})):
        header, _ = open_maps(open_app("models", model=name, text=text, kind="decoder", **fed))
        trace = open_model(listed[name], device="cpu").trace(text, **fed)
        read, keys = trace.axes("decoder")
        tokens = trace.tokens("target")
        assert header["keys"] == component.labels(keys)
        if fed or name == "gpt2":
            assert header["queries"] == component.labels(read) and not any(tokens.chosen)
        else:
            assert tokens.chosen[:-1] == read[1:]
            assert [name.translate(ISOLATES) for name in header["queries"]] == [
                f"{one} \u2192 {two}" if two else one for one, two in zip(read, tokens.chosen, strict=True)
            ]
