"""Expected results of the programs of *Loss* at two settings; `tests/pages/shared/test_code.py` runs them."""

from __future__ import annotations

import math

from model import Trace, Translator
from model.lessons.head_formation import follow_training_in_steps
from model.networks.loss_terms import logit_gradient, score_probabilities, score_target, smallest_loss
from model.position_translator import FIRST, SHIPPED, TOKENIZER
from model.runtime.progress import run_to_end
from model.runtime.training_record import training_curves
from tests.pages.conftest import loaded
from tests.pages.shared.programs import OTHER, OWN, Case, Expected, Values, of_a_sentence


@of_a_sentence
def loss(network, trace: Trace, values: Values) -> Expected:
    terms = score_target(trace.logits, trace.next_ids).terms
    names = ("losses", "probabilities", "total", "mean", "perplexity", "shares", "running_means")
    return {name: getattr(terms, name) for name in names} | {"ranks": [row.rank for row in trace.predictions(1)]}


@of_a_sentence
def gradient(network, trace: Trace, values: Values) -> Expected:
    computed, vocabulary = logit_gradient(trace.logits, trace.next_ids, values["smoothing"]), trace.logits.shape[1]
    return {
        "gradient": computed.gradient[values["position"] - 1],
        "smoothed": computed.mean,
        "plain": score_target(trace.logits, trace.next_ids).terms.mean,
        "smallest": smallest_loss(vocabulary, values["smoothing"]),
    }


def trained(values: Values) -> Expected:
    curves = training_curves(loaded().folder)
    by_step = values["axis"] == "steps"
    at, ends = (curves.steps, curves.heldout_steps) if by_step else (curves.epochs, curves.heldout_epochs)
    heldout = curves.heldout_nlls
    most = next(place for place, each in enumerate(heldout) if heldout[0] - each >= 0.9 * (heldout[0] - heldout.min()))
    lines = {"losses": curves.losses, "nlls": curves.nlls, "rates": curves.rates, "heldout": heldout}
    return lines | {"at": at, "heldout_at": ends, "most": most + 1}


def typed(values: Values) -> Expected:
    computed = score_probabilities([probability for _, probability in values["tokens"]]).terms
    nats = math.log(values["base"])
    sums = {"losses": computed.losses / nats, "total": computed.total / nats, "mean": computed.mean / nats}
    return sums | {"perplexity": computed.perplexity, "shares": computed.shares}


def at_a_step(values: Values) -> Expected:
    """What the page computes of a sentence with the weights of a step, with those that ship."""
    translator = Translator.load(SHIPPED / FIRST, "cpu", tokenizer=TOKENIZER)
    source, _, following = translator.forced(values["sentence"], target_ids=values["next_ids"])
    hashes = {values["step"]: None}
    sizes = translator.config, translator.tokenizer, translator.folder
    (step,) = run_to_end(follow_training_in_steps(*sizes, hashes, source, following, "cpu"))
    return {"losses": step.losses, "loss": step.losses.mean(), "translation": step.text}


CASES: dict[str, Case] = {
    "typed": (
        {"tokens": (("Je", 0.8), ("suis", 0.6), ("un", 0.7)), "base": math.e},
        {"tokens": (("a", 0.25), ("b", 1.0)), "base": 2},
        typed,
    ),
    "token-by-token": (OWN, OTHER, loss),
    "smoothing-gradient": (
        OWN | {"position": 1, "smoothing": 0.1},
        OTHER | {"position": 3, "smoothing": 0.0},
        gradient,
    ),
    "heads-that-form": (
        {"sentence": OWN["sentence"], "next_ids": (271, 372, 1300, 312, 567, 260, 3), "step": 0},
        {"sentence": OTHER["sentence"], "next_ids": OTHER["target_ids"], "step": 3144},
        at_a_step,
    ),
    "training-curves": ({"axis": "steps"}, {"axis": "epochs"}, trained),
}
