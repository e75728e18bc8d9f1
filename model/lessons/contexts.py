"""One word in several sentences: find it, and follow its vectors from layer to layer."""

import re
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..networks.transformer import Transformer
from ..sentence_check import InputError
from ..text.tokenizer import Tokenizer
from ..tracing.trace import LayerStacks, StackPlan, stream_stack
from .embedding import recompute_embedding

LONGEST_WORD = 24  # tokens; longer runs are not searched


def stage_names(layers: int) -> tuple[str, ...]:
    """Names of the stages at which a vector is recorded: before the positions, after them, and after each layer."""
    return ("embedding", "with position", *(f"layer {layer + 1}" for layer in range(layers)))


@torch.inference_mode()
def encoder_stages(network: Transformer, tokenizer: Tokenizer, ids: list[int]) -> np.ndarray:
    """Vectors of all tokens at every stage of the encoder, which reads `ids` that end with `</s>`.

    `(stage, S, d_model)` float32; stages as `stage_names` gives them. The first is the embedding row x sqrt(d_model),
    before the positions.
    """
    stacks = LayerStacks(StackPlan.of(stream_stack("encoder", network.config.n_encoder_layers)))
    network.encode(network.ids(ids), None, stacks)
    return np.stack([recompute_embedding(network, tokenizer, ids).scaled, *stacks.array("encoder.stream")])


def find_word(tokenizer: Tokenizer, ids: list[int], word: str) -> tuple[int, int] | None:
    """Find the first run of tokens that spells `word` as a whole word, ignoring case; None where there is none.

    Returns the index of its first token and the one after its last.
    """
    target = tokenizer.normalize(word).casefold()
    tokens = tokenizer.tokens(ids)
    begins = [place == 0 or _begins(tokens[place - 1], token) for place, token in enumerate(tokens)]
    for start in range(len(ids)):
        if not begins[start]:
            continue
        for end in range(start + 1, min(len(ids), start + LONGEST_WORD) + 1):
            whole = end == len(ids) or begins[end]
            if whole and target and tokenizer.decode(ids[start:end]).casefold() == target:
                return start, end
    return None


def with_adjective(sentence: str, word: str, adjective: str) -> str:
    """Insert `adjective` before the first whole `word` of `sentence`, ignoring case; unchanged without one."""
    match = re.search(rf"(?<!\w){re.escape(word.strip())}(?!\w)", sentence, re.IGNORECASE)
    return f"{sentence[: match.start()]}{adjective.strip()} {sentence[match.start() :]}" if match else sentence


def _begins(before: str, token: str) -> bool:
    """True unless `token` continues the word of the token before it: both meet in letters, digits or bytes."""
    joins = token[:1].isalnum() or token.startswith("<0x")
    return not joins or not (before[-1:].isalnum() or before.startswith("<0x"))


@dataclass(frozen=True, eq=False)
class WordInContexts:
    """A word's vectors in several sentences. A word of several tokens is the mean of their vectors."""

    stages: tuple[str, ...]  # names, see `stage_names`
    # of the word in each sentence: its first token and the one after its last
    places: tuple[tuple[int, int], ...]
    vectors: np.ndarray  # `(sentence, stage, d_model)` float32
    pairs: tuple[tuple[int, int], ...]  # two sentences each
    cosines: np.ndarray  # `(pair, stage)` float64
    projection: np.ndarray  # `(sentence, stage, 2)`: the vectors on their first two principal components
    explained: np.ndarray  # `(2,)`: share of the variance along each component
    difference: float  # largest |difference| of `cosines` to `torch.nn.functional.cosine_similarity`


def follow_word(network: Transformer, tokenizer: Tokenizer, sentences: list[str], word: str) -> WordInContexts:
    """Record `word` in the encoder in each of `sentences`, at least two that the translator accepts.

    Raises:
        InputError: the word is empty or a sentence does not have it; the message states which.
    """
    if not word.strip():
        raise InputError("There is no word to follow yet: type one that all sentences have.")
    places: list[tuple[int, int]] = []
    stages: list[Tensor] = []
    for number, sentence in enumerate(sentences, 1):
        ids = tokenizer.encode_source(sentence)
        place = find_word(tokenizer, ids[:-1], word)
        if place is None:
            raise InputError(
                "Sentence {number} does not have the word \u201c{word}\u201d as a whole word.",
                number=number,
                word=word.strip(),
            )
        places.append(place)
        stages.append(torch.from_numpy(encoder_stages(network, tokenizer, ids)))  # (stage, S, d_model)
    # program: contexts
    followed = [stage[:, first:behind].mean(dim=1) for stage, (first, behind) in zip(stages, places, strict=True)]
    vectors = torch.stack(followed)  # (sentence, stage, d_model), means over the word's tokens
    pairs = [(one, two) for one in range(len(vectors)) for two in range(one + 1, len(vectors))]
    exact, lengths = vectors.double(), vectors.double().norm(dim=-1)
    cosines = [(exact[one] * exact[two]).sum(dim=-1) / (lengths[one] * lengths[two]) for one, two in pairs]  # (stage,)
    # end of program
    reference = [torch.nn.functional.cosine_similarity(vectors[one], vectors[two], dim=-1) for one, two in pairs]
    difference = float((torch.stack(cosines) - torch.stack(reference)).abs().max())
    projection, explained = principal_plane(vectors)
    return WordInContexts(
        stage_names(network.config.n_encoder_layers),
        tuple(places),
        vectors.numpy(),
        tuple(pairs),
        torch.stack(cosines).numpy(),
        projection,
        explained,
        difference,
    )


def principal_plane(vectors: Tensor) -> tuple[np.ndarray, np.ndarray]:
    """Principal components: `(..., d_model)` on its two widest directions, `(..., 2)`, and their variance shares.

    The sign of a direction is free; it is chosen so that its largest entry is positive. Both are float64, the
    shares `(2,)`.
    """
    # program: plane
    flat = vectors.double().flatten(0, -2)
    centred = flat - flat.mean(dim=0)
    _, sizes, directions = torch.linalg.svd(centred, full_matrices=False)
    explained = sizes[:2].square() / sizes.square().sum()  # by the two directions of the plane
    # end of program
    plane = directions[:2]  # (2, d_model)
    plane = plane * plane.gather(1, plane.abs().argmax(dim=1, keepdim=True)).sign()
    projected = (centred @ plane.T).unflatten(0, vectors.shape[:-1])
    return projected.numpy(), explained.nan_to_num().numpy()
