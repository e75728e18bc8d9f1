"""What if: probabilities and maps equal the network's under the intervention of the address."""

from __future__ import annotations

import numpy as np
import pytest

from model import HeadInterventions
from model.attribution.trace_comparison import attention_shift
from model.tracing.head_interventions import Forbid, OneHot, Scale, Temperature
from tests.model.images import CLASSES
from tests.pages.charts import check_caption
from tests.pages.drawn import matrices
from tests.pages.reading import table
from tests.pages.vision.views import open_view, service, trace
from views.controls import painted
from views.text.numbers import percent, points

ALL = ((1, 0), (1, 1))  # of the middle layer: selected where the address has an intervention without heads
EVERY = ((0, 0), (0, 1), *ALL)  # the initially selected heads
HIDDEN = np.array([[0, 0, 0], [0, 1, 1], [0, 0, 0]], dtype=bool)
CASES = [
    ({}, Scale("vision", EVERY, 0.0), 2),
    ({"vdo": "Scale", "vfactor": "3", "vheads2": "2"}, Scale("vision", ((1, 1),), 3.0), 2),
    ({"vdo": "Sharpen", "vheat": "0.5", "vheads1": "1"}, Temperature("vision", ((0, 0), *ALL), 0.5), 2),
    ({"vdo": "Mask", "vhidden": painted.encode(HIDDEN)}, Forbid("vision", ALL, (5, 6)), 1),
    ({"vdo": "Force a look", "vasks": "cls", "row": "3", "column": "1"}, OneHot("vision", ALL, 7, 0), 1),
]


@pytest.mark.parametrize(("query", "change", "checks"), CASES)
def test_link_sets_its_intervention(query, change, checks):
    app = open_view("what_if", layer="2", head="1", **query)
    expected = service().model.intervene(trace(), HeadInterventions((change,))).after
    rows = table(app, "Probabilities")[1:]
    pairs = zip(CLASSES, trace().probabilities.astype(float), expected.probabilities.astype(float), strict=True)
    assert rows == [[name, percent(old), percent(new), points(new - old)] for name, old, new in pairs]
    drawn = matrices(app)
    before, after = (side.attention[1, 0, 0, 1:].reshape(3, 3) for side in (trace(), expected))
    np.testing.assert_allclose(drawn["before"][1], before, atol=1e-6)
    np.testing.assert_allclose(drawn["after"][1], after, atol=1e-6)
    np.testing.assert_allclose(drawn["after minus before"][1], after - before, atol=1e-6)
    np.testing.assert_allclose(drawn["Vision"][1], attention_shift(trace().attention, expected.attention), atol=1e-6)
    line = check_caption(app, "Recomputed in double")
    assert line.count("largest difference") == checks and not app.warning


def test_painting_hides_patches_and_nonsense_falls_back():
    app = open_view("what_if", vdo="Mask", vhidden="3-!!", vheadskept="x", vheads2="99")
    assert matrices(app)["May be attended to"][1].all()
    app.button(key="vmiddle").click().run()
    assert app.query_params["vhidden"] == painted.encode(matrices(app)["May be attended to"][1] == 0)
    assert (matrices(app)["after"][1] == 0).any()
    app.button(key="vshow").click().run()
    assert "vhidden" not in app.query_params and not app.exception


def test_the_address_states_the_opening_until_something_is_changed():
    app = open_view("what_if")
    assert {name: app.query_params[name] for name in ("vdo", "vheads1", "vheads2")} == {
        "vdo": "ablate",
        "vheads1": ["1", "2"],
        "vheads2": ["1", "2"],
    }
    assert not app.expander[0].proto.expanded
    assert "layer 1, 2 head 1, 2" in "".join(each.value for each in app.markdown).replace("\\", "")
