"""Expected results of the programs of *Circuits* at two settings; `tests/pages/shared/test_code.py` runs them."""

from __future__ import annotations

from model import Trace, Translator
from model.causal.patched_translation import patch_noise_parts_in_steps, patch_parts_in_steps
from model.causal.path_edges import path_edges_in_steps
from model.causal.recurrent_patching import patch_states_in_steps
from model.causal.sentence_pairs import pair_sentences, prepare_pair, prepare_sentence
from model.runtime.progress import run_to_end
from tests.pages.conftest import SENTENCE
from tests.pages.shared.programs import OTHER, OWN, Case, Expected, Values, load_recurrent, of_a_run, of_the_translator

HOUSE = "I want to buy a house."
LONGER = "I want to buy a big car."
ALIGNED = {
    "encoder": [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 6), (6, 7), (7, 8)],
    "decoder": [(place, place) for place in range(5)],
}


@of_the_translator
def patched(model: Translator, values: Values) -> Expected:
    read = (model.read_ids(values[side]) for side in ("clean", "corrupt"))
    pair = pair_sentences(model.resumable, model.tokenizer, *read)
    experiment = prepare_pair(model.resumable, model.tokenizer, pair, pair.proposed, "difference")
    options = {"direction": values["direction"]}
    if values["alignment"] is not None:
        options["alignment"] = pair.alignment(pair.best_alignment, values["direction"])
    parts = patch_parts_in_steps(model.resumable, experiment, values["site"], **options)
    return {"shares": {part: result.restored for part, result in run_to_end(parts).items()}}


def stepped(values: Values) -> Expected:
    model = load_recurrent(values["network"])
    read = (model.read_ids(values[side]) for side in ("clean", "corrupt"))
    pair = pair_sentences(model.resumable, model.tokenizer, *read)
    experiment = prepare_pair(model.resumable, model.tokenizer, pair, pair.proposed, "difference")
    options = {"direction": values["direction"]}
    if values["alignment"] is not None:
        options["alignment"] = pair.alignment(pair.best_alignment, values["direction"])
    results = run_to_end(patch_states_in_steps(model.resumable, experiment, **options))
    return {"shares": {place: result.restored for place, result in results.items()}}


@of_the_translator
def connected(model: Translator, values: Values) -> Expected:
    experiment = model.prepare_experiment(values["clean"], values["corrupt"])
    edges = run_to_end(path_edges_in_steps(model.resumable, experiment))
    return {"direct": edges.heads.direct, "count": edges.heads.count}


@of_a_run
def noised(model: Translator, trace: Trace, values: Values) -> Expected:
    experiment = prepare_sentence(model.resumable, trace, values["place"], values["measured"])
    options = {"samples": values["samples"], "seed": values["seed"]}
    noisy = {"encoder": tuple(values["noisy"])}
    parts = run_to_end(patch_noise_parts_in_steps(model.resumable, experiment, values["site"], noisy, **options))
    return {"shares": {part: result.restored for part, result in parts.items()}}


@of_a_run
def read_out(model: Translator, trace: Trace, values: Values) -> Expected:
    lens = model.logit_lens(trace)
    return {
        "top_ids": lens.top_ids[:, :, 0],
        "probabilities": lens.top_probabilities[:, :, 0],
        "ranks": lens.ranks,
        "said": tuple(model.tokenizer.labels(row.tolist()) for row in lens.top_ids[:, :, 0]),
    }


@of_a_run
def split(model: Translator, trace: Trace, values: Values) -> Expected:
    place, other = values["position"], values["other"]
    attribution = model.logit_attribution(trace, trace.next_ids[place], other, place)
    return {"heads": attribution.heads, "feed_forward": attribution.feed_forward, "total": attribution.logit}


PAIR = {"clean": SENTENCE, "corrupt": HOUSE}
CASES: dict[str, Case] = {
    "patching": (
        PAIR | {"site": "head_output", "direction": "denoising", "alignment": None},
        {"clean": SENTENCE, "corrupt": LONGER, "site": "keys", "direction": "noising", "alignment": ALIGNED},
        patched,
    ),
    "states": (
        PAIR | {"network": "lstm-additive", "direction": "denoising", "alignment": None},
        PAIR | {"network": "rnn-vector", "direction": "noising", "alignment": None},
        stepped,
    ),
    "paths": (PAIR, {"clean": "He wants a car.", "corrupt": "He wants a house."}, connected),
    "noise": (
        OWN | {"noisy": [4], "place": 3, "measured": "probability", "site": "head_output", "samples": 3, "seed": 0},
        # noise that changes the loss by 0.8 nats: a share divides by this change, and so does its rounding
        OTHER | {"noisy": [1, 2, 3], "place": 0, "measured": "loss", "site": "head_output", "samples": 2, "seed": 8},
        noised,
    ),
    "lens": (OWN, OTHER, read_out),
    "logit": (OWN | {"position": 2, "other": None}, OTHER | {"position": 0, "other": 220}, split),
}
