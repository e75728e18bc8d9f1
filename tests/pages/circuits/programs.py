"""Expected results of the programs of *Circuits* at two settings; `tests/pages/shared/test_code.py` runs them."""

from __future__ import annotations

from model import Trace, Translator
from model.causal.patched_translation import patch_parts_in_steps
from model.causal.path_edges import path_edges_in_steps
from model.causal.sentence_pairs import pair_sentences, prepare_pair
from model.runtime.progress import run_to_end
from tests.pages.conftest import SENTENCE
from tests.pages.shared.programs import OTHER, OWN, Case, Expected, Values, of_a_run, of_the_translator

HOUSE = "I want to buy a house."


@of_the_translator
def patched(model: Translator, values: Values) -> Expected:
    read = (model.read_ids(values[side]) for side in ("clean", "corrupt"))
    pair = pair_sentences(model.resumable, model.tokenizer, *read)
    experiment = prepare_pair(model.resumable, model.tokenizer, pair, pair.proposed, "difference")
    parts = patch_parts_in_steps(model.resumable, experiment, values["site"], direction=values["direction"])
    return {"shares": {part: result.restored for part, result in run_to_end(parts).items()}}


@of_the_translator
def connected(model: Translator, values: Values) -> Expected:
    experiment = model.prepare_experiment(values["clean"], values["corrupt"])
    edges = run_to_end(path_edges_in_steps(model.resumable, experiment))
    return {"direct": edges.heads.direct, "count": edges.heads.count}


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
        PAIR | {"site": "head_output", "direction": "denoising"},
        PAIR | {"site": "keys", "direction": "noising"},
        patched,
    ),
    "paths": (PAIR, {"clean": "Cook it!", "corrupt": "Swim it!"}, connected),
    "lens": (OWN, OTHER, read_out),
    "logit": (OWN | {"position": 2, "other": None}, OTHER | {"position": 0, "other": 220}, split),
}
