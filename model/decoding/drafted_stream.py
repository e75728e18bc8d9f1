"""Greedy decoding of one sentence with the translation of a similar one as draft, such as before another word is typed.

One pass verifies many tokens of the draft at once (Leviathan et al. 2023, section 2, with greedy choices). The tokens
are those of `model.decoding.search.stream`; probabilities differ by rounding, since several positions share a product.
"""

from collections.abc import Iterator, Sequence

import torch

from ..networks.transformer import Transformer
from .search import TokenStep, top_candidates
from .tapped_decoding import SPARE, guess_next


@torch.inference_mode()
def stream_with_draft(
    network: Transformer, source: Sequence[int], draft: Sequence[int], max_length: int
) -> Iterator[TokenStep]:
    """Translate one sentence greedily and yield each step; the last has `finished` set.

    Args:
        source: ends with `</s>`.
        draft: a likely translation; a wrong one costs time and changes no token.
        max_length: tokens after which decoding stops even without `</s>`.
    """
    config = network.config
    decoder = network.begin_decoding(network.ids(source))
    limit = min(max_length, network.most_generated(len(source)))
    never, most = network.ids(config.never_generated)[0], len(draft)
    ids: tuple[int, ...] = ()
    while True:
        before = len(ids)
        guessed = guess_next(ids, draft)[: min(most, limit - before - 1)]
        decoder.truncate(before)
        fed = network.ids([*(ids or (config.bos_id,))[-1:], *guessed])
        logits = network.project(decoder.extend(fed)[0])  # (1 + guessed, vocabulary)
        chances = logits.float().softmax(dim=-1)
        best = logits.index_fill_(-1, never, -torch.inf).argmax(dim=-1).tolist()
        for place, (token, guess) in enumerate(zip(best, [*guessed, None], strict=True)):
            ids = (*ids, token)
            finished = token == config.eos_id or len(ids) >= limit
            yield TokenStep(token, float(chances[place, token]), top_candidates(chances[place]), ids, finished)
            if finished:
                return
            if token != guess:
                break
        if guessed:
            most = 2 * (len(ids) - before - 1) + SPARE
