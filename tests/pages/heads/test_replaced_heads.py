"""Heads replaced in other ways than by zero, and pairs of them: as the model computes them."""

import numpy as np
import pytest

from tests.pages.drawn import matrices
from tests.pages.reading import table
from tests.tiers import nightly
from views.controls.sentence_input import EXAMPLES
from views.text.numbers import three_digits


@pytest.mark.parametrize("replacement", ["mean", nightly("zero"), nightly("resample")])
def test_the_strongest_heads_and_their_pairs(open_app, translator, trace, replacement):
    app = open_app("heads", replacement=replacement)
    others = [translator.trace(text) for text in EXAMPLES if text != "I want to buy a car."]
    options = {"others": others} if replacement == "resample" else {}
    result = translator.replace_heads(trace, replacement, **options)
    rows = table(app, "Heads whose replacement matters")[1:]
    effects = [result.effects[kind][layer, head] for kind, layer, head in result.leading]
    assert [row[1] for row in rows] == [three_digits(float(effect)) for effect in effects]
    assert rows[0][0].endswith(f"{result.leading[0][1] + 1}.{result.leading[0][2] + 1}")
    assert (len(rows[0]) == 3) == (replacement == "resample")
    drawn = matrices(app)
    np.testing.assert_allclose(drawn["Change without both"][1], result.pairs, atol=1e-5)
    np.testing.assert_allclose(drawn["Change beyond the sum of both"][1], result.interactions, atol=1e-5)
    (line,) = [each.value for each in app.caption if "replaced by its own output" in each.value]
    assert "rounding stays below 1e\u22125" in line
    assert ("2,000 validation" in " ".join(each.value for each in app.caption)) == (replacement == "mean")


def test_nothing_is_computed_until_it_is_asked_for(open_app):
    app = open_app("heads")
    assert "Change without both" not in matrices(app)
