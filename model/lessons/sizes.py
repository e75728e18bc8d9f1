"""Where the numbers of a Transformer are: trained parameters of each part, from the sizes alone."""

from dataclasses import dataclass

from model.networks.config import TransformerConfig


@dataclass(frozen=True)
class PartSize:
    """One kind of part, `name` its id: how often it is there, and how many trained numbers one of it has."""

    name: str
    count: int
    parameters: int

    @property
    def total(self) -> int:
        """Trained numbers of all of them."""
        return self.count * self.parameters


def part_sizes(config: TransformerConfig) -> list[PartSize]:
    """Every part of the network with its trained numbers (Vaswani et al. 2017, section 3).

    Attention has four d_model x d_model matrices whatever the number of heads is, feed-forward two of
    d_model x d_ff, each with a bias; the output projection is the embedding table again (section 3.4).
    """
    width, inner = config.d_model, config.d_ff
    encoder, decoder = config.n_encoder_layers, config.n_decoder_layers
    return [
        PartSize("embedding", 1, config.vocabulary_size * width),
        PartSize("attention", encoder + 2 * decoder, 4 * (width * width + width)),
        PartSize("feed-forward", encoder + decoder, 2 * width * inner + inner + width),
        PartSize("layer-norm", 2 * encoder + 3 * decoder, 2 * width),
    ]
