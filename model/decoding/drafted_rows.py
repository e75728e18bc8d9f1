"""Greedy decoding of many rows of a batch at once under a tap, with a draft that settles many steps in one pass.

Rows that begin with the same tokens share them: they are decoded once, in one row. After that the rows stay in step:
each pass verifies the guess of every row (Leviathan et al. 2023, section 2, with greedy choices), and all rows that are
not finished advance by as many tokens as every one of them has right. Finished rows leave the batch.

A change in the last layer alters nothing that is cached, only the token that is chosen at its own place. So rows that
differ in nothing else and choose the same token there have the same future: `decode_merged_rows` decodes it once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from ..networks.tap import Chain, Tap, identity_tap
from ..networks.transformer import CachedDecoder, Transformer
from ..runtime.progress import InSteps, Progress, as_one_call
from .tapped_decoding import SPARE, guess_next


@dataclass
class GeneratedRow:
    """The tokens of one row, without `<s>`; `</s>` included if it was reached."""

    ids: list[int] = field(default_factory=list)
    # of each token its probability, and that of the second most probable one
    chances: list[tuple[float, float]] = field(default_factory=list)


@torch.inference_mode()
def decode_rows_in_steps(
    network: Transformer,
    source_ids: Sequence[int],
    taps: Callable[[Sequence[int]], Tap],
    count: int,
    limit: int,
    draft: Sequence[int] = (),
    shared: int | None = None,
    before: Tap | None = None,
    memory: Tensor | None = None,
) -> InSteps[list[GeneratedRow]]:
    """Translate one sentence greedily in `count` rows; each pass of the decoder is a part.

    Args:
        source_ids: ends with `</s>`.
        taps: the tap of a batch of these rows, which must not let a query attend to later tokens.
        limit: most tokens to generate.
        draft: a likely translation, such as the one without the taps; the result is the same without it.
        shared: how many tokens `before` alone determines in all rows, which then have its encoder output, too; None if
            the rows differ in the encoder.
        before: the tap of what rows share.
        memory: the encoder's output under `before`, `(1, source, d_model)`, if it is known and rows share it.
    """
    every = list(range(count))
    alone = before or identity_tap
    tap = taps(every) if shared is None else alone
    if memory is None:
        memory = network.encode(network.ids(source_ids).expand(count if shared is None else 1, -1), None, tap)
    decoder = CachedDecoder(network, memory, None, tap)
    rows = _Rows(network, decoder, draft, limit)
    if shared is not None:
        rows.begin([GeneratedRow()])
        while rows.active and rows.length < min(shared, limit):
            rows.advance(min(shared, limit) - rows.length)
        if not rows.active:
            return [rows.generated[0]] * count  # it ends before the rows differ
        yield rows.progress(limit)
        decoder.select_rows([0] * count)
        first = rows.generated[0]
        rows.begin([GeneratedRow(list(first.ids), list(first.chances)) for _ in every])
    else:
        rows.begin([GeneratedRow() for _ in every])
    decoder.tap = taps(every)
    while rows.active and rows.length < limit:
        if rows.advance(limit - rows.length):
            decoder.tap = taps(rows.active)
        yield rows.progress(limit)
    return rows.generated


decode_rows = as_one_call(decode_rows_in_steps)


@torch.inference_mode()
def decode_merged_rows(
    network: Transformer,
    source_ids: Sequence[int],
    change: Tap,
    count: int,
    limit: int,
    draft: Sequence[int],
    place: int,
    before: Tap | None = None,
    memory: Tensor | None = None,
    *,
    is_last: bool = True,
) -> list[GeneratedRow]:
    """Translate as `decode_rows` does, in rows that differ in the last layer of the decoder at one place alone.

    Args:
        change: a tap of all rows.
        place: the position whose token the rows choose for themselves; all tokens before it are the same.
        memory: as of `decode_rows`.
        is_last: `change` acts behind everything that is cached, in the last cross-attention. It then gets one row, of
            which it makes `count`.
    """
    alone = before or identity_tap
    if memory is None:
        memory = network.encode(network.ids(source_ids), None, alone)
    decoder = CachedDecoder(network, memory, None, alone)
    rows = _Rows(network, decoder, draft, limit)
    rows.begin([GeneratedRow()])
    while rows.active and rows.length < min(place, limit):
        rows.advance(min(place, limit) - rows.length)
    shared = rows.generated[0]
    if not rows.active or rows.length >= limit:
        return [shared] * count  # it ends before the rows differ
    if not is_last:
        decoder.select_rows([0] * count)
    decoder.tap = Chain(alone, change)
    newest = network.ids((shared.ids or [network.config.bos_id])[-1:])
    tokens, chances = rows.predict(newest.expand(1 if is_last else count, -1))
    decoder.tap = alone
    chosen = list(dict.fromkeys(token for (token,) in tokens))
    decoder.select_rows([0] * len(chosen))  # what is cached is the same in all
    rows.begin([GeneratedRow([*shared.ids, token]) for token in chosen])
    rows.active = [row for row, token in enumerate(chosen) if token != network.config.eos_id]
    decoder.keep_rows(rows.active)
    while rows.active and rows.length < limit:
        rows.advance(limit - rows.length)
    merged = [rows.generated[chosen.index(token)] for (token,) in tokens]
    own = [[*shared.chances, (first, second)] for ((first, second),) in chances]
    return [GeneratedRow(row.ids, [*start, *row.chances]) for row, start in zip(merged, own, strict=True)]


class _Rows:
    """Rows in step: those that are active have the same number of tokens."""

    def __init__(self, network: Transformer, decoder: CachedDecoder, draft: Sequence[int], limit: int) -> None:
        self.network, self.decoder, self.draft = network, decoder, draft
        self.most = len(draft)  # tokens that are guessed in one pass
        self.generated: list[GeneratedRow] = []
        self.active: list[int] = []

    def begin(self, rows: list[GeneratedRow]) -> None:
        """Go on with these rows."""
        self.generated, self.active = rows, list(range(len(rows)))

    @property
    def length(self) -> int:
        """The number of tokens of each active row."""
        return len(self.generated[self.active[0]].ids)

    def progress(self, limit: int) -> Progress:
        """How far the longest row is, which probably gets as long as the draft."""
        done = max(len(row.ids) for row in self.generated)
        return Progress(done, min(limit, max(len(self.draft), done + 1)) if self.active else done)

    def advance(self, most: int) -> bool:
        """Run one pass, which generates at most `most` tokens a row; whether rows ended and left the batch."""
        config, length = self.network.config, self.length
        guesses = [guess_next(self.generated[row].ids, self.draft)[: min(self.most, most - 1)] for row in self.active]
        width = max(map(len, guesses))
        guesses = [[*guess, *[config.eos_id] * (width - len(guess))] for guess in guesses]
        last = [(self.generated[row].ids or [config.bos_id])[-1] for row in self.active]
        fed = [[newest, *guess] for newest, guess in zip(last, guesses, strict=True)]
        tokens, chances = self.predict(torch.tensor(fed, device=self.network.device))
        accepted = [_accepted(row, guess, config.eos_id) for row, guess in zip(tokens, guesses, strict=True)]
        ends = [row[count - 1] == config.eos_id for row, count in zip(tokens, accepted, strict=True)]
        common = min((count for count, end in zip(accepted, ends, strict=True) if not end), default=0)
        for place, row in enumerate(self.active):
            count = accepted[place] if ends[place] else common
            self.generated[row].ids += tokens[place][:count]
            self.generated[row].chances += [(first, second) for first, second in chances[place][:count]]
        if common <= width:  # a guess was wrong
            self.most = 2 * (common - 1) + SPARE
        self.decoder.truncate(length + common)
        remaining = [place for place, end in enumerate(ends) if not end]
        if len(remaining) == len(self.active):
            return False
        if remaining:
            self.decoder.keep_rows(remaining)
        self.active = [self.active[place] for place in remaining]
        return bool(remaining)

    def predict(self, fed: Tensor) -> tuple[list[list[int]], list[list[list[float]]]]:
        """The best token after each of `(row, new)` ids, and the two best probabilities."""
        logits = self.network.project(self.decoder.extend(fed))  # (row, new, vocabulary)
        logits[..., list(self.network.config.never_generated)] = -torch.inf
        best = logits.softmax(dim=-1).topk(2, dim=-1)
        return best.indices[..., 0].tolist(), best.values.tolist()


def _accepted(tokens: Sequence[int], guess: Sequence[int], end: int) -> int:
    """Return how many tokens are right: those that were guessed, and the one after them; none after the end."""
    for count, (token, guessed) in enumerate(zip(tokens, guess, strict=False), 1):
        if token != guessed or token == end:
            return count
    return len(tokens)
