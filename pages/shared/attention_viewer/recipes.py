"""What a notebook runs to compute again what the attention viewer shows, as lines of Python."""

from __future__ import annotations

from collections.abc import Sequence

from model.translator import SentenceTranslator


def of_text(sentence: str, target_ids: Sequence[int], kind: str, model: SentenceTranslator) -> tuple[str, ...]:
    """One kind of attention of a sentence on the tokens that were produced for it."""
    return (
        f"from model import {model.loaded_by.partition('.')[0]}",
        "",
        f"translator = {model.loaded_by}",
        f"assert translator.weights_sha256 == {model.weights_sha256!r}",
        f"sentence = {ascii(sentence)}",
        f"trace = translator.trace(sentence, target_ids={tuple(map(int, target_ids))!r})",
        f"attention = trace.attention({kind!r})  # (layer, head, query, key)",
    )


def of_picture(pixels_sha256: str, weights_sha256: str, sample: str) -> tuple[str, ...]:
    """The attention of a picture; one of the project's own is read from its file, any other from where it lies."""
    path = f"assets/samples/{sample}.jpg" if sample else "the picture"
    return (
        "import hashlib",
        "from pathlib import Path",
        "",
        "from model import VisionClassifier",
        "from views.controls.pictures import read_picture",
        "",
        "classifier = VisionClassifier.load()",
        f"assert classifier.card['weights_sha256'] == {weights_sha256!r}",
        f"pixels = classifier.prepare(read_picture(Path({path!r}).read_bytes()).image)",
        f"assert hashlib.sha256(pixels.tobytes()).hexdigest() == {pixels_sha256!r}",
        "attention = classifier.trace(pixels).attention  # (layer, head, query, key)",
    )


def in_words(queries: str, keys: str) -> tuple[str, ...]:
    """Whole words instead of tokens; "source" or "target" says whose words they are."""
    return (
        "",
        "from model.text.words import by_words, whole_words",
        "",
        f"query_words = whole_words(trace.tokenizer, trace.{queries}_ids)",
        f"key_words = whole_words(trace.tokenizer, trace.{keys}_ids)",
        "attention = by_words(attention, query_words, key_words).astype('float32')",
    )


def only(queries: Sequence[int], keys: Sequence[int]) -> tuple[str, ...]:
    """Some of the rows and some of the columns."""
    return ("", f"attention = attention[:, :, {_places(queries)}][:, :, :, {_places(keys)}]")


def _places(numbers: Sequence[int]) -> str:
    if list(numbers) == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]}:{numbers[-1] + 1}"
    return repr(list(map(int, numbers)))
