"""The networks of the page, by their ids: loaded when a part first asks for one, then kept for all visitors."""

from __future__ import annotations

from collections.abc import Iterable

from model.networks.recurrent_trace import RecurrentTrace
from pages.shared.models import open_recurrent
from pages.shared.opening import Request
from pages.shared.texts import say_if_cut
from views.text.catalogue import Message

NAMES = {
    "rnn-vector": Message("history.network.rnn-vector", "RNN, one vector"),
    "lstm-vector": Message("history.network.lstm-vector", "LSTM, one vector"),
    "lstm-additive": Message("history.network.lstm-additive", "LSTM, additive attention"),
    "lstm-dot": Message("history.network.lstm-dot", "LSTM, dot-product attention"),
}
TRANSFORMER = Message("history.network.transformer", "Transformer")


def options(names: Iterable[str] = tuple(NAMES)) -> dict[str, str]:
    """Ids and what a control says for them."""
    return {name: NAMES[name]() for name in names}


def source(request: Request) -> tuple[list[int], tuple[str, ...]]:
    """What every encoder reads of the reader's sentence: ids, and labels of the tokens, `</s>` included."""
    model = request.service.model
    ids = [*model.check(request.text), model.tokenizer.eos_id]
    return ids, tuple(model.tokenizer.display(ids))


def traced(request: Request, name: str) -> RecurrentTrace:
    """Everything a network computes for the reader's sentence and its own translation, decoded as the reader chose."""
    service = open_recurrent(name)
    trace = service.trace(request.text, request.options)
    say_if_cut(service.ended(trace.next_ids), at=request.notice)
    return trace
