"""What a beam search considered, step by step: every extension it considered, and what became of it."""

from dataclasses import dataclass, replace
from typing import Literal

Fate = Literal["kept", "finished", "displaced", "pruned"]


@dataclass(frozen=True)
class Hypothesis:
    """A finished or open hypothesis in a beam: its ids, the sum of its log probabilities, and the normalised score."""

    ids: tuple[int, ...]
    log_probability: float
    score: float


@dataclass(frozen=True)
class BeamNode:
    """One hypothesis that the search considered."""

    ids: tuple[int, ...]  # all its tokens, without `<s>`; the node of `ids[:-1]` is its parent
    probability: float  # of its last token, given the others
    log_probability: float  # the sum of ln p over its tokens, in nats
    score: float  # `log_probability` divided by the length penalty (Wu et al. 2016, section 7).
    # "kept" goes on to the next step; "finished" is one of the translations the search returns; "displaced" had
    # finished, but as many better ones finished as the beam is wide; "pruned" was not among the best
    fate: Fate

    @property
    def id(self) -> int:
        """The token it added."""
        return self.ids[-1]


@dataclass(frozen=True)
class BeamTree:
    """A whole search."""

    # for each step the nodes that were considered, most probable first; twice the width of the beam at most
    steps: tuple[tuple[BeamNode, ...], ...]
    best: tuple[Hypothesis, ...]  # what `beam_search` returns for the same question

    @property
    def winner(self) -> tuple[int, ...]:
        """Ids of the best translation."""
        return self.best[0].ids

    def on_winning_path(self, node: BeamNode) -> bool:
        """True if the best translation begins with this node's tokens."""
        return self.winner[: len(node.ids)] == node.ids


def settle(steps: list[list[BeamNode]], best: list[Hypothesis]) -> BeamTree:
    """The tree of a search that has ended: what finished and is not among `best` was displaced."""
    returned = {hypothesis.ids for hypothesis in best}
    settled = tuple(
        tuple(
            replace(node, fate="displaced") if node.fate == "finished" and node.ids not in returned else node
            for node in nodes
        )
        for nodes in steps
    )
    return BeamTree(settled, tuple(best))
