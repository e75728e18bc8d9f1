"""The section *Logit attribution* shows parts that sum to the logit."""

import numpy as np
import pytest

from model.causal.logit_attribution import LogitAttribution
from pages.shared.causes.logit_bars import SHOWN, single_parts, strongest_first, summed_parts
from tests.pages.charts import check_caption
from tests.pages.reading import table
from views.text.numbers import three_digits

NAMES = {"decoder": "Decoder", "cross": "Cross"}


def random_parts() -> LogitAttribution:
    generator = np.random.default_rng(0)
    heads = {kind: generator.normal(size=(3, 4)) for kind in NAMES}
    biases = dict.fromkeys(("attention", "feed_forward", "norms", "output"), 0.25)
    feed_forward = generator.normal(size=3)
    empty = LogitAttribution(1, None, 0, heads, feed_forward, 0.5, -2.0, biases, 0.0)
    return LogitAttribution(1, None, 0, heads, feed_forward, 0.5, -2.0, biases, empty.total)


def test_every_view_sums_to_the_logit():
    attribution = random_parts()
    every, summed = list(single_parts(attribution, NAMES)), list(summed_parts(attribution, NAMES))
    assert len(every) == 2 + 3 * (2 * 4 + 1) + 4 and len(summed) == 2 + 3 * 3 + 4
    strongest = strongest_first(every)
    assert len(strongest) == SHOWN + 1 and strongest[-1].name == f"{len(every) - SHOWN} other parts"
    for parts in (every, summed, strongest):
        assert sum(part.value for part in parts) == pytest.approx(attribution.logit, abs=1e-12)
    sizes = [abs(part.value) for part in strongest[:-1]]
    assert sizes == sorted(sizes, reverse=True)
    assert strongest_first(every[:3]) == sorted(every[:3], key=lambda part: -abs(part.value))


@pytest.mark.parametrize("view", ["strongest", "sublayers"])
def test_the_page_shows_the_models_parts(open_app, translator, trace, view):
    rival = next(each.id for each in trace.predictions()[4].top if each.id != trace.next_ids[4])
    app = open_app("circuits", part="logit", position="5", minus=str(rival), parts=view)
    attribution = translator.logit_attribution(trace, trace.next_ids[4], rival, 4)
    rows = {row[0]: row[1] for row in table(app, "Parts of the logit")[1:]}
    assert rows["sum: the logit"] == three_digits(attribution.logit)
    names = {"encoder": "Encoder", **NAMES}
    parts = list((summed_parts if view == "sublayers" else single_parts)(attribution, names))
    expected = parts if view == "sublayers" else strongest_first(parts)
    assert {part.name: three_digits(part.value) for part in expected}.items() <= rows.items()
    assert attribution.logit == pytest.approx(
        float(trace.logits[4, trace.next_ids[4]] - trace.logits[4, rival]), abs=1e-4
    )
    assert three_digits(attribution.total) in check_caption(app, "All parts together")


def test_a_rival_of_another_token_counts_as_none(open_app):
    app = open_app("circuits", part="logit", position="1", minus="99999999")
    assert app.selectbox(key="minus").value == "none"
