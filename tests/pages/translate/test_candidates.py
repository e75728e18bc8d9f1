"""Candidates of the stage: of the model, and of a draw by temperature."""

import numpy as np
import pytest
import torch

from model import DecodingOptions
from model.decoding.search import sampling_probabilities
from pages.shared.models import open_service
from pages.translate.candidates import chances, drawn_chances
from tests.pages.translate.test_stage import header_of
from views.controls.sentence_input import TIRED


@pytest.mark.parametrize(
    "options", [{"temperature": 0.5}, {"temperature": 2.5, "seed": 4}, {"top_k": 3}, {"top_p": 0.4}]
)
def test_draws_are_the_probabilities_of_sampling(options):
    service = open_service()
    decoding = DecodingOptions("sampling", **options)
    trace = service.trace("The old man is reading.", decoding)
    never = list(service.model.config.never_generated)
    rows = zip(chances(trace), drawn_chances(service, trace, decoding), trace.predictions(5), trace.logits, strict=True)
    for plain, place, row, logits in rows:
        assert (place.token, place.probability, place.top[:5]) == (plain.token, plain.probability, plain.top)
        ids = [each.id for each in row.top] + [row.id] * (len(place.top) - 5)
        assert row.id in ids and len(place.draws) == len(place.top)
        allowed = torch.from_numpy(logits.copy())
        allowed[never] = -torch.inf
        used = sampling_probabilities(allowed, decoding.temperature, decoding.top_k, decoding.top_p).numpy()
        np.testing.assert_allclose(place.draws, used[ids], atol=1e-6)
        assert place.draws[ids.index(row.id)] > 0


def test_the_page_sends_draws_of_a_sample_alone(open_app):
    assert header_of(open_app(text=TIRED))["drawn"] is None
    header = header_of(open_app(text=TIRED, method="sampling", temperature="2.0", seed="3"))
    assert header["decoding"] == {"method": "sampling", "temperature": 2.0, "seed": 3}
    assert [len(draws) for draws in header["drawn"]] == [len(place) // 2 for place in header["places"]]
    assert any(len(draws) == 6 for draws in header["drawn"])
