"""Every section that proposes an experiment runs it by a button, and states its result."""

import json
import re
from itertools import zip_longest
from pathlib import Path

import numpy as np
import pytest

from pages.shared.experiment import PAGE
from tests.every_view import PARTS
from tests.pages.conftest import SENTENCE, visit
from tests.tiers import nightly
from views.navigation import SECTIONS
from views.text import prose
from views.text.numbers import three_digits

# The whole result of each experiment on `SENTENCE`, each read and judged by a person.
RESULTS = json.loads((Path(__file__).parent / "experiment_results.json").read_text("utf-8"))
NUMBER = re.compile(r"\u2212?\d[\d,]*(?:\.\d+)?(?:e\u2212?\d+)?")

# The id of each experiment -> the page and the section that propose it.
PROPOSED = {
    "masks-own": ("masks", "your-sentence"),
    "masks-causality": ("masks", "causality"),
    "masks-padding": ("masks", "padding"),
    "inside-seven-steps": ("inside", "seven-steps"),
    "inside-one-query": ("inside", "one-query"),
    "inside-memory": ("inside", "memory"),
    "inside-scaling": ("inside", "scaling"),
    "inside-feed-forward": ("inside", "feed-forward"),
    "inside-add-norm": ("inside", "add-norm"),
    "decoding-step": ("decoding", "step-by-step"),
    "decoding-linear-softmax": ("decoding", "linear-softmax"),
    "decoding-beam-search": ("decoding", "beam-search"),
    "decoding-kv-cache": ("decoding", "kv-cache"),
    "decoding-one-stack": ("decoding", "one-stack"),
    "loss-tokens": ("loss", "token-by-token"),
    "loss-smoothing": ("loss", "smoothing-gradient"),
    "loss-heads-that-form": ("loss", "heads-that-form"),
    "tokens-step-by-step": ("tokens", "step-by-step"),
    "tokens-neighbours": ("tokens", "neighbours"),
    "tokens-dimensions": ("tokens", "dimensions"),
    "tokens-spelling": ("tokens", "spelling"),
    "tokens-contexts": ("tokens", "contexts"),
    "tokens-word-order": ("tokens", "word-order"),
    "positions-why-sinusoids": ("positions", "why-sinusoids"),
    "positions-rotation": ("positions", "rotation"),
    "positions-orthogonality": ("positions", "orthogonality"),
    "positions-basis": ("positions", "basis"),
    "positions-vectors": ("positions", "vectors"),
    "positions-other-models": ("positions", "other-models"),
    "positions-table": ("positions", "table"),
    "positions-similarity": ("positions", "similarity"),
    "inside-heads": ("inside", "heads"),
    "vision-patches": ("vision", "patches"),
    "positions-trained-model": ("positions", "trained-model"),
    "positions-compared": ("positions", "compared"),
    "history-one-word": ("history", "one-word"),
    "history-forgetting": ("history", "forgetting"),
    "history-gates": ("history", "gates"),
    "history-one-vector": ("history", "one-vector"),
    "history-attention-over-states": ("history", "attention-over-states"),
    "history-without-projections": ("history", "without-projections"),
    "history-recurrence": ("history", "recurrence"),
    "history-ladder": ("history", "ladder"),
    "positions-wavelengths": ("positions", "wavelengths"),
    "tokens-sizes": ("tokens", "sizes"),
    "decoding-teacher-forcing": ("decoding", "teacher-forcing"),
    "loss-training-curves": ("loss", "training-curves"),
    "vision-cls": ("vision", "cls"),
    "vision-any-patch": ("vision", "any-patch"),
    "vision-layers": ("vision", "layers"),
    "vision-positions": ("vision", "positions"),
    "vision-convolution": ("vision", "convolution"),
    "vision-heads": ("vision", "heads"),
    "vision-full-maps": ("vision", "full-maps"),
    "vision-causes": ("vision", "causes"),
    "vision-what-if": ("vision", "what-if"),
}


def result_after_press(id: str, sentence: str = SENTENCE) -> str:
    """Return the text of the result after the button was pressed."""
    page, part = PROPOSED[id]
    app = visit(page, text=sentence, **{PARTS[page][0]: part})
    assert results(app) == []
    app.button(key=f"try-{id}").click().run()
    assert not app.exception and not app.warning
    (result,) = results(app)
    assert all(button.key != f"try-{id}" for button in app.button)
    return result


def results(app) -> list[str]:
    return [element.value for element in app.markdown if element.value.startswith("**Result")]


def differences(text: str, expected: str) -> list[tuple[str, str]]:
    """Words and numbers that are not the expected ones; numbers may differ by what another processor rounds."""
    pairs = list(zip_longest(text.split(), expected.split(), fillvalue=""))
    return [(own, other) for own, other in pairs if own != other and not nearly_equal(own, other)]


def nearly_equal(own: str, other: str) -> bool:
    """Whether two words are the same but for a number in them that differs by at most one hundredth, or is rounding."""
    if NUMBER.sub("", own) != NUMBER.sub("", other):
        return False
    numbers = NUMBER.findall(own), NUMBER.findall(other)
    return len(numbers[0]) == len(numbers[1]) and np.allclose(*(list(map(value, each)) for each in numbers), 0.01, 1e-6)


def value(number: str) -> float:
    return float(number.replace("\u2212", "-").replace(",", ""))


def test_whole_results_are_compared():
    assert differences("It is 0.101 now.", "It is 0.1 now.") == [] == differences("by 5e\u221217.", "by 0.")
    assert differences("It is 0.15 now.", "It is 0.1 now.") == [("0.15", "0.1")]
    assert differences("une petite petite robe", "une petite robe") == [("petite", "robe"), ("robe", "")]


FIRST = {page: id for id, (page, _) in reversed(PROPOSED.items())}.values()  # one experiment of each page


@pytest.mark.parametrize("id", [id if id in FIRST else nightly(id, id=id) for id in PROPOSED])
def test_the_button_runs_the_experiment_and_its_result_is_shown(id):
    result = result_after_press(id)
    template = prose.block(PAGE, f"{id}-found")
    places = re.escape(re.sub(r"\{\w+\}", "\0", template)).replace("\\\x00", ".+?").replace("\x00", ".+?")
    assert re.fullmatch(places, result, re.DOTALL), result
    assert differences(result, RESULTS[id]) == []


def test_every_section_of_a_teaching_page_has_an_experiment():
    """`tests/browser/test_walk.py` compares the sections with `PARTS`."""
    teaching = ("vision", *(place.id for section in SECTIONS if section.label() == "Learn" for place in section.pages))
    assert sorted(PROPOSED.values()) == sorted((page, part) for page in teaching for part in PARTS[page][1])


def test_every_experiment_text_is_used():
    blocks = set(prose._blocks(PAGE, "en")[1]) - {""}
    assert blocks == {*PROPOSED, *(f"{id}-found" for id in PROPOSED)}


def test_the_results_equal_the_models(translator, trace):
    largest = trace.encoder_attention.max(axis=-1).mean(axis=(1, 2))
    result = result_after_press("inside-seven-steps")
    assert f"{three_digits(float(largest[-1]))} on average in layer {len(largest)}" in result
    assert f"{three_digits(float(largest[0]))} in layer 1" in result
    assert (
        "*étudiant*, with probability 0.500: its \u2212log\u00a0p is 0.693 of a total of 1.89 nats"
        in result_after_press("loss-tokens")
    )
    assert "differs by 0." in result_after_press("decoding-linear-softmax") or "e\u2212" in result_after_press(
        "decoding-linear-softmax"
    )
    assert result_after_press("positions-rotation").endswith("by 0.")
    assert re.search(r"from layer [1-6] on", result_after_press("vision-causes"))
    assert np.isclose(
        float(re.search(r"becomes|(\S+) over one period", result_after_press("positions-orthogonality"))[1]), 1
    )
