"""A tiny network with random weights, and its trace of one pair of sentences."""

from model.networks.transformer import Transformer
from model.text.tokenizer import Tokenizer
from model.tracing.trace import Trace, record_trace
from tests.model.networks import tiny_network

SOURCE, TARGET = "the cat sees a dog", "le chat voit un chien"


def traced_network(tokenizer: Tokenizer) -> tuple[Transformer, Trace]:
    """Create the network, and its trace of the pair."""
    network = tiny_network(vocabulary_size=len(tokenizer))
    target = tokenizer.encode_target(TARGET)
    return network, record_trace(network, tokenizer, tokenizer.encode_source(SOURCE), target[:-1], target[1:])
