"""Tolerances of the checks on the pages: each difference is rendered together with its bound.

A check computes the same thing a second time in another way. Rounding makes the two differ slightly; by how much
depends on what is computed and on how large its numbers are. Where a bound follows from that alone, its comment derives
it. The others pass through whole networks: about three times the largest difference found on hundreds of inputs,
rounded up (`tests/pages/shared/test_checks.py` measures them again). A difference beyond its bound is a bug, and the
page reports it.
"""

from model.attribution.intervention_result import InterventionCheck
from model.tracing.traced_model import Record
from pages.shared.texts import Figure, block, render_check
from views.text.catalogue import Message, say
from views.text.numbers import MINUS, three_digits

# Single precision has about seven digits: a rounding costs up to u = 2^-24 = 6e-8 of a number's size, in double
# precision up to v = 2^-53 = 1.1e-16. A sum of n products of sizes that add up to A is off by n u A at most, and in
# practice by about sqrt(n) u A, since roundings go either way.
BOUNDS = {
    # attention
    "attention": 1e-5,
    "row sums": 2e-6,
    "half attention": 0.05,
    "half row sums": 0.02,
    "mask leak": 0.0,
    "masked weights": 1e-6,
    "one weight": 1e-5,
    "attention step": 5e-5,
    "one query": 5e-6,
    "two forms": 1e-5,
    "padding": 1e-5,
    # the rest of a layer
    "hidden units": 2e-5,  # 256 products that add up to some 17 in size: 16 u x 17 = 1.6e-5
    "fed forward": 2e-5,  # the 170 or so of 1024 units that fire, adding up to some 24: 13 u x 24 = 1.9e-5
    "fed forward alone": 2e-5,  # the same sum, in another order
    "Add & Norm": 5e-6,
    "means": 1e-12,
    "variances": 1e-4,
    # the input
    "embedding": 1e-6,
    "cosines": 5e-6,
    "orders": 1e-5,
    "area under the curve": 1e-15,  # shares of whole counts, below 1: a division and a difference on either side, 4 v
    "patch embedding": 5e-6,
    "pictures again": 1e-5,  # 12 sub-layers, sums of some 192: 12 x 14 u of a logit of 4; p moves by a quarter of that
    # positions
    "sinusoid table": 1e-7,
    "wavelengths": 1e-6,
    "integers": 0.0,
    "sinusoids": 0.0,
    "similarity of positions": 1e-10,
    "overlap of columns": 1e-13,  # shares of lengths, 512 terms: sqrt(512) v for the product and for either length
    "rotation": 1e-12,
    "fitted rotation": 1e-9,
    "sum of samples": 1e-6,
    "share left over": 1e-9,
    "Fourier coefficients": 1e-13,  # up to 2: 2 x 128 terms v, and the angles within one revolution: 2 x 6.3 v each
    "vectors": 1e-14,  # shares of what cancels: elimination of 3 x 3, whose pivots at most fourfold: 3 x 3 x 4 v
    "one distance": 1e-12,  # angles up to 128 with v each; products of 8 at most, two of them: 4 x 128 v x 8 x 2
    "positions put back": 2e-5,
    "shuffled patches": 2e-6,
    # decoding and loss
    "step by step": 1e-5,
    "cached logits": 1e-5,  # a share of the largest logit
    "copying": 1e-12,  # a share of the sum of all |eigenvalues|, in double precision
    "choice": 1e-5,
    "output layer": 2e-5,
    "typed rows": 2e-15,  # at most 8 powers, each within 2 v, their sum and a division: 8 + 2 + 2 v, below 1
    "two passes": 2e-5,
    "sum of ln p": 2e-4,
    "cross-entropy": 1e-5,
    "typed losses": 2e-13,  # up to 745, the -ln of the smallest number: its last place on either side
    "loss gradient": 1e-12,
    "gradient sum": 1e-6,
    # interventions
    "intervention": 2e-5,
    "edited weights": 1e-4,
    "head alone": 1e-5,
    "head by its own output": 1e-5,
    "logits of one head": 1e-5,
    "patched nothing": 1e-5,  # shares of the largest logit
    "patched everything": 1e-5,
    "recomputed edges": 5e-5,  # differences of two logits, each through whole runs in another order of sums
    "nothing sent": 5e-5,
    "logit lens": 1e-5,  # a share likewise
    "logit parts": 1e-4,  # the stream is a sum in single precision; 8 norms divide by what is frozen
    # opened models: the limits within which their streams are proven, as shares of the largest logit
    "opened stream": 1e-4,
    "half stream": 0.1,
    "parts of an opened logit": 1e-4,  # a share of the sum of all |parts|: that of every norm's and head's formula
    # recurrent networks
    "recurrent states": 1e-5,
    "raw weights": 1e-12,
    "timed logits": 5e-5,
    "bleu of the card": 0.006,
    "one side of a sentence": 1e-5,
    "state gradients": 2e-5,
    "replaced token": 1e-5,
    "gates": 1e-5,
    "held gate": 2e-5,
    "gate in the weights": 1e-4,
    # explanations
    "nothing erased": 1e-5,
    "erased alone": 5e-5,
    "rollout": 1e-12,
    "relevance in a batch": 5e-6,
    "ends of curves": 2e-6,
    "slope of ln p": 0.05,
    "slope of the logit": 2e-3,
}
_ROUNDING = Message("check.rounding", "{figure} (rounding stays below {bound})")
_BEYOND = Message("check.beyond", "{figure}, which is beyond the bound {bound}: something is wrong")
# Differences that have another cause than rounding.
_STEP = Message("check.step", "{figure} (a finite step stays below {bound})")
_REASONS = {
    "slope of ln p": _STEP,
    "slope of the logit": _STEP,
    "sum of samples": Message("check.samples", "{figure} (a finite number of samples stays below {bound})"),
    "bleu of the card": Message("check.two-decimals", "{figure} (the card has two decimals: below {bound})"),
    "variances": Message("check.epsilon", "{figure} (LayerNorm\u2019s \u03b5 stays below {bound})"),
}


def format_difference(name: str, figure: float) -> Figure:
    """Format a difference with its bound.

    Args:
        name: one of `BOUNDS`.
        figure: not negative.
    """
    bound = BOUNDS[name]
    exponential = f"{bound:.0e}".replace("e-0", "e-").replace("-", MINUS)
    formatted = exponential if 0 < bound < 1e-3 else f"{bound:g}"  # `1e-5`, `0.05`
    if bound == figure == 0:
        return Figure(say("check.exact", "exactly 0"))
    within = figure <= bound  # False for NaN
    message = _REASONS.get(name, _ROUNDING) if within else _BEYOND
    return Figure(message(figure=three_digits(figure), bound=formatted), within)


def format_stream_difference(name: str, figure: float, half: bool | None) -> Figure:
    """Format a difference of logits, as a share of the largest.

    Args:
        name: one of `BOUNDS`, for a network of this project.
        half: whether an opened model runs in half precision; None for a network of this project.
    """
    if half is None:
        return format_difference(name, figure)
    return format_difference("half stream", figure) if half else format_difference("opened stream", figure)


# Suffixes of the ids of the texts on attention, by how its record is verified.
_WAYS = {"sdpa": "", "score": "-of-a-score", "fused": "-fused", "double": "-double", "eager": "-eager"}


def describe_attention_check(record: Record, causal: bool = False) -> tuple[Figure, str]:
    """Return the result of a record's check as Markdown, and the id of the block that explains it."""
    check, way = record.verification, _WAYS[getattr(record, "verified_by", "sdpa")]
    leak = Figure(say("viewer.check.unmasked", "0, nothing is masked"))
    if causal or record.allowed is not None:
        leak = format_difference("mask leak", check.masked_weight)
    if getattr(record, "half", False):
        difference, rows = (
            format_difference("half attention", check.max_difference),
            format_difference("half row sums", check.row_sum_error),
        )
    else:
        difference, rows = (
            format_difference("attention", check.max_difference),
            format_difference("row sums", check.row_sum_error),
        )
    line = block("attention_viewer", f"check{way}", difference=difference, rows=rows, masked_weight=leak)
    within = all(getattr(figure, "within", True) for figure in (difference, rows, leak))
    return Figure(line, within), "what-this-checks" + ("-opened" if way in ("-fused", "-double", "-eager") else way)


def render_intervention_check(check: InterventionCheck) -> None:
    """Render the check of an intervention: one or two differences, and a fold that explains them."""
    recomputed = check.recomputed
    difference = (
        format_difference("half attention", recomputed) if check.half else format_difference("intervention", recomputed)
    )
    lines, within = [block("compare", "check", difference=difference)], difference.within
    if check.edited is not None:
        edited = format_difference("edited weights", check.edited)
        lines.append(block("compare", "check-by-weights", difference=edited))
        within = within and edited.within
    render_check(Figure(" ".join(lines), within), "compare")
