"""Learn the table of `model.text.word_alignment` from sentence pairs by expectation-maximisation."""

import numpy as np

from model.text.word_alignment import NULL, AlignmentTable, diagonal

ITERATIONS = 5
KEPT = 0.05  # entries below this in both directions are left out of the table


def learn_alignment(pairs: list[tuple[list[int], list[int]]], vocabulary: int) -> AlignmentTable:
    """Both directions of the table.

    Args:
        pairs: ids of the source and of the target tokens, without `<s>` and `</s>`.
        vocabulary: number of tokens.
    """
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
