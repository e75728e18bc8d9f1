"""Recipes: lines of Python that compute saved attention again, `(layer, head, query, key)`, as `attention`."""

from collections.abc import Mapping, Sequence

from ..viewer.attention_maps import KindMaps

Lines = tuple[str, ...]
OTHER = "'These numbers are of other weights; load those, or leave this line out.'"
OTHER_PICTURE = "'These numbers are of another picture; read that one, or leave this line out.'"


def of_sentence(sentence: str, target_ids: Sequence[int], kind: str, loaded_by: str, weights_sha256: str) -> Lines:
    """Compute one kind of attention of a sentence with the tokens of its translation.

    Args:
        loaded_by: the expression that loads the network, such as `Translator.load()`.
    """
    return (
        f"from model import {loaded_by.partition('.')[0]}",
        "",
        f"translator = {loaded_by}",
        f"assert translator.weights_sha256 == {weights_sha256!r}, {OTHER}",
        f"sentence = {ascii(sentence)}",
        f"trace = translator.trace(sentence, target_ids={tuple(map(int, target_ids))!r})",
        _attention(kind),
    )


def of_stage(sentence: str, target_ids: Sequence[int], pulls: str, loaded_by: str, weights_sha256: str) -> Lines:
    """Compute all attention of a sentence and its translation, `arrays` by kind, under pulls.

    Args:
        target_ids: of the translation without pulls.
        pulls: `HeadInterventions.to_text`; empty without pulls.
        loaded_by: as of `of_sentence`.
    """
    name = loaded_by.partition(".")[0]
    pulled = (f"trace = translator.trace_under(trace, HeadInterventions.from_text({pulls!r}))",) if pulls else ()
    return (
        f"from model import {f'HeadInterventions, {name}' if pulls else name}",
        *of_sentence(sentence, target_ids, "", loaded_by, weights_sha256)[1:-1],
        *pulled,
        "arrays = {kind: trace.attention(kind) for kind in ('encoder', 'cross', 'decoder')}",
    )


def of_picture(pixels_sha256: str, weights_sha256: str, sample: str) -> Lines:
    """Compute the attention of a picture, read from the sample's file or from a path to fill in."""
    path = f"assets/samples/{sample}.jpg" if sample else "the picture"
    return (
        "import hashlib",
        "from pathlib import Path",
        "",
        "from model import VisionClassifier",
        "from views.controls.pictures import read_picture",
        "",
        "classifier = VisionClassifier.load()",
        f"assert classifier.card['weights_sha256'] == {weights_sha256!r}, {OTHER}",
        f"pixels = classifier.prepare(read_picture(Path({path!r}).read_bytes()).image)",
        f"assert hashlib.sha256(pixels.tobytes()).hexdigest() == {pixels_sha256!r}, {OTHER_PICTURE}",
        "attention = classifier.trace(pixels).attention  # (layer, head, query, key)",
    )


def of_opened(name: str, precision: str, weights_sha256: str, kind: str, inputs: Mapping[str, object]) -> Lines:
    """Compute one kind of attention of an opened model.

    Args:
        name: the folder's path, or the id.
        inputs: by the names of the facts in a saved file; without a "sentence" it is a picture, from a path to fill in.
    """
    traced: Lines
    if "sentence" not in inputs:
        traced = ("from PIL import Image", "", "trace = opened.trace(Image.open('the picture'))")
    else:
        names = ("second", "target", "target_language")
        options = "".join(f", {name}={inputs[name]!r}" for name in names if inputs.get(name))
        traced = (f"trace = opened.trace({ascii(inputs['sentence'])}{options})",)
    return (
        "from model import open_model",
        "",
        f"opened = open_model({name!r}, dtype={precision!r})  # the folder's path, or the id",
        f"assert opened.weights_sha256 == {weights_sha256!r}, {OTHER}",
        *traced,
        _attention(kind),
    )


def _attention(kind: str) -> str:
    return f"attention = trace.attention({kind!r})  # (layer, head, query, key)"


def words_of_sentence(queries: str, keys: str) -> Lines:
    """Merge tokens into words; `queries` and `keys` are "source" or "target"."""
    return (
        "",
        "from model.text.words import Word, by_words, whole_words",
        "",
        f"query_words = whole_words(trace.tokenizer, trace.{queries}_ids)",
        f"key_words = whole_words(trace.tokenizer, trace.{keys}_ids)",
        "attention = by_words(attention, query_words, key_words).astype('float32')",
    )


def words_of_opened(queries: str, keys: str) -> Lines:
    """Merge tokens of an opened model into words; `queries` and `keys` are "source" or "target"."""
    return (
        "",
        "from model.text.words import by_words",
        "",
        f"words = trace.{queries}.whole_words(), trace.{keys}.whole_words()",
        "attention = by_words(attention, *words).astype('float32')",
    )


def of_selection(whole: KindMaps, shown: KindMaps) -> Lines:
    """Select what `shown` has of `whole`: without special tokens, and some of its layers."""
    lines: Lines = ()
    if shown.special_hidden:
        axes = whole.queries, whole.keys
        if shown.units == "words":
            axes = whole.queries.in_words(), whole.keys.in_words()
        queries, keys = (_index_text(axis.ordinary_places) for axis in axes)
        lines += ("", f"attention = attention[:, :, {queries}][:, :, :, {keys}]")
    if shown.layer_numbers != whole.layer_numbers:
        first = whole.layer_numbers.index(shown.layer_numbers[0])
        lines += (f"attention = attention[{first} : {first + len(shown.layer_numbers)}]",)
    return lines


def _index_text(numbers: list[int]) -> str:
    """Format an index: a slice where it is equal to the list."""
    if numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]}:{numbers[-1] + 1}"
    return repr(numbers)
