"""Parameter counts from the sizes alone."""

import pytest

from model import TransformerConfig
from model.networks.config import part_sizes
from model.networks.transformer import Transformer, parameter_count


@pytest.mark.parametrize(
    "config",
    [
        TransformerConfig.preset("tiny"),
        TransformerConfig.preset("tiny", n_heads=4, n_encoder_layers=1, n_decoder_layers=3, d_ff=10),
        TransformerConfig(vocabulary_size=50),
    ],
)
def test_the_formula_counts_the_networks_parameters(config):
    assert sum(part.total for part in part_sizes(config)) == parameter_count(Transformer(config))


def test_the_papers_base_model_has_its_65_million():
    total = sum(part.total for part in part_sizes(TransformerConfig.preset("base")))
    assert total == pytest.approx(65e6, rel=0.04)


def test_the_number_of_heads_changes_no_count():
    one, eight = (part_sizes(TransformerConfig(n_heads=heads)) for heads in (1, 8))
    assert one == eight
