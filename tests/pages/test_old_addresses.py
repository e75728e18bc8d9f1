"""Addresses of earlier versions: every old value of a control maps to its current id and opens the same view."""

import numpy as np
import pytest

from tests.pages.conftest import visit
from tests.pages.old import OLD_VALUES, current_values

# Current ids of the values in `old_values.json`; a line for each control, with the old name of its page.
TODAY = """
attention encoder_key_piece: strongest 1 2 3 4 5 6 7 8
attention encoder_query_piece: 1 2 3 4 5 6 7 8
attention kind: encoder decoder cross
attention look: maps lines one-weight
attention marks: shown hidden
attention scale: shared own log
attention units: tokens words
compare b: changed other
compare decoderasks: every 1 2 3 4 5 6 7
compare decoderforbid: 1 2 3 4 5 6 7
compare decodermask: none window forbid
compare decodersees: 1 2 3 4 5 6 7
compare do: ablate scale sharpen mask one-hot
compare of: encoder decoder cross
compare reads: own a
decoding nodes: kept all
decoding part: step-by-step linear-softmax teacher-forcing beam-search
heads of: all encoder decoder cross
heads sort: effect label place
inside inside: seven-steps one-query heads memory scaling feed-forward add-norm
inside projection: query key value
inside stack: encoder decoder
inside step: projections products scores masked weights output sublayer-output
inside undone: all encoder decoder cross
loss axis: steps epochs
loss part: token-by-token smoothing-gradient training-curves
loss scored: target five
masks mask: causal none window prefix
masks masks: your-sentence causality padding
masks sequence: 1 2 3 4 5 6 7 8 9 10
masks where: all 1 2 3 4
positions basis: columns harmonics
positions change: none shuffled reversed shifted
positions curve: step square-wave sawtooth triangle bump one-position
positions facet: table wavelengths why-sinusoids similarity rotation orthogonality basis trained-model
positions form: paper column
positions where: encoder decoder both
relevance erase: delete mask
relevance method_shown: last-layer all-layers value-weighted rollout gradient
relevance numbers: by-largest as-they-are
relevance target_word: 1 2 3 4 5 6 7
tokens near: 1 2 3 4 5 6 7 8
tokens part: step-by-step neighbours spelling contexts word-order sizes
tokens piece: 1 2 3 4 5 6 7 8
tokens step: tokens ids rows scaled positions
translate method: greedy beam sampling
vision change: shuffle no-positions both
vision explain: answer 1 2 3 4 5 6 7 8 9 10
vision fusion: mean max min
vision look: maps lines one-weight
vision marks: shown hidden
vision measure: logit probability
vision scale: shared own own log
vision vasks: all cls
vision vdo: ablate scale sharpen mask one-hot
vision view: patches cls any-patch layers positions heads full-maps what-if
vision vsort: effect label place
"""


def cell_ids(rows: int, columns: int) -> list[str]:
    return [f"{row + 1}-{column + 1}" for row, column in np.ndindex(rows, columns)]


OF_ALL_HEADS = {
    ("heads", "shown"): [
        f"{kind}-{n // 8 + 1}-{n % 8 + 1}" for kind in ("encoder", "decoder", "cross") for n in range(32)
    ],
    ("vision", "vshown"): [f"vision-{n // 6 + 1}-{n % 6 + 1}" for n in range(36)],
}


def test_every_old_value_has_its_current_id():
    lines = dict(line.split(": ") for line in TODAY.strip().splitlines())
    expected = {tuple(control.split()): ids.split() for control, ids in lines.items()}
    expected |= {control: ["first", *heads] for control, heads in OF_ALL_HEADS.items()}
    expected["vision", "vision_query_piece"] = ["cls", *cell_ids(12, 12)]
    expected["vision", "vision_key_piece"] = ["strongest", "cls", *cell_ids(12, 12)]
    assert {control: current_values(*control) for control in expected} == expected
    for page, controls in OLD_VALUES.items():
        for name in set(controls) - {name for old_page, name in expected if old_page == page}:
            same = ["greedy", "beam", "sampling"] if name == "method" else OLD_VALUES[page][name]
            assert name == "kind" or current_values(page, name) == same, (page, name)


@pytest.mark.parametrize(
    ("page", "old", "chosen"),
    [
        ("attention", {"look": "One weight", "encoder_query_piece": "6 car"}, ("one-weight", "6")),
        ("attention", {"look": "One weight", "encoder_key_piece": "2 want"}, ("one-weight", "2")),
        (
            "attribution",
            {"erase": "Hiding it", "method_shown": "Rollout", "target_word": "2 veux"},
            ("mask", "rollout", "2"),
        ),
        ("decoding", {"part": "Beam search", "nodes": "All considered"}, ("beam-search", "all")),
        ("heads", {"of": "Cross", "sort": "Place", "shown": "cross 2.3"}, ("cross", "place", "cross-2-3")),
        ("inside", {"step": "7 Concat, W\u2092", "kind": "Cross"}, ("sublayer-output", "cross")),
        ("loss", {"part": "Training curves", "axis": "Epochs"}, ("training-curves", "epochs")),
        ("masks", {"masks": "Padding", "sequence": "4 (2 long)"}, ("padding", "4")),
        (
            "positions",
            {"facet": "A basis", "curve": "one position", "basis": "Harmonics of the length"},
            ("basis", "one-position", "harmonics"),
        ),
        ("tokens", {"step": "3 Embedding rows", "piece": "6 car"}, ("rows", "6")),
        ("tokens", {"part": "Neighbours", "near": "6 car"}, ("neighbours", "6")),
        ("translate", {"method": "Beam", "beam": "2"}, ("beam", 2)),
        ("vision", {"view": "Through the layers", "explain": "French horn"}, ("layers", "6")),
    ],
)
def test_an_old_address_opens_the_same_view(page, old, chosen):
    app = visit(page, **old)
    state, query = app.session_state, app.query_params  # settings of a component are only in the address
    assert tuple(state[name] if name in state else query[name] for name in old) == chosen
