"""Expected results of the programs of *Tokens* at two settings; `tests/pages/shared/test_code.py` runs them."""

from __future__ import annotations

from model import TransformerConfig, Translator
from model.lessons.contexts import follow_word
from model.lessons.embedding import find_neighbours, recompute_embedding
from model.lessons.single_dimensions import look_up_pairs
from model.lessons.word_order import compare_orders
from model.networks.config import part_sizes
from model.text.spelling import list_spellings, tokenize_spellings
from tests.pages.conftest import SENTENCE
from tests.pages.shared.programs import COOK, Case, Expected, Values, of_the_translator

CATS = "the cat that I raise", "the cat that catches sparrows", "the cat character in a game"


@of_the_translator
def embedded(translator: Translator, values: Values) -> Expected:
    tokenizer = translator.tokenizer
    steps = recompute_embedding(translator.network, tokenizer, tokenizer.encode_source(values["sentence"]))
    names = ("ids", "rows", "scaled", "positions")
    return {name: getattr(steps, name) for name in names} | {"embedded": steps.recorded}


@of_the_translator
def neighbours(translator: Translator, values: Values) -> Expected:
    tokenizer = translator.tokenizer
    token = tokenizer.encode_source(values["sentence"])[values["place"] - 1]
    computed = find_neighbours(translator.network, tokenizer, token, values["count"])
    return {"cosines": computed.cosines, "labels": (computed.token, *(near.token for near in computed.nearest))}


@of_the_translator
def order(translator: Translator, values: Values) -> Expected:
    computed = compare_orders(translator.network, translator.tokenizer, *values["sentences"])
    return {name: getattr(computed, name) for name in ("pairs", "distances", "cosines")}


@of_the_translator
def contexts(translator: Translator, values: Values) -> Expected:
    word = {"the cat that I raise": "cat", "Where did you learn to cook?": "cook"}[values["sentences"][0]]
    computed = follow_word(translator.network, translator.tokenizer, list(values["sentences"]), word)
    assert computed.places == values["places"]
    return {name: getattr(computed, name) for name in ("vectors", "pairs", "cosines", "explained")}


@of_the_translator
def spelt(translator: Translator, values: Values) -> Expected:
    typed = [*list_spellings(values["word"])[:5], ("other", values["other"])]
    computed = tokenize_spellings(translator.tokenizer, typed)
    tokens = {row.text: tuple(translator.tokenizer.tokens(row.ids)) for row in computed}
    counts, shared = (
        {row.text: of(row) for row in computed} for of in (lambda row: len(row.ids), lambda row: row.shared)
    )
    return {"tokens": tokens, "counts": counts, "shared": shared}


@of_the_translator
def separated(translator: Translator, values: Values) -> Expected:
    computed = look_up_pairs(translator.network, translator.tokenizer, values["pairs"])
    assert computed.words == values["pairs"]
    return {name: getattr(computed, name) for name in ("chosen", "held_out", "best", "together")}


def sizes(values: Values) -> Expected:
    depth = {f"n_{stack}_layers": values["layers"] for stack in ("encoder", "decoder")}
    widths = {name: values[name] for name in ("d_model", "n_heads", "d_ff")}
    config = TransformerConfig(vocabulary_size=values["vocabulary"], **widths, **depth)
    parts = part_sizes(config)
    computed = {part.name.replace("-", "_"): part.parameters for part in parts}
    return computed | {"parameters": sum(part.total for part in parts), "d_k": config.d_k}


CASES: dict[str, Case] = {
    "word-order": (
        {"sentences": ("The dog chased the cat.", "The cat chased the dog.")},
        {"sentences": ("It is a car, a car.", "A car it is, is it a car?")},
        order,
    ),
    "dimensions": (
        {"pairs": (("days", "day"), ("years", "year"), ("men", "man"), ("women", "woman"))},
        {"pairs": (("go", "car"), ("come", "day"), ("take", "year"), ("give", "man"), ("make", "house"))},
        separated,
    ),
    "step-by-step": ({"sentence": SENTENCE}, {"sentence": COOK}, embedded),
    "neighbours": (
        {"sentence": SENTENCE, "place": 3, "count": 12},
        {"sentence": COOK, "place": 1, "count": 30},
        neighbours,
    ),
    "contexts": (
        {"sentences": CATS, "places": ((1, 2),) * 3},
        {
            "sentences": (COOK, "We cook.", "I can cook the rice.", "Cook it!"),
            "places": ((5, 6), (1, 2), (2, 3), (0, 3)),
        },
        contexts,
    ),
    "spelling": (
        {"word": "cat", "other": "\uace0\uc591\uc774"},
        {"word": "Antidisestablishment", "other": "  \u0153uvre\u2014 42\u00b2 \u2581\U0001f642"},
        spelt,
    ),
    "sizes": (
        {"d_model": 256, "n_heads": 8, "d_ff": 1024, "layers": 4, "vocabulary": 8000},
        {"d_model": 30, "n_heads": 3, "d_ff": 7, "layers": 2, "vocabulary": 11},
        sizes,
    ),
}
