"""Sizes of the networks before the Transformer, and the four this project trains."""

from __future__ import annotations

from dataclasses import dataclass

from .config import SequenceConfig

CELLS = ("rnn", "lstm")
ALIGNMENTS = ("none", "additive", "dot")
READS = {"forwards": ("forwards",), "backwards": ("backwards",), "both": ("forwards", "backwards")}


@dataclass(frozen=True)
class RecurrentConfig(SequenceConfig):
    """An encoder and a decoder of recurrent cells, one layer each.

    Raises:
        ValueError: a size or a choice is out of range, or two of them do not fit; the message states which.
    """

    vocabulary_size: int = 8000
    cell: str = "lstm"
    """ "rnn" (Elman 1990) or "lstm" (Hochreiter and Schmidhuber 1997; forget gate by Gers et al. 2000)."""
    alignment: str = "none"
    """ "none" only starts the decoder with the encoder's last state (Sutskever et al. 2014, section 2); "additive"
    attends as Bahdanau et al. (2015) do, "dot" as Luong et al. (2015) do.
    """
    d_model: int = 256
    """Width of the embeddings, which source, target and output layer share."""
    encoder_width: int = 448
    """Units of the encoder in one direction."""
    decoder_width: int = 448
    """Units of the decoder."""
    alignment_width: int = 0
    """Units inside the additive score; 0 for the others."""
    reads: str = "forwards"
    """The encoder reads "forwards", "backwards" (the last token first: the reversed source of Sutskever et al. 2014,
    section 3.3), or "both", with the two states of a token concatenated (Bahdanau et al. 2015).
    """
    dropout: float = 0.1  # on the embeddings and on the input of the output layer
    max_positions: int = 512  # most steps of the encoder and of the decoder
    pad_id: int = 0
    unk_id: int = 1
    bos_id: int = 2
    eos_id: int = 3

    def __post_init__(self) -> None:
        self.check_positive("vocabulary_size", "d_model", "encoder_width", "decoder_width", "max_positions")
        for name, choices in (("cell", CELLS), ("alignment", ALIGNMENTS), ("reads", READS)):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} is {getattr(self, name)!r}; choose one of {', '.join(choices)}.")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout {self.dropout} is outside [0, 1).")
        if (self.alignment == "additive") != (self.alignment_width > 0):
            raise ValueError(f"alignment_width is {self.alignment_width}; additive alignment alone needs one above 0.")
        if self.alignment == "additive" and self.reads != "both":
            raise ValueError('Additive alignment starts its decoder from the backward states: set reads to "both".')
        if self.alignment != "additive" and self.state_width != self.decoder_width:
            raise ValueError(
                f"The encoder's states are {self.state_width} wide and the decoder's {self.decoder_width}; "
                f"with alignment {self.alignment!r} they must be alike."
            )

    @property
    def state_width(self) -> int:
        """Width of one encoder state, both directions together."""
        return self.encoder_width * len(READS[self.reads])

    @property
    def context_width(self) -> int:
        """Width of the context vector; 0 without alignment."""
        return 0 if self.alignment == "none" else self.state_width

    @classmethod
    def preset(cls, kind: str, **changes) -> RecurrentConfig:
        """Return the network called `kind` (a key of `VARIANTS`), with single fields changed by keyword."""
        if kind not in VARIANTS:
            raise ValueError(f"There is no recurrent network {kind!r}; choose one of {', '.join(VARIANTS)}.")
        return cls(**{**VARIANTS[kind], **changes})


VARIANTS: dict[str, dict] = {
    "rnn-vector": dict(cell="rnn", reads="backwards"),
    "lstm-vector": dict(cell="lstm", reads="backwards"),
    "lstm-additive": dict(
        alignment="additive", reads="both", encoder_width=192, decoder_width=384, alignment_width=192
    ),
    "lstm-dot": dict(alignment="dot", reads="both", encoder_width=224),
}
