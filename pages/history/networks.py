"""The networks of the page, by their ids: loaded when the page is first opened, then shared by all visitors."""

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
DECODER_ONLY = Message("history.network.decoder-only", "Decoder-only Transformer")


def options(names: Iterable[str] = tuple(NAMES)) -> dict[str, str]:
    """Return ids and labels for a control."""
    return {name: NAMES[name]() for name in names}


@singleton
def load_in_background() -> threading.Thread:
    """Load all of them in a thread, and compute gradients once, since the first backward pass is slow.

    A network that cannot be loaded is reported by the section that needs it.
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
    """Return the sentence of the page, also while the open section does not read it."""
    return bound_settings.pending_value("text", AnyText(), sentence_input.DEFAULT)


def encode_source(request: Request) -> tuple[list[int], tuple[str, ...]]:
    """Return the ids and the token labels that every encoder reads of the user's sentence, `</s>` included."""
    return encode_text(request.service, request.text)


def encode_text(service: Service, text: str) -> tuple[list[int], tuple[str, ...]]:
    """Return the ids and token labels of `text`, `</s>` included.

    Raises:
        InputError: the model does not take it.
    """
    model = service.model
    ids = [*model.check(text), model.tokenizer.eos_id]
    return ids, tuple(model.tokenizer.display(ids))


def trace_sentence(request: Request, name: str) -> RecurrentTrace:
    """Return everything a network computes for the user's sentence and its own translation, decoded as chosen."""
    service = open_recurrent(name)
    trace = service.trace(request.text, request.options)
    assert isinstance(trace, RecurrentTrace)
    warn_if_cut_off(service.has_ended(trace.next_ids), at=request.notice)
    return trace
