"""The package under two names in one process, `model` and `attention_atlas.model`, as in a notebook of a checkout."""

from __future__ import annotations

import numpy as np
import pytest

import attention_atlas
import model
from tests.model.hub.tiny_pictured import WORDS, build, picture


@pytest.mark.parametrize("first, second", [(model, attention_atlas), (attention_atlas, model)])
def test_each_name_records_what_its_own_model_computes(first, second):
    opened = []
    for package in (first, second, first):
        network, processor = build("llava")
        opened.append(package.open_model(network, reader=processor, device="cpu"))
    weights = [each.trace(WORDS, picture=[picture(0)]).attention("decoder") for each in opened]
    for other in weights[1:]:
        np.testing.assert_array_equal(other, weights[0])
