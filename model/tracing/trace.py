"""All intermediate results of the Transformer for one pair of sentences, as arrays."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from functools import cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from ..causal.causal_error import CausalError
from ..networks.tap import Chain, Recorder, Tap
from ..networks.transformer import Transformer
from ..runtime.arrays import largest_difference, softmax, to_array
from ..runtime.messages import Template, UserError
from ..text.source_text import count_sentences
from ..text.tokenizer import Tokenizer
from ..text.words import TokenAxis, whole_words
from .kinds import KINDS, TRANSLATION, AttentionKind
from .saving import SavableTrace, shorten

# The model that recorded a trace, for the methods of a trace that run its network again.

if TYPE_CHECKING:
    from ..causal.logit_attribution import LogitAttribution
    from ..causal.logit_lens import LogitLens

TraceT = TypeVar("TraceT")
NO_TRACE = Template("Pass a trace that this model has recorded, as model.trace(...) returns it; this is a {kind}.")
_MODEL, _CHANGED = "_find_model", "_has_intervention"


class TraceOfModel:
    """Base of the traces of models with causal methods. A copy of such a trace knows no model."""

    def logit_lens(self, top: int | None = None, right: int | None = None) -> "LogitLens":
        """Read out every layer of this input; see `model.causal.logit_lens` (nostalgebraist 2020).

        Args:
            top: how many tokens or classes are listed at each position.
            right: the token or class whose probability is stated at every position; by default the token that follows,
                or the answer.

        Raises:
            CausalError: the model is not known or closed, or the trace was recorded under an intervention.
        """
        return self._model("logit_lens").logit_lens(self, top, right)

    def logit_attribution(
        self, index: int | None = None, other: int | None = None, position: int = -1
    ) -> "LogitAttribution":
        """Split a logit of this input into its parts; see `model.causal.logit_attribution` (Elhage et al. 2021).

        Args:
            index: token or class; by default the one that follows at this position, or the answer.
            other: the token or class whose logit is subtracted.
            position: of the output, from 0; negative ones count from the end.

        Raises:
            CausalError: as of `logit_lens`.
        """
        return self._model("logit_attribution").logit_attribution(self, index, other, position)

    def _model(self, method: str) -> Any:
        """Return the model that recorded this trace, to call a method of that name."""
        find_model = vars(self).get(_MODEL)
        if find_model is None:
            raise CausalError(
                "This trace has no link to the model that recorded it; call model.{method}(trace).", method=method
            )
        if vars(self)[_CHANGED]:
            raise CausalError(
                "This trace was recorded under an intervention, and {method} runs the network without it; trace the "
                "input without one, or call model.{method}(trace).",
                method=method,
            )
        model = find_model()
        if model is None:
            raise CausalError(
                "The model that recorded this trace is no longer in memory; open it again and call "
                "model.{method}(trace).",
                method=method,
            )
        return model

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in (_MODEL, _CHANGED)}


def attach_model(trace: TraceT, find_model: Callable[[], Any], intervention: object = None) -> TraceT:
    """Let a trace call methods of its model, where it has such methods.

    Args:
        find_model: returns the model, or None once it is gone, as a weak reference does.
        intervention: under which the trace was recorded; None for none.

    Returns:
        The same trace.
    """
    if isinstance(trace, TraceOfModel):
        vars(trace).update({_MODEL: find_model, _CHANGED: intervention is not None})
    return trace


def share_model(trace: TraceT, other: TraceOfModel) -> TraceT:
    """Let a trace that was made of another one call methods of its model; return the same trace."""
    vars(trace).update({name: value for name, value in vars(other).items() if name in (_MODEL, _CHANGED)})
    return trace


def check_trace(trace: object, expected: type, refusal: type[UserError]) -> None:
    """Raise `refusal` with what to pass if an argument is no trace of the model's own kind."""
    if not isinstance(trace, expected):
        raise refusal(NO_TRACE, kind=type(trace).__name__)


# A recorder that stacks the same step of all layers while the network runs.
#
# `Recorder` stores a reference to every tensor; stacking them afterwards copies them when they are no longer in the
# CPU's cache. Here each tensor is copied as it passes, while it is in the cache, and then released: the next layer
# reuses the same memory, so recording takes less time and less memory.

ATTENTION_STEPS = ("queries", "keys", "values", "scores", "weights", "outputs")


class StackPlan(NamedTuple):
    """Which tensors `LayerStacks` records."""

    # name of a stack -> names of the tensors (see `model.networks.tap`) that become its rows, all of one shape
    stacks: Mapping[str, Sequence[str]]
    stack_of: Mapping[str, str]  # name of a tensor -> name of its stack
    referenced: frozenset[str]  # names of tensors of which only a reference is stored

    @classmethod
    def of(cls, stacks: Mapping[str, Sequence[str]], referenced: Iterable[str] = ()) -> "StackPlan":
        """Create a plan, with `stack_of` computed from `stacks`."""
        return cls(stacks, {name: stack for stack, names in stacks.items() for name in names}, frozenset(referenced))


class LayerStacks(Recorder):
    """A tap that changes nothing and stacks the tensors that `plan` names; the batch is one sentence or picture.

    The plan's `referenced` tensors are in `tensors`, as in any `Recorder`.
    """

    def __init__(self, plan: StackPlan) -> None:
        super().__init__(plan.referenced)
        self.plan = plan
        self._stacks: dict[str, Tensor] = {}  # (row, 1, ...) each
        self._rows: dict[str, Tensor] = {}  # views of them, by the name of the tensor
        self._passed: set[str] = set()

    def __call__(self, name: str, tensor: Tensor) -> Tensor:
        stack = self.plan.stack_of.get(name)
        if stack is None:
            return super().__call__(name, tensor)
        if stack not in self._stacks:
            names = self.plan.stacks[stack]
            self._stacks[stack] = tensor.new_empty(len(names), *tensor.shape)
            self._rows.update(zip(names, self._stacks[stack].unbind(), strict=True))
        self._rows[name].copy_(tensor)
        self._passed.add(name)
        return tensor

    def array(self, stack: str) -> np.ndarray:
        """Return one stack, `(row, ...)` float32, without the axis of the batch.

        Raises:
            LookupError: one of its tensors never passed.
        """
        missing = [name for name in self.plan.stacks[stack] if name not in self._passed]
        if missing:
            raise LookupError(f"No tensor passed that is named {', '.join(missing)}.")
        return self._stacks[stack][:, 0].to(torch.float32).cpu().numpy()


def layer_names(stack: str, step: str, layers: int) -> list[str]:
    """List the names of one step in all layers: ("decoder", "cross.mask", 2) returns those of layers 0 and 1."""
    return [f"{stack}.{layer}.{step}" for layer in range(layers)]


def attention_stacks(stack: str, kind: str, layers: int) -> dict[str, list[str]]:
    """Plan all of `ATTENTION_STEPS` of one kind of attention, as `<stack>.<kind>.<step>`."""
    return {f"{stack}.{kind}.{step}": layer_names(stack, f"{kind}.{step}", layers) for step in ATTENTION_STEPS}


def stream_stack(stack: str, layers: int) -> dict[str, list[str]]:
    """Plan the residual stream as `<stack>.stream`: the embedded input, then the output of each layer."""
    return {f"{stack}.stream": [f"{stack}.embedded", *layer_names(stack, "residual", layers)]}


@dataclass(frozen=True)
class Candidate:
    """A token and the probability the model gives it."""

    id: int
    token: str
    probability: float


@dataclass(frozen=True)
class Prediction:
    """The model's probability of the token that really followed at one decoder position."""

    id: int
    token: str
    probability: float
    rank: int  # 1 is the most probable
    top: tuple[Candidate, ...]


@dataclass(frozen=True)
class Verification:
    """Differences of recorded attention from an independent computation; 0 up to rounding, the last one exactly."""

    # largest |difference| between the recorded head outputs and those that
    # `torch.nn.functional.scaled_dot_product_attention` computes from the recorded queries, keys and values, and
    # between the recorded weights and those it applies (computed with the identity as values)
    max_difference: float
    row_sum_error: float  # largest distance of a row of weights from summing to 1
    masked_weight: float  # largest weight on a masked key; 0 if nothing is masked

    @staticmethod
    def worst(parts: list["Verification"]) -> "Verification":
        """Return the largest of each figure."""
        return Verification(*map(max, zip(*map(astuple, parts), strict=True)))


@dataclass(frozen=True, eq=False, repr=False)
class AttentionRecord:
    """One kind of attention, all layers and heads; float32. Rows of `weights` are queries, columns are keys."""

    # how `verify` recomputes: with "sdpa", PyTorch's fused attention, or with "score", the kind's own score
    verified_by: ClassVar[str] = "sdpa"
    queries: np.ndarray  # `(layer, head, query, d_k)`
    keys: np.ndarray  # `(layer, head, key, d_k)`
    values: np.ndarray  # `(layer, head, key, d_k)`
    scores: np.ndarray  # `(layer, head, query, key)`, divided by sqrt(d_k), before the mask
    weights: np.ndarray  # `(layer, head, query, key)`
    outputs: np.ndarray  # `(layer, head, query, d_k)`
    allowed: np.ndarray | None  # `(query, key)` bool, keys that some head may attend to; None if no mask applies
    bias: np.ndarray | None = field(default=None, kw_only=True)  # in `scores`, of the same shape; None if there is none

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {' x '.join(map(str, self.weights.shape))}, verified by {self.verified_by}>"

    def verify(self) -> Verification:
        """Compare with an independent recomputation, over all layers and heads; see `Verification`."""
        mask = None if self.allowed is None else torch.from_numpy(self.allowed)
        if self.bias is not None:
            bias = torch.from_numpy(self.bias)  # (layer, head, query, key)
            mask = bias if mask is None else bias.masked_fill(~mask, -torch.inf)
        q, k, v = (torch.from_numpy(array) for array in (self.queries, self.keys, self.values))
        identity = torch.eye(k.shape[2]).expand(*k.shape[:2], -1, -1)  # (layer, head, key, key)
        applied = F.scaled_dot_product_attention(q, k, identity, attn_mask=mask)  # (layer, head, query, key)
        recomputed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)  # (layer, head, query, d_k)
        difference = max(
            largest_difference(applied.numpy(), self.weights), largest_difference(recomputed.numpy(), self.outputs)
        )
        hidden = np.zeros(1) if self.allowed is None else np.abs(self.weights[..., ~self.allowed])
        row_sums = self.weights.sum(axis=-1, dtype=np.float64)
        return Verification(difference, largest_difference(row_sums, 1), float(hidden.max(initial=0)))

    @cached_property
    def verification(self) -> Verification:
        """`verify`, computed once."""
        return self.verify()


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SentenceTrace(SavableTrace):
    """A teacher-forced pass over one sentence pair. S source tokens with `</s>`, T decoder inputs with `<s>`."""

    source_text: str
    target_text: str
    # inputs of encoder and decoder, S and T long
    source_ids: tuple[int, ...]
    target_ids: tuple[int, ...]
    next_ids: tuple[int, ...]  # what each decoder position should produce, T long, ending with `</s>`
    # readable labels of the same
    source_tokens: tuple[str, ...]
    target_tokens: tuple[str, ...]
    next_tokens: tuple[str, ...]
    records: dict[str, AttentionRecord]  # kind -> its attention
    logits: np.ndarray  # `(T, vocabulary)`
    tokenizer: Tokenizer
    given: bool = False  # the target is a user's text, so that no token of it was chosen

    def _input_summary(self) -> str:
        return f"{shorten(self.source_text)} and {shorten(self.target_text)}"

    def attention(self, kind: str) -> np.ndarray:
        """`(layers, heads, query, key)` float32 of "encoder", "decoder" or "cross".

        Raises:
            UserError: the trace has no such kind.
        """
        if not isinstance(kind, str) or kind not in self.records:
            known = ", ".join(self.records)
            raise UserError("This trace has no attention of kind {kind}; it has {known}.", kind=kind, known=known)
        return self.records[kind].weights

    def axes(self, kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the labels of the queries and of the keys of a kind."""
        tokens = {"source": self.source_tokens, "target": self.target_tokens}
        return tokens[KINDS[kind].queries], tokens[KINDS[kind].keys]

    def ids(self, kind: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the token ids of the queries and of the keys of a kind."""
        ids = {"source": self.source_ids, "target": self.target_ids}
        return ids[KINDS[kind].queries], ids[KINDS[kind].keys]

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about the input that a reader should know: whether it is several sentences."""
        count = count_sentences(self.source_text)
        if count == 1:
            return ()
        return (
            f"These are {count} sentences. The network was trained on single sentences, so later ones may be missing "
            "in the translation; give one at a time.",
        )

    @property
    def chosen(self) -> tuple[str, ...]:
        """The label of the token that was chosen at each decoder position, T long; all are "" for a `given` target."""
        return ("",) * len(self.next_tokens) if self.given else self.next_tokens

    def token_axes(self, kind: str) -> tuple[TokenAxis, TokenAxis]:
        """Return the tokens of the queries and of the keys of a kind: labels, special tokens and whole words.

        Those of the decoder's queries have the tokens that were chosen there, too.
        """
        queries, keys = KINDS[kind].queries, KINDS[kind].keys
        return self._rows if queries == "target" and any(self.chosen) else self._sides[queries], self._sides[keys]

    @cached_property
    def _rows(self) -> TokenAxis:
        tokenizer = self.tokenizer
        special = {tokenizer.pad_id, tokenizer.unk_id, tokenizer.bos_id, tokenizer.eos_id}
        return self._sides["target"].choosing(self.chosen, [token in special for token in self.next_ids])

    @cached_property
    def _sides(self) -> dict[str, TokenAxis]:
        sides = {"source": (self.source_ids, self.source_tokens), "target": (self.target_ids, self.target_tokens)}
        return {side: _token_axis(self.tokenizer, *tokens) for side, tokens in sides.items()}

    @cached_property
    def verification(self) -> dict[str, Verification]:
        """The check of each kind, computed once."""
        return {kind: record.verification for kind, record in self.records.items()}

    def verify(self) -> Verification:
        """Return the worst figures over all three kinds; `verification` has those of each kind."""
        return Verification.worst(list(self.verification.values()))

    def predictions(self, top: int = 5) -> list[Prediction]:
        """Return for every decoder position the token that followed, its probability and rank, and the `top` best."""
        probabilities = softmax(self.logits.astype(np.float64))  # (T, vocabulary)
        best = np.argpartition(-self.logits, range(top), axis=1)[:, :top]  # the `top` largest, already in order
        labels = self.tokenizer.labels(best.flatten())
        rows = []
        for position, (token, label) in enumerate(zip(self.next_ids, self.next_tokens, strict=True)):
            row = probabilities[position]
            candidates = tuple(
                Candidate(int(id_), labels[position * top + rank], float(row[id_]))
                for rank, id_ in enumerate(best[position])
            )
            rank = 1 + int((row > row[token]).sum())
            rows.append(Prediction(int(token), label, float(row[token]), rank, candidates))
        return rows


def _token_axis(tokenizer: Tokenizer, ids: Sequence[int], labels: tuple[str, ...]) -> TokenAxis:
    words = whole_words(tokenizer, ids)
    special = (mark for word in words for mark in [word.special] * (word.end - word.start))
    return TokenAxis(labels, tuple(special), words)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Trace(SentenceTrace, TraceOfModel):
    """All intermediate results of a Transformer in a teacher-forced pass; see `SentenceTrace` for the rest."""

    encoder_stream: np.ndarray  # `(layers + 1, S, d_model)`: the embedded input, then the output of each layer
    decoder_stream: np.ndarray  # `(layers + 1, T, d_model)`, likewise
    # `(layers, position, d_ff)` feed-forward activations after ReLU
    encoder_hidden: np.ndarray
    decoder_hidden: np.ndarray

    @property
    def encoder_attention(self) -> np.ndarray:
        """`(layers, heads, S, S)` float32."""
        return self.records["encoder"].weights

    @property
    def decoder_attention(self) -> np.ndarray:
        """`(layers, heads, T, T)` float32, 0 above the diagonal."""
        return self.records["decoder"].weights

    @property
    def cross_attention(self) -> np.ndarray:
        """`(layers, heads, T, S)` float32."""
        return self.records["cross"].weights


@torch.inference_mode()
def record_trace(
    network: Transformer,
    tokenizer: Tokenizer,
    source_ids: Sequence[int],
    target_ids: Sequence[int],
    next_ids: Sequence[int],
    intervention: Tap | None = None,
    encoded: Trace | None = None,
) -> Trace:
    """Run the network once with a recorder attached.

    Args:
        source_ids: encoder input, ending with `</s>`.
        target_ids: decoder input, starting with `<s>`.
        next_ids: what each decoder position should produce; as long as `target_ids`.
        intervention: a tap that changes tensors before they are recorded.
        encoded: a trace of the same source; the intervention changes nothing in the encoder, which does not run again.
    """
    labels = describe_tokens(tokenizer, source_ids, target_ids, next_ids)
    depths = {"encoder": network.config.n_encoder_layers, "decoder": network.config.n_decoder_layers}
    stacks = LayerStacks(_plan(network.config.positions == "alibi", **depths))
    tap = stacks if intervention is None else Chain(intervention, stacks)
    memory = encoder_output(network, encoded) if encoded else network.encode(network.ids(source_ids), None, tap)
    logits = network.project(network.decode(network.ids(target_ids), memory, None, tap))
    records = {
        kind.name: encoded.records[kind.name]
        if encoded and kind.stack == "encoder"
        else gather_attention(stacks, kind, depths[kind.stack])
        for kind in TRANSLATION
    }
    return Trace(
        **labels,
        records=records,
        encoder_stream=encoded.encoder_stream if encoded else stacks.array("encoder.stream"),
        decoder_stream=stacks.array("decoder.stream"),
        encoder_hidden=encoded.encoder_hidden if encoded else stacks.array("encoder.hidden"),
        decoder_hidden=stacks.array("decoder.hidden"),
        logits=to_array(logits[0]),
    )


def encoder_output(network: Transformer, trace: Trace) -> Tensor:
    """Return what the decoder attended to in a trace, `(1, S, d_model)`, on the network's device."""
    return torch.from_numpy(trace.encoder_stream[-1:]).to(network.device)


def record_tensors(network: Transformer, trace: SentenceTrace, stack: str, names: Collection[str]) -> dict[str, Tensor]:
    """Record tensors by name in another pass over a traced sentence, of the encoder or of the whole network."""
    recorder = Recorder(set(names))
    memory = network.encode(network.ids(trace.source_ids), None, recorder)
    if stack == "decoder":
        network.decode(network.ids(trace.target_ids), memory, None, recorder)
    return recorder.tensors


def describe_tokens(
    tokenizer: Tokenizer, source_ids: Sequence[int], target_ids: Sequence[int], next_ids: Sequence[int]
) -> dict:
    """Compute the fields of a `SentenceTrace` that follow from the ids.

    Raises:
        ValueError: the numbers of next tokens and decoder inputs differ.
    """
    if len(target_ids) != len(next_ids):
        raise ValueError(f"{len(target_ids)} decoder inputs need as many next tokens, not {len(next_ids)}.")
    return {
        "source_text": tokenizer.decode(source_ids),
        "target_text": tokenizer.decode(next_ids),
        "source_ids": tuple(source_ids),
        "target_ids": tuple(target_ids),
        "next_ids": tuple(next_ids),
        "source_tokens": tuple(tokenizer.display(source_ids)),
        "target_tokens": tuple(tokenizer.display(target_ids)),
        "next_tokens": tuple(tokenizer.display(next_ids)),
        "tokenizer": tokenizer,
    }


@lru_cache(maxsize=8)
def _plan(biased: bool, **depths: int) -> StackPlan:
    """Plan the recording of a network with so many layers in its encoder and decoder.

    Args:
        biased: whether self-attention has a bias.
    """
    stacks: dict[str, list[str]] = {}
    for kind in TRANSLATION:
        stacks |= attention_stacks(kind.stack, kind.sublayer, depths[kind.stack])
        if biased and kind.square:
            stacks[_bias_stack(kind)] = layer_names(kind.stack, f"{kind.sublayer}.bias", depths[kind.stack])
    for stack, layers in depths.items():
        stacks |= stream_stack(stack, layers) | {f"{stack}.hidden": layer_names(stack, "ffn.hidden", layers)}
    masks = [layer_names(kind.stack, f"{kind.sublayer}.mask", depths[kind.stack]) for kind in TRANSLATION]
    return StackPlan.of(stacks, chain.from_iterable(masks))


def gather_attention(stacks: LayerStacks, kind: AttentionKind, layers: int) -> AttentionRecord:
    """Combine the recorded tensors of one kind of attention; its masks must be among the `referenced` tensors."""
    arrays = {step: stacks.array(f"{kind.stack}.{kind.sublayer}.{step}") for step in ATTENTION_STEPS}
    names = layer_names(kind.stack, f"{kind.sublayer}.mask", layers)
    masks = [stacks.tensors[name] for name in names if name in stacks.tensors]
    bias = stacks.array(_bias_stack(kind)) if _bias_stack(kind) in stacks.plan.stacks else None
    if len(masks) < len(names):
        return AttentionRecord(**arrays, allowed=None, bias=bias)
    # all masks are the same, unless an intervention removed that of some head
    allowed = torch.stack([mask[0].any(dim=0).expand(arrays["weights"].shape[2:]) for mask in masks]).any(dim=0)
    return AttentionRecord(**arrays, allowed=allowed.cpu().numpy(), bias=bias)


def _bias_stack(kind: AttentionKind) -> str:
    """Name of the stack of the biases of one kind of attention."""
    return f"{kind.stack}.{kind.sublayer}.bias"
