"""Two sentences that are compared by patching: which tokens correspond, and which word of the translation changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

import torch

from ..attribution.trace_comparison import find_shared_places
from ..decoding.search import greedy_batch
from ..text.tokenizer import Tokenizer
from ..tracing.trace import SentenceTrace
from .activation_patching import Direction, check_direction
from .causal_error import CausalError, check_choice, check_whole
from .experiments import MOST_TOKENS, Experiment
from .metrics import LogitDifference, Metric, Probability, TargetLoss
from .own_networks import ResumableTranslator
from .recurrent_patching import RecurrentCausalNetwork
from .sites import Alignment

Places = tuple[tuple[int, int], ...]  # (position in the clean sentence, position in the corrupt one), from 0
MetricName = Literal["difference", "probability", "loss"]
Translating = ResumableTranslator | RecurrentCausalNetwork


@dataclass(frozen=True)
class TargetToken:
    """A token of the clean translation, and the token that replaces it after the corrupt sentence."""

    place: int  # in the clean translation, from 0
    # `index`, `label`: the token
    index: int
    label: str
    # `other`, `other_label`: what the network prefers here after the corrupt sentence and the same beginning; None if
    # it prefers the same token
    other: int | None
    other_label: str | None

    @property
    def changes(self) -> bool:
        """Whether the corrupt sentence leads to another token."""
        return self.other is not None


@dataclass(frozen=True, eq=False)
class SentencePair:
    """A clean and a corrupt sentence with their greedy translations."""

    # `clean_ids`, `corrupt_ids`: the sentences, ending with `</s>`
    clean_ids: tuple[int, ...]
    corrupt_ids: tuple[int, ...]
    # `clean_tokens`, `corrupt_tokens`: their labels
    clean_tokens: tuple[str, ...]
    corrupt_tokens: tuple[str, ...]
    translations: tuple[tuple[int, ...], tuple[int, ...]]  # ids of both greedy translations, clean first
    texts: tuple[str, str]  # the same as text
    targets: tuple[TargetToken, ...]  # every token of the clean translation
    alignments: dict[str, Places]  # name -> which positions correspond, without two names for the same; see `align`

    @property
    def are_equal(self) -> bool:
        """Whether the network reads the same tokens."""
        return self.clean_ids == self.corrupt_ids

    @property
    def proposed(self) -> int:
        """Place of the first token that changes; the first token if none does."""
        return next((target.place for target in self.targets if target.changes), 0)

    @property
    def best_alignment(self) -> str:
        """See the function of this name."""
        return best_alignment(self.alignments, self.clean_ids, self.corrupt_ids)

    def alignment(self, name: str, direction: Direction) -> Alignment | None:
        """An alignment as patching reads it; None if every position corresponds to itself."""
        check_direction(direction)
        equal = len(self.clean_ids) == len(self.corrupt_ids)
        return align_stack(
            self.alignments[check_choice("alignment", name, self.alignments)], equal, "encoder", direction
        )


@torch.inference_mode()
def pair_sentences(
    resumable: Translating, tokenizer: Tokenizer, clean: Sequence[int], corrupt: Sequence[int]
) -> SentencePair:
    """Translate both sentences, align them and find the tokens that change.

    Args:
        clean, corrupt: ids of the sentences, ending with `</s>`.
    """
    network = resumable.network
    own, other = (greedy_batch(network, [list(ids)], MOST_TOKENS)[0] for ids in (clean, corrupt))
    fed = network.ids([network.config.bos_id, *own[:-1]])
    logits = resumable.logits(resumable.run((network.ids(corrupt), fed)))[0].clone()
    logits[:, list(network.config.never_generated)] = -torch.inf
    preferred = logits.argmax(dim=-1).tolist()
    others = [None if one == two else two for one, two in zip(own, preferred, strict=True)]
    labels, other_labels = tokenizer.display(own), tokenizer.labels(preferred)
    targets = tuple(
        TargetToken(place, index, labels[place], others[place], other_labels[place] if others[place] else None)
        for place, index in enumerate(own)
    )
    return SentencePair(
        tuple(clean),
        tuple(corrupt),
        tuple(tokenizer.display(clean)),
        tuple(tokenizer.display(corrupt)),
        (tuple(own), tuple(other)),
        (tokenizer.decode(own), tokenizer.decode(other)),
        targets,
        align(clean, corrupt),
    )


def align(clean: Sequence[int], corrupt: Sequence[int]) -> dict[str, Places]:
    """Propose which positions of two sentences correspond, each way under its name, none twice.

    - "position": the first to the first and so on; only where both have equal lengths.
    - "start": equal tokens (`find_shared_places`); what lies between two of them is paired from its beginning on.
    - "end": the same, paired from its end on.
    """
    ways: dict[str, Places] = {}
    if len(clean) == len(corrupt):
        ways["position"] = tuple((place, place) for place in range(len(clean)))
    shared = find_shared_places(clean, corrupt)
    for name in ("start", "end"):
        pairs: list[tuple[int, int]] = []
        begin = (0, 0)
        for one, two in (*zip(shared.first, shared.second, strict=True), (len(clean), len(corrupt))):
            count = min(one - begin[0], two - begin[1])
            first = begin if name == "start" else (one - count, two - count)
            pairs += [(first[0] + step, first[1] + step) for step in range(count)]
            pairs.append((one, two))
            begin = one + 1, two + 1
        ways[name] = tuple(pairs[:-1])
    return {name: pairs for number, (name, pairs) in enumerate(ways.items()) if pairs not in [*ways.values()][:number]}


def best_alignment(alignments: Mapping[str, Places], clean: Sequence[int], corrupt: Sequence[int]) -> str:
    """The alignment that pairs the most equal tokens; the first of those."""

    def equal(name: str) -> int:
        return sum(clean[one] == corrupt[two] for one, two in alignments[name])

    return max(alignments, key=equal)


def align_stack(pairs: Places, equal: bool, stack: str, direction: Direction) -> Alignment | None:
    """An alignment of one stack as patching reads it; None if every position corresponds to itself.

    Args:
        equal: whether both inputs have equally many positions.
    """
    if equal and all(one == two for one, two in pairs):
        return None
    return {stack: [(two, one) if direction == "denoising" else (one, two) for one, two in pairs]}


def prepare_sentence(
    resumable: ResumableTranslator, trace: SentenceTrace, place: int, metric: MetricName
) -> Experiment:
    """Prepare the sentence of a trace for corruption by noise, and what is measured.

    Args:
        place: of the target in the translation; the decoder is fed the translation up to it.
        metric: "probability" is that of the target, "loss" the mean -ln p of the whole translation.

    Raises:
        CausalError: there is no such target, or a difference is asked for, which needs a second sentence.
    """
    place, metric = check_whole("place", place), cast(MetricName, check_choice("metric", metric, get_args(MetricName)))
    if not 0 <= place < len(trace.next_ids):
        raise CausalError(
            "There is no target {place}; the translation has {count}.", place=place, count=len(trace.next_ids)
        )
    if metric == "difference":
        raise CausalError("A difference compares two sentences; measure a probability or a loss.")
    end = len(trace.target_ids) if metric == "loss" else place + 1
    fed, network = trace.target_ids[:end], resumable.network
    measured = TargetLoss(trace.next_ids) if metric == "loss" else Probability(trace.next_ids[place])
    inputs = network.ids(trace.source_ids), network.ids(fed)
    labels = {"encoder": trace.source_tokens, "decoder": trace.target_tokens[:end]}
    return Experiment(inputs, inputs, labels, labels, measured)


def prepare_pair(
    resumable: Translating, tokenizer: Tokenizer, pair: SentencePair, place: int, metric: MetricName
) -> Experiment:
    """Prepare two sentences with one decoder input, and what is measured.

    Args:
        place: of the target in the clean translation; the decoder is fed the translation up to it.
        metric: "difference" is the logit of the target minus that of the token preferred after the corrupt sentence,
            "probability" that of the target, "loss" the mean -ln p of the whole clean translation.

    Raises:
        CausalError: there is no such target, or a difference is asked for where both sentences lead to the same token.
    """
    place, metric = check_whole("place", place), cast(MetricName, check_choice("metric", metric, get_args(MetricName)))
    if not 0 <= place < len(pair.targets):
        raise CausalError(
            "There is no target {place}; the translation has {count}.", place=place, count=len(pair.targets)
        )
    network, translation, target = resumable.network, pair.translations[0], pair.targets[place]
    fed = [network.config.bos_id, *(translation[:-1] if metric == "loss" else translation[:place])]
    measured: Metric = TargetLoss(translation)
    if metric == "difference":
        if target.other is None:
            raise CausalError("Both sentences lead to the same word here; choose another target, or its probability.")
        measured = LogitDifference(target.index, target.other)
    elif metric == "probability":
        measured = Probability(target.index)
    labels = tuple(tokenizer.display(fed))
    return Experiment(
        (network.ids(pair.clean_ids), network.ids(fed)),
        (network.ids(pair.corrupt_ids), network.ids(fed)),
        {"encoder": pair.clean_tokens, "decoder": labels},
        {"encoder": pair.corrupt_tokens, "decoder": labels},
        measured,
    )
