"""The networks of the page, by their ids: loaded once the page is opened, then kept for all visitors."""

import threading
from collections.abc import Iterable
from contextlib import suppress

from model import CheckpointError
from model.lessons.forgetting import NETWORKS
from model.lessons.recurrence_gradients import state_gradients
from model.networks.recurrent_trace import RecurrentTrace
from pages.shared.models import load_recurrent, open_recurrent
from pages.shared.page_header import Request
from pages.shared.service import Service
from pages.shared.texts import warn_if_cut_off
from server.singleton import singleton
from views.controls import sentence_input
from views.text.catalogue import Message
from views.url_state import bound_settings
from views.url_state.codecs import AnyText

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


@singleton
def load_in_background() -> threading.Thread:
    """Load all of them while the page's first visitor reads, and let gradients flow once, whose first flow is slow.

    What cannot be loaded is said by the part that asks for it.
    """

    def load() -> None:
        for name in NAMES:
            with suppress(CheckpointError):
                service = load_recurrent(name)
                if name in NETWORKS:
                    ids = [service.model.tokenizer.eos_id]
                    service.lesson(("gradients", tuple(ids)), state_gradients, ids)

    loading = threading.Thread(target=load, name="networks of history")
    loading.start()
    return loading


def upcoming_text() -> str:
    """The sentence of the page, which the open part may not ask for."""
    return bound_settings.pending_value("text", AnyText(), sentence_input.DEFAULT)


def encode_source(request: Request) -> tuple[list[int], tuple[str, ...]]:
    """What every encoder reads of the reader's sentence: ids, and labels of the tokens, `</s>` included."""
    return encode_text(request.service, request.text)


def encode_text(service: Service, text: str) -> tuple[list[int], tuple[str, ...]]:
    """The same of any `text`.

    Raises:
        InputError: the model does not take it.
    """
    model = service.model
    ids = [*model.check(text), model.tokenizer.eos_id]
    return ids, tuple(model.tokenizer.display(ids))


def trace_sentence(request: Request, name: str) -> RecurrentTrace:
    """Everything a network computes for the reader's sentence and its own translation, decoded as the reader chose."""
    service = open_recurrent(name)
    trace = service.trace(request.text, request.options)
    warn_if_cut_off(service.ended(trace.next_ids), at=request.notice)
    return trace
