"""Sentences with a word of frequency, such as "often", each with what it rests on.

A sentence that is general names network, number of cases and baseline, or paper and section. Those whose word counts
nothing that could be otherwise are listed with the reason. `tests/test_general_claims.py` reads the table.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    """A sentence about a network.

    Attributes:
        network: which one.
        cases: how many inputs or parts were measured, or the value on the page that states it.
        baseline: what the figure is compared with.
    """

    network: str
    cases: int | str
    baseline: str


@dataclass(frozen=True)
class Published:
    """A sentence of a paper: authors and year, and section, table or figure."""

    paper: str


@dataclass(frozen=True)
class NoClaim:
    """A word that states no frequency of a network's behaviour, and why."""

    reason: str


CLAIMS: dict[
    tuple[str, str], Measured | Published | NoClaim
] = {  # (file and block, id of a message, or "error" for errors and cards; words) -> basis
    ("attribution#differ-overall", "the same top word most often, for {share}"): Measured(
        "translator", "the target words of the user's sentence, counted in {share}", "the other methods"
    ),
    ("attribution#not-measured", "no figures over many sentences"): NoClaim("states that nothing was measured"),
    ("experiments#inside-one-query", "gets most of its weight"): NoClaim("a question; the result has the weight"),
    ("glossary#beam-search", "a few hypotheses are kept"): NoClaim("definition: as many as the beam width"),
    ("glossary#vanishing-gradient", "a product of many small factors"): NoClaim("definition: one factor for each step"),
    ("history#beside-read", "gets most of its attention"): NoClaim("definition of the link: the largest weight"),
    ("history#beside-read", "for nearly every token cannot come near 0"): NoClaim(
        "arithmetic: links that the other lacks"
    ),
    ("history#forgetting", "A product of many factors tends to vanish or to explode"): Published(
        "Pascanu et al. 2013, section 2.1"
    ),
    ("lessons#attention-ribbons-last", "reads from the most words at once"): NoClaim("a question about one sentence"),
    ("lesson.inside-add-norm.because.self", "has most of the numbers"): Measured(
        "translator", 789_760, "half of the parameters of an encoder layer; the feed-forward part has 525,568"
    ),
    ("loss#formation-study", "does so more often than the 95 % band of the other heads"): NoClaim(
        "definition of the name; the band is the baseline"
    ),
    ("tokens#dimensions", "The best of many looks good"): NoClaim("selection: the largest of several scores"),
    ("tokens#dimensions-weak", "is spread over many dimensions"): Measured(
        "translator", "the pairs and dimensions that the page states", "the best of random directions"
    ),
    ("vision#read-a-map", "attends to few patches"): NoClaim("definition of a small outline"),
    ("vision_layers#card", '"Many pictures" are {pictures}'): NoClaim("the name of a measurement, with its number"),
    ("vision_layers#card-agreement", "most often the same top"): Measured(
        "Vision Transformer", "{pictures} pictures", "the other methods"
    ),
    ("lesson.heads", "Many heads"): NoClaim("a title: the layer has eight"),
    ("history.forgetting.many", "Over many sentences"): NoClaim("a title; the number is below it"),
    ("history.raw.study", "Over many held-out sentences"): NoClaim("a title; the number is below it"),
    ("ranking.often.label", "label over many"): NoClaim("a column; its help has the number"),
    ("ranking.often.score", "score over many"): NoClaim("a column; its help has the number"),
    ("ranking.often.change", "change of the loss over many"): NoClaim("a column; its help has the number"),
    ("compare.window", "less than this many places"): NoClaim("the number that the user sets"),
    ("tokens.part.contexts", "One word, many contexts"): NoClaim("a title"),
    ("occlusion.agreement.many", "many pictures"): NoClaim("a column; the text beside it has the number"),
    ("occlusion.deletion.many", "many pictures"): NoClaim("a column; the text beside it has the number"),
    ("occlusion.insertion.many", "many pictures"): NoClaim("a column; the text beside it has the number"),
    ("error", "the weights lack many: they are {saved:,}"): NoClaim("an error with both numbers"),
    ("error", "Many visitors are here"): NoClaim("the state of the server"),
    ("error", "recognizes most of the pictures held back"): Measured(
        "Vision Transformer", 1000, "the other epochs; the card has the share and the number"
    ),
    ("error", "most of those held back are recognized"): Measured(
        "Vision Transformer", 1000, "the other sizes; the card has their shares"
    ),
    ("error", "does not find the object more often"): NoClaim(
        "a condition; the card has the shares and their baseline"
    ),
    ("error", "how much more often it finds the object"): NoClaim("a difference that the card states with its band"),
    ("docs/checkpoint.ipynb", "over many texts"): NoClaim("the name of a command's task"),
    ("docs/causal.md", "a few logits at stated positions"): NoClaim("what a metric is made of"),
    ("docs/models.md", "as most of Qwen2.5-VL's"): NoClaim("the layout of one architecture, by its configuration"),
    ("docs/models.md", "Of many tokens"): NoClaim("a condition"),
    ("docs/models.md", "Over many texts"): NoClaim("a heading"),
    ("docs/operating.md", "a few visitors at once"): NoClaim("a limit of the server, stated in the same document"),
    ("docs/python.md", "the image processors of many checkpoints need"): NoClaim("why an extra exists"),
    ("docs/study.md", "over many texts"): NoClaim("a heading"),
    ("docs/study.md", "which take most of the time"): NoClaim("one run for each head beside one run"),
    ("docs/translating.md", "writes over a few of them"): NoClaim("words of other programs, listed in a module"),
}

# file and block -> figures in its text, each with where it is measured: keys into benchmarks/general_claims.json
SHARES = {  # written in per cent with one decimal: (counted, of)
    "vision#background": {
        "88.0": ("vision", "right", "whole"),
        "72.0": ("vision", "right", "quarter_covered"),
        "39.2": ("vision", "right", "half_covered"),
        "80.0": ("vision", "right", "half_alone"),
    }
}
COUNTS = {
    "vision#background": {"250 held-out photographs": ("vision", "pictures")},
    "circuits#states": {
        "40 pairs": ("recurrent", "lstm-additive", "pairs"),
        "in 37 pairs with additive attention": ("recurrent", "lstm-additive", "own_restores"),
        "in 39 with dot products": ("recurrent", "lstm-dot", "own_restores"),
        "does so too in 7": ("recurrent", "lstm-additive", "other_restores"),
        "and in 10 of them": ("recurrent", "lstm-dot", "other_restores"),
        "in 31 of 40": ("recurrent", "lstm-vector", "other_restores"),
    },
    "history#clauses-read": {
        "162,108 pairs": ("words", "training_pairs"),
        "771 have more": ("words", "longer"),
    },
    "history#forgetting-found": {
        "1,710 of the": ("words", "end_in_full_stop"),
        "2,000 test sentences": ("words", "test_sentences"),
    },
}
