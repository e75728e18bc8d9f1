from math import inf

from model import TransformerConfig

source = 8  # yours
target = 9  # yours
start = 1  # yours
end = "t9"  # yours


def passed(network: str, start: int) -> tuple[list[float], list[float]]:  # sub-layers: to encoder places, to outputs
    both = network in ("lstm-additive", "lstm-dot")  # the encoder reads in both directions, else backwards
    back = [start - place + 1 if place <= start else inf for place in range(source)]
    forth = [place - start + 1 if both and place >= start else inf for place in range(source)]
    cell = min(back[0], forth[-1]) if network == "lstm-dot" else back[0]  # the last states that the decoder starts from
    states, outputs = list(map(min, back, forth)), []
    if network == "transformer":  # one attention; to an output: all of the encoder, attention to it, and feed-forward
        return [1] * source, [2 * TransformerConfig().n_encoder_layers + 2] * target
    for _ in range(target):
        context = 1 + min(cell, *states) if network == "lstm-additive" else inf  # attention before the cell
        cell = 1 + min(cell, context)
        context = 1 + min(cell, *states) if network == "lstm-dot" else context  # or after it
        outputs.append(min(cell, context))
    return states, outputs


right, left, output, path = {}, {}, {}, {}
for network in ("rnn-vector", "lstm-vector", "lstm-additive", "lstm-dot", "transformer"):
    (from_first, last_output), (from_last, _) = passed(network, 0), passed(network, source - 1)
    right[network], left[network], output[network] = from_first[-1], from_last[0], last_output[-1]
    path[network] = passed(network, start - 1)[end[0] == "t"][int(end[1:]) - 1]  # between the two that are chosen
