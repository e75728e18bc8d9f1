"""Several texts in one run: padded at the end, each call of attention split into what every text alone would give.

With padding after a text, its tokens keep their positions. Whether a network's answers to a text are the same next to
longer ones is measured once for each network, on the first batch; where they are not, its texts run one by one.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from .eager_attention import AttentionCall, CallRecorder, is_half
from .forward_run import ModelInputs, output_tensor, run_network
from .library_version import Network
from .model_inputs import text_inputs
from .token_offsets import Tokens
from .verification import HALF, MAPS, OUTPUTS

ROWS = 8  # texts that run together


def pad_inputs(network: Network, texts: Sequence[Tokens], padding: int) -> ModelInputs:
    """Inputs of several texts, `(text, position)`; shorter ones are padded at their end, and the padding is masked."""
    each = [text_inputs(network, tokens) for tokens in texts]
    longest = max(len(tokens.ids) for tokens in texts)
    fill = {"input_ids": padding}
    names = {name for inputs in each for name in inputs}
    rows: dict[str, list[Tensor]] = {name: [] for name in names}
    for inputs in each:
        for name in names:
            own = inputs.get(name, torch.zeros_like(inputs["input_ids"]))  # (1, position)
            rows[name].append(F.pad(own, (0, longest - own.shape[1]), value=fill.get(name, 0)))
    return {name: torch.cat(parts) for name, parts in rows.items()}


def split_call(call: AttentionCall, row: int, count: int) -> AttentionCall:
    """One text of a call of several; `count` is the number of its tokens."""
    parts = {field.name: getattr(call, field.name) for field in fields(call)}
    for name, part in parts.items():
        if isinstance(part, Tensor) and part.ndim == 4:
            of_row = part[row : row + 1] if part.shape[0] > 1 else part
            if name in ("queries", "keys", "values", "outputs"):
                parts[name] = of_row[:, :, :count]  # (1, head, position, d)
            else:  # (1, head, query, key), or sizes of 1 that stand for all
                of_row = of_row[:, :, :count] if of_row.shape[2] > 1 else of_row
                parts[name] = of_row[..., :count] if of_row.shape[3] > 1 else of_row
    return AttentionCall(**parts)


def split_output(output: Any, row: int, count: int, by_token: bool) -> SimpleNamespace:
    """One text of an output: its logits or last hidden states, and its residual stream.

    Args:
        by_token: whether logits are one row for each token, not one for the whole text.
    """
    last = getattr(output, "last_hidden_state", None)
    logits = getattr(output, "logits", None)
    states = getattr(output, "hidden_states", None)
    return SimpleNamespace(
        logits=None if logits is None else logits[row : row + 1, :count] if by_token else logits[row : row + 1],
        last_hidden_state=None if last is None else last[row : row + 1, :count],
        hidden_states=None if states is None else tuple(state[row : row + 1, :count] for state in states),
    )


def run_padded(
    network: Network,
    texts: Sequence[Tokens],
    padding: int,
    names: tuple[str | None, ...],
    reduce: Callable[[int, int, AttentionCall], Any],
) -> tuple[Any, list[list[Any]]]:
    """Run several texts together; returns the library's output, and for each text what `reduce` made of its calls.

    Args:
        names: of the calls, in their order.
        reduce: gets the index of the text, the index of the call, and the call of that text alone.
    """

    def split(index: int, call: AttentionCall) -> list[Any]:
        parts = (split_call(call, row, len(tokens.ids)) for row, tokens in enumerate(texts))
        return [reduce(row, index, part) for row, part in enumerate(parts)]

    recorder = CallRecorder(names, None, split)
    inputs = pad_inputs(network, texts, padding)
    output = run_network(network, inputs, recorder, True, output_hidden_states=True)
    return output, [[calls[row] for calls in recorder.calls] for row in range(len(texts))]


def is_padding_neutral(network: Network, texts: Sequence[Tokens], padding: int, by_token: bool) -> bool:
    """Whether the shortest text gives the same next to the longest one as alone: weights to 1e-5, answers to 1e-4.

    In half precision, 200 times that. A network that cannot run several texts gives False.
    """
    short, long = min(texts, key=lambda tokens: len(tokens.ids)), max(texts, key=lambda tokens: len(tokens.ids))
    try:
        output, (together, _) = run_padded(network, [short, long], padding, (), lambda row, index, call: call.weights)
        recorder = CallRecorder((), None, lambda index, call: call.weights)
        alone = run_network(network, text_inputs(network, short), recorder, True)
    except (RuntimeError, ValueError, TypeError, IndexError, AttributeError):
        return False
    factor = HALF if is_half(recorder.calls[0].dtype) else 1.0
    own, other = output_tensor(alone), output_tensor(split_output(output, 0, len(short.ids), by_token))
    scale = max(1.0, float(own.abs().max()))
    if len(together) != len(recorder.calls) or own.shape != other.shape:
        return False
    pairs = list(zip(together, recorder.calls, strict=True))
    if any(one.shape != two.shape for one, two in pairs):
        return False
    maps = max(float((one.float() - two.float()).abs().max()) for one, two in pairs)
    return maps <= MAPS * factor and float((own - other).abs().max()) <= OUTPUTS * factor * scale
