"""Encoder and decoder of recurrent cells, with one vector between them or with attention over the encoder's states.

Names that pass the tap: `encoder.embedded`, `encoder.<direction>.<position>.<quantity>`, `encoder.states`;
`decoder.start.hidden` and `.cell`; `decoder.embedded`, `decoder.cross.keys`, `decoder.cross.values`;
`decoder.<step>.<quantity>`, `decoder.<step>.cross.<queries, scores, mask, weights, outputs>`, `decoder.<step>.readout`.
Quantities are `hidden` and, of an LSTM, `input_gate`, `forget_gate`, `candidate`, `output_gate` and `cell`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from .alignment import AdditiveAlignment, DotAlignment, context_vectors
from .cells import CellState, RecurrentLayer
from .interfaces import TranslationNetwork
from .masks import padding_mask
from .recurrent_config import RecurrentConfig
from .tap import Tap


class EncoderMemory(NamedTuple):
    """The encoder's result, from which the decoder starts."""

    start: CellState
    """The state the decoder starts from; without alignment, the only part."""
    keys: Tensor | None = None
    values: Tensor | None = None
    """`keys`, `values`: the encoder's states `(batch, source, state_width)`, the same unless a tap changed one of them;
    None without alignment.
    """
    projected: Tensor | None = None
    """The keys as the score needs them, computed once; None without alignment."""
    allowed: Tensor | None = None
    """`(batch, 1, 1, source)`, which source tokens are real; None if nothing is padded."""

    def repeat(self, rows: int) -> EncoderMemory:
        """Repeat the memory of one sentence for several hypotheses of its translation."""
        start = self.start.map(lambda state: state.expand(rows, -1))
        return EncoderMemory(
            start, *(None if part is None else part.expand(rows, *part.shape[1:]) for part in self[1:])
        )


class RecurrentNetwork(TranslationNetwork):
    """Sequence to sequence with recurrent cells: ids in, logits out.

    - alignment "none" (Sutskever et al. 2014): the encoder's last state starts the decoder, and only that. Cho et al.
      (2014) also feed it to the decoder at every step.
    - "additive" (Bahdanau et al. 2015): the query is s_{t-1}, the context vector enters the cell together with the
      newest token; s_0 = tanh(W h) of the backward state at the first token, the cell state starts at 0. The output
      layer reads tanh(W [s_t; c_t; y_{t-1}]), where the paper has a maxout layer.
    - "dot" (Luong et al. 2015): the query is s_t, the output layer reads tanh(W_c [c_t; s_t]); no input feeding. The
      encoder reads both ways, as in the additive one, where the paper's reads forwards.

    Source, target and output layer share one embedding.

    Args:
        config: the sizes; see `RecurrentConfig`.
    """

    config: RecurrentConfig
    alignment: AdditiveAlignment | DotAlignment  # missing without alignment

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary_size, config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = RecurrentLayer(config.cell, config.d_model, config.encoder_width, config.reads)
        additive = config.alignment == "additive"
        inputs = config.d_model + (config.context_width if additive else 0)
        self.decoder = RecurrentLayer(config.cell, inputs, config.decoder_width)
        if additive:
            self.alignment = AdditiveAlignment(config.decoder_width, config.state_width, config.alignment_width)
            self.bridge = nn.Linear(config.encoder_width, config.decoder_width)
        elif config.alignment == "dot":
            self.alignment = DotAlignment()
        readout_inputs = config.decoder_width + config.context_width + (config.d_model if additive else 0)
        self.readout = nn.Linear(readout_inputs, config.d_model)
        # sqrt(d_model) x this gives unit variance; the output layer reads the rows as they are
        nn.init.normal_(self.embedding.weight, std=config.d_model**-0.5)

    def embed(self, ids: Tensor) -> Tensor:
        """Embedding rows x sqrt(d_model): `(batch, position)` -> `(batch, position, d_model)`.

        Raises:
            ValueError: the sequence is longer than `max_positions`.
        """
        if ids.shape[1] > self.config.max_positions:
            raise ValueError(f"{ids.shape[1]} positions are more than the {self.config.max_positions} this model has.")
        embedded = self.dropout(self.embedding(ids) * math.sqrt(self.config.d_model))
        kind = embedded.device.type
        return embedded.to(torch.get_autocast_dtype(kind)) if torch.is_autocast_enabled(kind) else embedded

    def encode(self, source: Tensor, source_allowed: Tensor | None = None, tap: Tap | None = None) -> EncoderMemory:
        """Run the encoder.

        Args:
            source: `(batch, source)` ids, padded on the right.
            source_allowed: `(batch, 1, 1, source)` from `padding_mask`; None if nothing is padded.
        """
        lengths = None
        if source_allowed is not None:
            lengths = source_allowed[:, 0, 0].sum(dim=-1).cpu()  # (batch,)
            if bool((lengths == source.shape[1]).all()):
                lengths = source_allowed = None
        embedded = self.embed(source)
        if tap is None:
            states, last = self.encoder.run(embedded, lengths=lengths)
        else:
            states, last = self.encoder.run_tapped(tap("encoder.embedded", embedded), tap, "encoder", lengths)
            states = tap("encoder.states", states)
        start = self._start(states, last)
        if tap is not None:
            cell = None if start.cell is None else tap("decoder.start.cell", start.cell)
            start = CellState(tap("decoder.start.hidden", start.hidden), cell)
        if self.config.alignment == "none":
            return EncoderMemory(start)
        keys = values = states
        if tap is not None:  # with an axis for the one head
            keys = tap("decoder.cross.keys", states[:, None])[:, 0]
            values = tap("decoder.cross.values", states[:, None])[:, 0]
        return EncoderMemory(start, keys, values, self.alignment.project(keys), source_allowed)

    def _start(self, states: Tensor, last: CellState) -> CellState:
        """The decoder's state before its first step."""
        if self.config.alignment != "additive":
            return last
        first = states[:, 0, self.config.encoder_width :]  # (batch, encoder_width), read backwards to the first token
        hidden = self.bridge(first).tanh()
        return CellState(hidden, torch.zeros_like(hidden) if self.config.cell == "lstm" else None)

    def decode(self, target: Tensor, memory: EncoderMemory, tap: Tap | None = None) -> Tensor:
        """Run the decoder over a whole target (teacher forcing).

        Padding in the target needs no mask: it follows the real tokens.

        Args:
            target: `(batch, target)` ids that start with the begin-of-sentence token.
            memory: from `encode`.

        Returns:
            `(batch, target, d_model)`; `project` turns it into logits.
        """
        embedded = self.embed(target)
        if tap is not None:
            embedded = tap("decoder.embedded", embedded)
        if tap is None and self.config.alignment != "additive":  # no step waits for a context vector
            states, _ = self.decoder.run(embedded, memory.start)  # (batch, target, decoder_width)
            contexts = self._contexts(states, memory) if self.config.alignment == "dot" else None
            return self.read_out(states, contexts, embedded)
        state, hidden_states, context_vectors = memory.start, [], []
        for position, token in enumerate(embedded.unbind(dim=1)):
            state, context = self.step(token, state, memory, tap, f"decoder.{position}")
            hidden_states.append(state.hidden)
            if context is not None:
                context_vectors.append(context)
        stacked = torch.stack(context_vectors, dim=1) if context_vectors else None
        hidden = self.read_out(torch.stack(hidden_states, dim=1), stacked, embedded)
        if tap is None:
            return hidden
        return torch.stack([tap(f"decoder.{t}.readout", row) for t, row in enumerate(hidden.unbind(dim=1))], dim=1)

    def step(
        self, token: Tensor, state: CellState, memory: EncoderMemory, tap: Tap | None = None, name: str = "decoder"
    ) -> tuple[CellState, Tensor | None]:
        """Run one step of the decoder.

        Args:
            token: `(batch, d_model)`, the embedded newest token.
            state: after the previous step.

        Returns:
            The new state and the context vector `(batch, context_width)`, None without alignment.
        """
        if self.config.alignment == "additive":
            context = self._contexts(state.hidden[:, None], memory, tap, f"{name}.cross")[:, 0]
            return self.decoder.step(torch.cat([token, context], dim=-1), state, tap, name), context
        state = self.decoder.step(token, state, tap, name)
        if self.config.alignment == "none":
            return state, None
        return state, self._contexts(state.hidden[:, None], memory, tap, f"{name}.cross")[:, 0]

    def _contexts(self, queries: Tensor, memory: EncoderMemory, tap: Tap | None = None, name: str = "cross") -> Tensor:
        """Context vectors `(batch, query, context_width)` of decoder states `(batch, query, decoder_width)`."""
        assert memory.keys is not None and memory.values is not None and memory.projected is not None
        if tap is not None:
            queries = tap(f"{name}.queries", queries[:, None])[:, 0]
        scores = self.alignment.scores(queries, memory.keys, memory.projected)
        return context_vectors(scores, memory.values, memory.allowed, tap, name)

    def read_out(self, states: Tensor, contexts: Tensor | None, embedded: Tensor) -> Tensor:
        """Compute the input of the output layer, `(..., d_model)`.

        Args:
            states: `(..., decoder_width)`, s_t.
            contexts: `(..., context_width)`, c_t; None without alignment.
            embedded: `(..., d_model)`, y_{t-1}.
        """
        if contexts is None:
            return self.dropout(self.readout(states))
        parts = [states, contexts, embedded] if self.config.alignment == "additive" else [contexts, states]
        return self.dropout(self.readout(torch.cat(parts, dim=-1)).tanh())

    def hidden(self, source: Tensor, target: Tensor, tap: Tap | None = None) -> Tensor:
        """Teacher-forced outputs of the decoder, `(batch, target, d_model)`; the arguments are those of `forward`."""
        return self.decode(target, self.encode(source, padding_mask(source, self.config.pad_id), tap), tap)

    def begin_decoding(
        self, source: Tensor, source_allowed: Tensor | None = None, tap: Tap | None = None
    ) -> RecurrentDecoder:
        """Encode, and return a decoder that decodes token by token; the arguments are those of `encode`."""
        return RecurrentDecoder(self, self.encode(source, source_allowed, tap), tap)


class RecurrentDecoder:
    """Decodes one hypothesis of each of several sentences, or several hypotheses of one sentence.

    Args:
        network: in evaluation mode.
        memory: from `network.encode`; decoding starts with one row for each sentence.
        tap: the one the encoder ran with; None for PyTorch's fused form.
    """

    def __init__(self, network: RecurrentNetwork, memory: EncoderMemory, tap: Tap | None = None) -> None:
        self.network, self.tap = network, tap
        self.state, self.memory, self.first_memory = memory.start, memory, memory
        self.sentences = len(memory.start.hidden)
        self.length = 0  # tokens decoded so far

    def step(self, ids: Tensor) -> Tensor:
        """Decode one more token a row: `(row,)` ids -> `(row, vocabulary)` logits of the tokens that follow.

        Raises:
            ValueError: there are more tokens than `max_positions`.
        """
        network, tap = self.network, self.tap
        if self.length >= network.config.max_positions:
            raise ValueError(f"{self.length + 1} positions are more than the {network.config.max_positions} allowed.")
        token = network.embed(ids[:, None])[:, 0]  # (row, d_model)
        if tap is not None:
            token = tap("decoder.embedded", token[:, None])[:, 0]
        name = f"decoder.{self.length}"
        self.state, context = network.step(token, self.state, self.memory, tap, name)
        hidden = network.read_out(self.state.hidden, context, token)
        self.length += 1
        return network.project(hidden if tap is None else tap(f"{name}.readout", hidden))

    def select_rows(self, rows: Sequence[int]) -> None:
        """Continue with these hypotheses of the one sentence, in this order, as beam search does after each step.

        Raises:
            ValueError: there is more than one sentence.
        """
        if self.sentences != 1:
            raise ValueError(f"Only the hypotheses of one sentence can be chosen from; there are {self.sentences}.")
        if list(rows) == list(range(len(self.state.hidden))):
            return
        selected = torch.tensor(rows, device=self.state.hidden.device)
        self.state = self.state.map(lambda state: state.index_select(0, selected))
        self.memory = self.first_memory.repeat(len(rows))
