"""Sizes of the encoder-decoder Transformer, this project's presets, and the number of parameters that follows."""

from dataclasses import asdict, dataclass, fields
from typing import Literal, Self, get_args

from ..runtime.messages import UserError

# "sinusoidal" (Vaswani et al. 2017, section 3.5) and "learned" (Gehring et al. 2017, section 3.1) are added to the
# embeddings; "rotary" (Su et al. 2021) and "alibi" (Press et al. 2022) are in `model.networks.relative_positions`
PositionKind = Literal["sinusoidal", "learned", "rotary", "alibi", "none"]
POSITION_KINDS: tuple[PositionKind, ...] = get_args(PositionKind)


class SizeError(UserError, ValueError):
    """A size of a network is not possible, or does not fit another one."""


@dataclass(frozen=True)
class NetworkConfig:
    """Base of the sizes of all networks: reading, writing and checking."""

    @classmethod
    def from_dict(cls, values: dict) -> Self:
        """Create from what `to_dict` returned.

        Raises:
            ValueError: a key is unknown, or sizes do not fit together.
        """
        unknown = sorted(set(values) - {field.name for field in fields(cls)})
        if unknown:
            raise ValueError(f"The configuration has unknown keys: {', '.join(unknown)}.")
        return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})

    def to_dict(self) -> dict:
        """Return all fields as plain values, for JSON."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    def check_positive(self, *names: str) -> None:
        """Check that these fields are at least 1.

        Raises:
            SizeError: one is not; the message names it.
        """
        for name in names:
            if getattr(self, name) < 1:
                raise SizeError("{name} is {value}; it must be at least 1.", name=name, value=getattr(self, name))


class SequenceConfig(NetworkConfig):
    """Base of the sizes of all networks that generate tokens; subclasses are dataclasses with these fields."""

    vocabulary_size: int
    d_model: int
    pad_id: int
    unk_id: int
    bos_id: int
    eos_id: int
    max_positions: int

    @property
    def never_generated(self) -> tuple[int, ...]:
        """Ids that decoding never chooses, `<pad>`, `<unk>` and `<s>`; label smoothing leaves them some probability."""
        return self.pad_id, self.unk_id, self.bos_id


@dataclass(frozen=True)
class TransformerConfig(SequenceConfig):
    """Hyperparameters of "Attention Is All You Need" (Vaswani et al. 2017, table 3).

    Raises:
        SizeError: a size is not positive, `d_model` is odd or not divisible by `n_heads`, `d_k` is odd with rotary
            positions, `dropout` is outside [0, 1), or there is no such kind of positions; the message states what to
            change.
    """

    vocabulary_size: int = 8000
    d_model: int = 256  # width of the residual stream
    n_heads: int = 8
    n_encoder_layers: int = 4
    n_decoder_layers: int = 4
    d_ff: int = 1024  # width of the feed-forward layer, 4 d_model in the paper
    dropout: float = 0.1  # on each sub-layer's output and on the embedding sums (section 5.4)
    max_positions: int = 512  # tokens of the longest sequence; rows of the table of sinusoidal or learned positions
    pad_id: int = 0
    unk_id: int = 1
    bos_id: int = 2
    eos_id: int = 3
    positions: PositionKind = "sinusoidal"

    def __post_init__(self) -> None:
        self.check_positive("vocabulary_size", "d_model", "n_heads", "n_encoder_layers", "n_decoder_layers", "d_ff")
        self.check_positive("max_positions")
        if self.d_model % self.n_heads:
            raise SizeError(
                "d_model {d_model} is not divisible by n_heads {n_heads}: every head needs the same "
                "d_k = d_model / n_heads. Choose a d_model that is a multiple of {n_heads}.",
                d_model=self.d_model,
                n_heads=self.n_heads,
            )
        if self.d_model % 2:
            raise SizeError(
                "d_model {d_model} is odd; sines and cosines come in pairs, so make it even.", d_model=self.d_model
            )
        if not 0 <= self.dropout < 1:
            raise SizeError("dropout {dropout} is outside [0, 1).", dropout=self.dropout)
        if self.positions not in POSITION_KINDS:
            raise SizeError(
                "There are no positions of the kind {positions}; choose one of {kinds}.",
                positions=self.positions,
                kinds=", ".join(POSITION_KINDS),
            )
        if self.positions == "rotary" and self.d_k % 2:
            raise SizeError(
                "d_k {d_k} is odd; rotary positions rotate pairs of numbers, so make d_model / n_heads even.",
                d_k=self.d_k,
            )

    @property
    def d_k(self) -> int:
        """Width of one head's queries, keys and values: d_model / n_heads (section 3.2.2)."""
        return self.d_model // self.n_heads

    @classmethod
    def preset(cls, name: str, **changes) -> "TransformerConfig":
        """Return the preset called `name` (a key of `PRESETS`), with single fields changed by keyword.

        Raises:
            ValueError: there is no such preset, or the sizes do not fit together.
        """
        if name not in PRESETS:
            raise ValueError(f"There is no preset {name!r}; choose one of {', '.join(PRESETS)}.")
        return cls(**{**PRESETS[name], **changes})


PRESETS: dict[str, dict] = {
    "tiny": dict(vocabulary_size=64, d_model=16, n_heads=2, n_encoder_layers=2, n_decoder_layers=2, d_ff=64),
    "small": dict(),  # the shipped translator
    "base": dict(
        vocabulary_size=37000, d_model=512, n_heads=8, n_encoder_layers=6, n_decoder_layers=6, d_ff=2048
    ),  # the paper's base model
}


@dataclass(frozen=True)
class PartSize:
    """A kind of sub-layer or table, `name` its id: how many there are, and how many trained numbers each has."""

    name: str
    count: int
    parameters: int

    @property
    def total(self) -> int:
        """Trained numbers of all of them."""
        return self.count * self.parameters


def part_sizes(config: TransformerConfig) -> list[PartSize]:
    """List every part of the network with its trained numbers (Vaswani et al. 2017, section 3).

    Attention has four d_model x d_model matrices whatever the number of heads is, feed-forward two of
    d_model x d_ff, each with a bias; the output projection is the embedding table again (section 3.4). Only learned
    positions have trained numbers.
    """
    width, inner = config.d_model, config.d_ff
    encoder, decoder = config.n_encoder_layers, config.n_decoder_layers
    table = [PartSize("positions", 1, config.max_positions * width)] if config.positions == "learned" else []
    return [
        PartSize("embedding", 1, config.vocabulary_size * width),
        *table,
        PartSize("attention", encoder + 2 * decoder, 4 * (width * width + width)),
        PartSize("feed-forward", encoder + decoder, 2 * width * inner + inner + width),
        PartSize("layer-norm", 2 * encoder + 3 * decoder, 2 * width),
    ]
