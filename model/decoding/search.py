"""From logits to a translation: greedy, sampling and beam search, a token at a time."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from operator import attrgetter, itemgetter
from typing import Literal

import torch
from torch import Tensor

from ..networks.interfaces import TranslationNetwork
from ..networks.masks import pad_batch, padding_mask
from ..networks.tap import Tap
from ..runtime.progress import InSteps, Progress, as_one_call

TOP = 5  # alternatives that every step reports

Top = tuple[tuple[int, float], ...]  # tokens with their probabilities, best first
Fate = Literal["kept", "finished", "displaced", "pruned"]


@dataclass(frozen=True)
class DecodingOptions:
    """Options of choosing the next token.

    Raises:
        ValueError: a value is outside its range; the message names it.
    """

    # "greedy" takes the most probable token, "sampling" draws, "beam" keeps the `beam` best hypotheses
    method: Literal["greedy", "beam", "sampling"] = "greedy"
    beam: int = 4
    # alpha of the beam's length normalisation ((5 + length) / 6)^alpha (Wu et al. 2016, section 7; 0.6 in Vaswani et
    # al. 2017); 0 compares plain sums of log probabilities.
    length_penalty: float = 0.6
    # for sampling, see `sampling_probabilities`; top_k 0 keeps every token
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 0  # of the draws; the same seed gives the same sample
    max_length: int = 128  # tokens after which decoding stops even without `</s>`

    def __post_init__(self) -> None:
        if self.method not in ("greedy", "beam", "sampling"):
            raise ValueError(f"There is no method {self.method!r}; choose greedy, beam or sampling.")
        for name, low in (("beam", 1), ("top_k", 0), ("seed", 0), ("max_length", 1)):
            if getattr(self, name) < low:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least {low}.")
        if self.seed >= 2**64:
            raise ValueError(f"seed is {self.seed}; it must be below 2^64.")
        if not self.temperature > 0 or not math.isfinite(self.temperature):
            raise ValueError(f"temperature is {self.temperature}; it must be above 0.")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p is {self.top_p}; it must lie above 0 and at most at 1.")


def read_options(changes: dict) -> DecodingOptions:
    """Create options from keywords; their names determine the method."""
    if "method" not in changes and "beam" in changes:
        changes = {**changes, "method": "beam" if changes["beam"] != 1 else "greedy"}
    elif "method" not in changes and changes.keys() & {"temperature", "top_k", "top_p", "seed"}:
        changes = {**changes, "method": "sampling"}
    return DecodingOptions(**changes)


@dataclass(frozen=True)
class TokenStep:
    """One token that decoding produced."""

    id: int  # the token; `probability` is the model's, before temperature and filters
    probability: float
    top: Top  # the most probable tokens at this position
    # all tokens so far, this one included, without `<s>`. In beam search another hypothesis may take the lead, so `ids`
    # need not extend the ids of the previous step.
    ids: tuple[int, ...]
    finished: bool  # no further step follows


@dataclass(frozen=True)
class BeamNode:
    """One hypothesis that beam search considered."""

    ids: tuple[int, ...]  # all its tokens, without `<s>`; the node of `ids[:-1]` is its parent
    probability: float  # of its last token, given the others
    log_probability: float  # the sum of ln p over its tokens, in nats
    score: float  # `log_probability` divided by the length penalty (Wu et al. 2016, section 7).
    # "kept" continues to the next step; "finished" is one of the returned translations; "displaced" had finished, but
    # `beam` better ones finished too; "pruned" was not among the best
    fate: Fate

    @property
    def id(self) -> int:
        """The last token."""
        return self.ids[-1]


@dataclass(frozen=True)
class BeamTree:
    """All hypotheses of one beam search."""

    # for each step the nodes that were considered, most probable first; twice the width of the beam at most
    steps: tuple[tuple[BeamNode, ...], ...]
    best: tuple[BeamNode, ...]  # the result of `beam_search` for the same input

    @property
    def winner(self) -> tuple[int, ...]:
        """Ids of the best translation."""
        return self.best[0].ids

    def on_winning_path(self, node: BeamNode) -> bool:
        """True if the best translation begins with this node's tokens."""
        return self.winner[: len(node.ids)] == node.ids


def sampling_probabilities(logits: Tensor, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0) -> Tensor:
    """Scale and filter logits and return probabilities.

    Logits are divided by `temperature`; of these the `top_k` largest stay (0: all; equals of the last one stay too);
    of the resulting distribution the smallest set that reaches `top_p` of the mass stays (Holtzman et al. 2020); the
    rest is renormalised.

    Args:
        logits: `(vocabulary,)`.

    Returns:
        `(vocabulary,)`, sums to 1; tokens that were filtered out have 0.
    """
    logits = logits.float()
    # the largest logit becomes 0 and the divisor is above 0 in single precision, so no temperature overflows
    scaled = (logits - logits.max()) / max(temperature, torch.finfo(torch.float32).tiny)
    if 0 < top_k < scaled.shape[-1]:
        smallest_kept = logits.topk(top_k).values[-1]  # of unscaled logits: scaling can make different logits equal
        scaled = scaled.masked_fill(logits < smallest_kept, -math.inf)
    probabilities = scaled.softmax(dim=-1)
    if top_p < 1:
        order = logits.argsort(descending=True, stable=True)  # a high temperature can make probabilities equal
        ordered = probabilities[order]
        before = ordered.cumsum(dim=-1) - ordered  # mass in front of each token
        dropped = before >= top_p
        dropped[0] = False  # the most probable token always stays
        probabilities = probabilities.index_fill(0, order[dropped], 0)
        probabilities = probabilities / probabilities.sum()
    return probabilities


@torch.inference_mode()
def stream(
    network: TranslationNetwork, source: list[int], options: DecodingOptions, tap: Tap | None = None
) -> Iterator[TokenStep]:
    """Translate one sentence, ids that end with `</s>`, and yield each step; the last has `finished` set.

    A tap can intervene, but not in beam search.
    """
    if options.method == "beam":
        yield from _beam_steps(network, source, options)
        return
    decoder = network.begin_decoding(network.ids(source), None, tap)
    generator = torch.Generator().manual_seed(options.seed)
    newest = network.ids([network.config.bos_id])[0]
    ids: tuple[int, ...] = ()
    limit = min(options.max_length, network.most_generated(len(source)))
    never = network.ids(network.config.never_generated)[0]
    while True:
        logits = decoder.step(newest)[0]  # (vocabulary,)
        allowed = logits.index_fill(-1, never, -math.inf)
        if options.method == "greedy":
            newest = allowed.argmax(dim=-1, keepdim=True)
        else:
            weights = sampling_probabilities(allowed, options.temperature, options.top_k, options.top_p)
            newest = torch.multinomial(weights.cpu(), 1, generator=generator).to(logits.device)
        probabilities = logits.float().softmax(dim=-1)
        ids = (*ids, int(newest))
        finished = ids[-1] == network.config.eos_id or len(ids) >= limit
        yield TokenStep(ids[-1], float(probabilities[ids[-1]]), top_candidates(probabilities), ids, finished)
        if finished:
            return


@torch.inference_mode()
def greedy_batch(
    network: TranslationNetwork, sources: list[list[int]], max_length: int = 128, tap: Tap | None = None
) -> list[list[int]]:
    """Greedy translations of many sentences at once; row by row the same as `stream` with method "greedy".

    Sources of any lengths that end with `</s>`; of each the generated ids, `</s>` included if it was reached.
    """
    config = network.config
    source = pad_batch(sources, config.pad_id).to(network.device)  # (batch, source)
    allowed = padding_mask(source, config.pad_id) if len(sources) > 1 else None  # one sentence is not padded
    decoder = network.begin_decoding(source, allowed, tap)
    columns, never = [], network.ids(config.never_generated)[0]
    newest = torch.full((len(sources),), config.bos_id, device=source.device)
    done = torch.zeros(len(sources), dtype=torch.bool, device=source.device)
    for _ in range(min(max_length, network.most_generated(source.shape[1]))):
        logits = decoder.step(newest)  # (batch, vocabulary)
        newest = logits.index_fill_(-1, never, -math.inf).argmax(dim=-1).masked_fill_(done, config.pad_id)
        columns.append(newest)
        done |= newest == config.eos_id
        if bool(done.all()):
            break
    return [[token for token in row if token != config.pad_id] for row in torch.stack(columns, dim=1).tolist()]


def length_penalty(length: int, alpha: float) -> float:
    """Divisor of a sum of log probabilities over `length` tokens: ((5 + length) / 6)^alpha (Wu et al. 2016)."""
    return ((5 + length) / 6) ** alpha


def beam_search(network: TranslationNetwork, source: list[int], options: DecodingOptions) -> list[BeamNode]:
    """Return the `options.beam` best translations of one sentence, best normalised score first."""
    return list(beam_tree(network, source, options).best)


@torch.inference_mode()
def beam_tree_in_steps(network: TranslationNetwork, source: list[int], options: DecodingOptions) -> InSteps[BeamTree]:
    """Run the same search, `source` with `</s>` last, and return all hypotheses considered; each step is a part."""
    search = _Beam(network, source, options)
    while not search.complete:
        search.advance()
        yield Progress(len(search.considered), search.limit)
    best = search.best()
    returned = {node.ids for node in best}

    def with_final_fate(node: BeamNode) -> BeamNode:
        displaced = node.fate == "finished" and node.ids not in returned
        return replace(node, fate="displaced") if displaced else node

    return BeamTree(tuple(tuple(map(with_final_fate, nodes)) for nodes in search.considered), tuple(best))


beam_tree = as_one_call(beam_tree_in_steps)


class _Beam:
    """One beam search, a step at a time."""

    def __init__(self, network: TranslationNetwork, source: list[int], options: DecodingOptions) -> None:
        self.network, self.options = network, options
        self.limit = min(options.max_length, network.most_generated(len(source)))
        self.decoder = network.begin_decoding(network.ids(source))
        self.alive = [BeamNode((), 1.0, 0.0, 0.0, "kept")]
        self.done: list[BeamNode] = []
        self.tops: dict[tuple[int, ...], Top] = {}  # for each hypothesis, what could have been its last token
        self.considered: list[list[BeamNode]] = []  # a list a step

    def advance(self) -> None:
        """Extend every open hypothesis by one token and select the best."""
        network, width = self.network, self.options.beam
        last = [node.ids[-1] if node.ids else network.config.bos_id for node in self.alive]
        logits = self.decoder.step(network.ids(last)[0])  # (alive, vocabulary)
        rows: list[int] = []
        nodes: list[BeamNode] = []
        for rank, (total, row, token, value, top) in enumerate(self._extensions(logits.float().log_softmax(dim=-1))):
            ids = (*self.alive[row].ids, token)
            self.tops[ids] = top
            ends = token == network.config.eos_id
            fate: Fate = "pruned"
            # an end outside the beam does not count, so a beam of 1 is greedy
            if len(ids) >= self.limit or (ends and rank < width):
                fate = "finished"
            elif not ends and len(rows) < width:
                fate = "kept"
                rows.append(row)
            score = total / length_penalty(len(ids), self.options.length_penalty)
            nodes.append(BeamNode(ids, math.exp(value), total, score, fate))
        self.considered.append(nodes)
        order, alive = _assign_rows(rows), [node for node in nodes if node.fate == "kept"]
        self.alive = [alive[rank] for rank in order]
        self.done = _best_first([*self.done, *(node for node in nodes if node.fate == "finished")])[:width]
        if self.alive:
            self.decoder.select_rows([rows[rank] for rank in order])

    def _extensions(self, log_probabilities: Tensor) -> list[tuple[float, int, int, float, Top]]:
        """Sort extensions by their sums, best first: sum, row, token, its ln p, and the top of the row.

        At most one extension of each hypothesis ends, so among twice the beam's width at least that many continue.

        Args:
            log_probabilities: `(alive, vocabulary)`.
        """
        count, never = 2 * self.options.beam, self.network.config.never_generated
        best = log_probabilities.topk(min(max(count, TOP) + len(never), log_probabilities.shape[1]))
        tokens, values = best.indices.tolist(), best.values.tolist()
        sums = [
            (before.log_probability + value, row, token, value)
            for row, before in enumerate(self.alive)
            for token, value in zip(tokens[row], values[row], strict=True)
            if token not in never
        ]
        sums.sort(key=itemgetter(0), reverse=True)
        pairs = (zip(row_tokens[:TOP], row[:TOP], strict=True) for row_tokens, row in zip(tokens, values, strict=True))
        tops = [tuple((token, math.exp(value)) for token, value in row) for row in pairs]
        return [(*extension, tops[extension[1]]) for extension in sums[:count]]

    @property
    def complete(self) -> bool:
        """True once no open hypothesis is better than every one of `beam` finished translations."""
        if not self.alive:
            return True
        return len(self.done) >= self.options.beam and self.leader.score <= self.done[-1].score

    @property
    def leader(self) -> BeamNode:
        """The best open hypothesis."""
        return max(self.alive, key=attrgetter("score"))

    def best(self) -> list[BeamNode]:
        """Return finished translations, or open hypotheses until one has finished; best first."""
        return self.done or _best_first(self.alive)


def _best_first(nodes: list[BeamNode]) -> list[BeamNode]:
    return sorted(nodes, key=attrgetter("score"), reverse=True)


def _assign_rows(rows: list[int]) -> list[int]:
    """Assign hypotheses to rows of the cache, from the rows of their parents, so that few rows are copied."""
    order: list[int | None] = [None] * len(rows)
    others = []
    for hypothesis, row in enumerate(rows):
        if row < len(rows) and order[row] is None:
            order[row] = hypothesis
        else:
            others.append(hypothesis)
    return [others.pop() if hypothesis is None else hypothesis for hypothesis in order]


def _beam_steps(network: TranslationNetwork, source: list[int], options: DecodingOptions) -> Iterator[TokenStep]:
    """Yield a step each time the search advances: the leading hypothesis, and at the end the winner."""
    search = _Beam(network, source, options)
    while not search.complete:
        search.advance()
        leader = search.best()[0] if search.complete else search.leader
        yield TokenStep(leader.id, leader.probability, search.tops[leader.ids], leader.ids, search.complete)


def top_candidates(probabilities: Tensor) -> Top:
    """Return the `TOP` tokens of `(vocabulary,)` with their probabilities, best first."""
    best = probabilities.topk(min(TOP, len(probabilities)))
    return tuple(zip(best.indices.tolist(), best.values.tolist(), strict=True))
