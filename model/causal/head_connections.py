"""Which heads can pass something on to which: by the order of the layers, and from the encoder to the decoder."""

from dataclasses import dataclass

from ..tracing.kinds import AttentionKind
from .resumable import ResumableNetwork

INPUTS = ("queries", "keys", "values")


@dataclass(frozen=True)
class Connection:
    """A kind of edge: from the outputs of heads of one kind to one input of heads of another."""

    sender: AttentionKind
    receiver: AttentionKind
    input: str  # one of `INPUTS`

    @property
    def name(self) -> str:
        """Its id in files: `encoder_cross_keys`."""
        return f"{self.sender.name}_{self.receiver.name}_{self.input}"

    def allows(self, sender_layer: int, receiver_layer: int) -> bool:
        """Whether a head of `receiver_layer` can depend on one of `sender_layer`, both from 0."""
        if self.sender.stack != self.receiver.stack:
            return True  # the decoder reads what the whole encoder made
        # a decoder layer has masked self-attention before cross-attention
        earlier = self.sender.square and not self.receiver.square
        return sender_layer < receiver_layer or (earlier and sender_layer == receiver_layer)


def connections(resumable: ResumableNetwork) -> list[Connection]:
    """All kinds of edges of a network."""
    return [
        Connection(sender, receiver, name)
        for sender in resumable.kinds
        for receiver in resumable.kinds
        for name in INPUTS
        if sender.stack == (receiver.stack if name == "queries" else resumable.key_stack(receiver))
    ]
