"""Which source token a target token translates, from counting alone: a reference that no attention head had a part in.

The model is IBM Model 1 (Brown et al. 1993) with the fixed preference for the diagonal of Dyer et al. 2013 (section 2):
target token j of n comes from source token i of m with probability proportional to exp(-TENSION |j/n - i/m|) times
t(target token | source token), or from nothing with probability NULL. t is learned by expectation-maximisation over the
training pairs, in both directions. Tokens are linked where both directions choose each other (the intersection of Och
and Ney 2003, section 2.3): few links, but sure ones. The table that ships keeps the entries that matter.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from ..runtime.checkpoint import CheckpointError, display_path, load_tensors, save_tensors

TENSION, NULL = 4.0, 0.08
FILE = "alignment.safetensors"
ITERATIONS = 5
KEPT = 0.05  # entries below this in both directions are left out of the table


@dataclass(frozen=True, eq=False)
class AlignmentTable:
    """Translation probabilities of tokens, both ways. Entries that are missing are 0."""

    vocabulary: int  # number of tokens; as an id it stands for "nothing"
    pairs: np.ndarray  # `(entry,)` int64, ascending: source id x (vocabulary + 1) + target id
    forward: np.ndarray  # `(entry,)` float32, t(target | source)
    backward: np.ndarray  # `(entry,)` float32, t(source | target)

    def link(self, source_ids: list[int], target_ids: list[int]) -> np.ndarray:
        """`(target, source)` bool: which tokens translate each other. Ids without `<s>` and `</s>`."""
        nothing = [self.vocabulary]
        if not source_ids or not target_ids:
            return np.zeros((len(target_ids), len(source_ids)), dtype=bool)
        there = self._look_up(self.forward, [*source_ids, *nothing], target_ids)  # (target, source and nothing)
        back = self._look_up(self.backward, source_ids, [*target_ids, *nothing]).T  # (source, target and nothing)
        return _chosen(there) & _chosen(back).T

    def _look_up(self, table: np.ndarray, source_ids: list[int], target_ids: list[int]) -> np.ndarray:
        wanted = np.array(source_ids)[None] * (self.vocabulary + 1) + np.array(target_ids)[:, None]
        place = np.minimum(np.searchsorted(self.pairs, wanted), len(self.pairs) - 1)
        return np.where(self.pairs[place] == wanted, table[place], 0).astype(np.float64)

    def save(self, folder: Path, tokenizer_sha256: str) -> None:
        """Write to `FILE` in `folder`, with the tokenizer whose ids it speaks of."""
        source, target = np.divmod(self.pairs, self.vocabulary + 1)
        narrow = torch.int16 if self.vocabulary <= torch.iinfo(torch.int16).max else torch.int32
        tensors = {
            "source": torch.from_numpy(source).to(narrow),
            "target": torch.from_numpy(target).to(narrow),
            "forward": torch.from_numpy(self.forward).half(),
            "backward": torch.from_numpy(self.backward).half(),
        }
        facts = {"vocabulary": str(self.vocabulary), "tokenizer_sha256": tokenizer_sha256}
        save_tensors(folder / FILE, tensors, facts)

    @classmethod
    def load(cls, folder: Path, tokenizer_sha256: str) -> "AlignmentTable":
        """Read what `save` wrote.

        Raises:
            CheckpointError: missing, damaged, or of another tokenizer.
        """
        tensors, facts = load_tensors(folder / FILE)
        if facts.get("tokenizer_sha256") != tokenizer_sha256:
            raise CheckpointError(
                "{file} in {folder} belongs to another tokenizer; run `make head-statistics` again.",
                file=FILE,
                folder=display_path(folder),
            )
        vocabulary = int(facts["vocabulary"])
        pairs = tensors["source"].long() * (vocabulary + 1) + tensors["target"].long()
        return cls(vocabulary, pairs.numpy(), tensors["forward"].float().numpy(), tensors["backward"].float().numpy())


def diagonal(sources: int, targets: int) -> np.ndarray:
    """`(target, source)` float64: how likely each place is before any word is seen; rows sum to 1 - NULL."""
    rows, columns = (np.arange(1, targets + 1) / targets)[:, None], (np.arange(1, sources + 1) / sources)[None]
    near = np.exp(-TENSION * np.abs(rows - columns))
    return (1 - NULL) * near / near.sum(axis=1, keepdims=True)


def _chosen(table: np.ndarray) -> np.ndarray:
    """`(token, candidate)` bool: each token's most probable candidate, if it is a token; the last one is nothing."""
    tokens, candidates = table.shape[0], table.shape[1] - 1
    prior = np.concatenate([diagonal(candidates, tokens), np.full((tokens, 1), NULL)], axis=1)
    weighed = table * prior
    best = weighed.argmax(axis=1)
    chosen = np.zeros((tokens, candidates + 1), dtype=bool)
    chosen[np.arange(tokens), best] = weighed[np.arange(tokens), best] > 0
    return chosen[:, :-1]


def find_links(alignment: AlignmentTable, source_ids: tuple[int, ...], next_ids: tuple[int, ...]) -> np.ndarray:
    """`(token, key)` bool for cross-attention, as `model.attribution.head_labels.text_scores` takes it.

    Both sequences end with `</s>`, which is linked to nothing.
    """
    links = np.zeros((len(next_ids), len(source_ids)), dtype=bool)
    generated = len(next_ids) - (next_ids[-1] == source_ids[-1])  # a translation that was cut off has no `</s>`
    links[:generated, :-1] = alignment.link(list(source_ids[:-1]), list(next_ids[:generated]))
    return links


def learn_alignment(pairs: list[tuple[list[int], list[int]]], vocabulary: int) -> AlignmentTable:
    """Both directions of the table, from ids of source and target tokens without `<s>` and `</s>`."""
    there = _direction(pairs, vocabulary)
    back = _direction([(target, source) for source, target in pairs], vocabulary)
    side = vocabulary + 1
    turned = {(key % side) * side + key // side: value for key, value in back.items()}
    keys = np.array(sorted(there.keys() | turned.keys()), dtype=np.int64)
    forward, backward = (
        np.array([table.get(int(key), 0.0) for key in keys], dtype=np.float32) for table in (there, turned)
    )
    return AlignmentTable(vocabulary, keys, forward, backward)


def _direction(pairs: list[tuple[list[int], list[int]]], vocabulary: int) -> dict[int, float]:
    """given id x (vocabulary + 1) + produced id -> t(produced | given), for the entries worth keeping."""
    side = vocabulary + 1
    shapes: dict[tuple[int, int], np.ndarray] = {}
    cells, priors, widths = [], [], []
    for given, produced in pairs:
        if not given or not produced:
            continue
        shape = len(given), len(produced)
        if shape not in shapes:
            null = np.full((shape[1], 1), NULL)
            shapes[shape] = np.concatenate([diagonal(*shape), null], axis=1).astype(np.float32).ravel()
        candidates = np.array([*given, vocabulary], dtype=np.int64) * side
        cells.append((candidates[None] + np.array(produced, dtype=np.int64)[:, None]).ravel())
        priors.append(shapes[shape])
        widths.append(np.full(shape[1], shape[0] + 1))
    keys, place = np.unique(np.concatenate(cells), return_inverse=True)
    place, prior, width = place.astype(np.int32), np.concatenate(priors), np.concatenate(widths)
    del cells, priors
    starts = np.concatenate([[0], np.cumsum(width)[:-1]])
    given = keys // side
    table = 1 / np.bincount(given, minlength=side)[given]  # even over what was ever seen together
    for _ in range(ITERATIONS):
        expected = table[place] * prior  # (cell,)
        expected /= np.repeat(np.add.reduceat(expected, starts), width)
        counts = np.bincount(place, expected, len(keys))
        table = counts / np.bincount(given, counts, side)[given]
    kept = table >= KEPT
    return dict(zip(keys[kept].tolist(), table[kept].tolist(), strict=True))
