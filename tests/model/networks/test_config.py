import pytest

from model.networks.config import PRESETS, TransformerConfig


def test_the_papers_base_sizes():
    base = TransformerConfig.preset("base")
    assert (base.d_model, base.n_encoder_layers, base.n_decoder_layers, base.n_heads) == (512, 6, 6, 8)
    assert base.d_k == 512 // 8 == 64
    assert base.d_ff == 4 * base.d_model == 2048
    assert base.dropout == 0.1


def test_every_preset_has_the_papers_feed_forward_ratio():
    for name in PRESETS:
        config = TransformerConfig.preset(name)
        assert config.d_ff == 4 * config.d_model


def test_a_width_not_divisible_by_the_heads_is_refused_with_both_numbers():
    with pytest.raises(ValueError, match=r"d_model 250 is not divisible by n_heads 8.*multiple of 8"):
        TransformerConfig(d_model=250)


def test_an_odd_width_is_refused():
    with pytest.raises(ValueError, match="d_model 15 is odd"):
        TransformerConfig(d_model=15, n_heads=3)


@pytest.mark.parametrize("field", ["d_model", "n_heads", "n_encoder_layers", "d_ff", "vocabulary_size"])
def test_a_size_of_zero_is_refused_by_name(field):
    with pytest.raises(ValueError, match=f"{field} is 0"):
        TransformerConfig(**{field: 0})


@pytest.mark.parametrize("dropout", [-0.1, 1.0])
def test_dropout_outside_its_range_is_refused(dropout):
    with pytest.raises(ValueError, match="outside"):
        TransformerConfig(dropout=dropout)


def test_an_unknown_preset_is_refused_with_the_choices():
    with pytest.raises(ValueError, match="base"):
        TransformerConfig.preset("huge")


def test_a_config_survives_being_written_and_read():
    config = TransformerConfig.preset("tiny", dropout=0.3)
    assert TransformerConfig.from_dict(config.to_dict()) == config


def test_an_unknown_key_is_refused_by_name():
    with pytest.raises(ValueError, match="n_layers"):
        TransformerConfig.from_dict({"n_layers": 3})
