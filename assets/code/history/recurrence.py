from model import TransformerConfig

source = 8  # yours
target = 9  # yours


def steps(network: str, generated: bool) -> int:  # sub-layers that wait for each other, all others done meanwhile
    if network == "transformer":
        encoded = 2 * TransformerConfig().n_encoder_layers  # attention and feed-forward, all tokens at once
        cell = 0
    else:
        encoded = cell = source  # one token after the other, both directions at the same time
    done = 0
    for _ in range(target):
        token = done if generated else 0  # the output of the place before, or a given token
        if network == "transformer":
            for _ in range(TransformerConfig().n_decoder_layers):
                token = max(token + 1, encoded) + 2  # attention to the target; to the source, and feed-forward
            done = token
        else:
            cell = max(token, cell + (network == "lstm-additive")) + 1  # additive: attention comes before the cell
            done = cell + (network == "lstm-dot")  # dot product: after it
    return done


networks = ("rnn-vector", "lstm-vector", "lstm-additive", "lstm-dot", "transformer")
given, decoding = ([steps(network, generated) for network in networks] for generated in (False, True))
