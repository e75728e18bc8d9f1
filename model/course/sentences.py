"""The sentences with which lessons open: a test holds that the effect of each lesson shows on its own."""

from ..decoding.search import DecodingOptions

# Id of a lesson -> the sentence with which it opens.
FIXED = {
    "attention-ribbons": "The cat is sleeping on the chair.",
    "tokens-step-by-step": "The cat sleeps on the old chair.",
    "history-one-word": "The black cat sat on the chair near the window.",
    "inside-one-query": "She closed the door and sat on the chair.",
    "positions-table": "The chair is in the garden.",
    "inside-heads": "The cat sleeps on the old chair.",
    "masks-causality": "The black cat sat on the chair near the window.",
    "inside-add-norm": "The animal didn't cross the street because it was too tired.",
    "decoding-step": "The man who lives next door has bought a new house.",
    "loss-tokens": "The cat sleeps on the old chair.",
    "attention-limits": "My brother works in a hospital in the city.",
}
PICTURE = "garbage-truck"  # of the lesson about pictures
OTHER_SENTENCE = "My sister has a black cat and a dog.", "cat"  # with the word that both sentences have
PRONOUNS = ("it", "he", "she", "they")
BEAM = DecodingOptions(method="beam")


def with_word(word: str) -> str:
    """Return another sentence with a word of the user's."""
    return f"We talked about the {word} yesterday."
