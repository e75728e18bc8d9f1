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
    ("benchmarks/README.md", "every product of a few rows"): NoClaim("how the program computes"),
    ("benchmarks/README.md", "### Many visitors"): NoClaim("a heading; the numbers are below it"),
    ("benchmarks/README.md", "Since few runs have begun at once"): NoClaim("what the program does"),
    ("benchmarks/README.md", "expressions that never end"): NoClaim("an input of a test"),
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
    ("attribution#leave-one-out", "words that hardly matter"): NoClaim("a condition, whatever the words are"),
    ("circuits#patching-limits", "that the model never meets together"): NoClaim('a possibility, "can be"'),
    ("circuits#noise-limits", "that it never does with text"): NoClaim('a possibility, "may"'),
    ("compare#nothing-moved", "Every head attends to the same keys as before"): NoClaim(
        "the compared maps, of this trace"
    ),
    ("decoding#choice", "are never generated"): NoClaim("the decoder leaves these ids out"),
    ("decoding#teacher-forcing", "Training never showed it its own mistakes"): NoClaim("definition of teacher forcing"),
    ("decoding#beam-search", "can never go back"): NoClaim("definition of greedy decoding"),
    ("decoding#kv-cache", "under the causal mask they never change"): NoClaim("follows from the mask"),
    ("experiments#positions-other-models-found", "hardly matters"): NoClaim("arithmetic: the slope times the distance"),
    ("heads#effects", "two that hardly matter alone can matter a lot together"): NoClaim('a possibility, "can"'),
    ("vision_heads#effects", "two that hardly matter alone can matter a lot together"): NoClaim('a possibility, "can"'),
    ("heads#labels", "inputs that the model never trained on"): NoClaim("how the held-out inputs were chosen"),
    ("history_projections#how-to-read", "is then always true"): NoClaim("arithmetic: the order of the pair"),
    ("inside#memory", "It never moves a number"): NoClaim("definition of the function view"),
    ("inside#full-width", "each head has its trained columns"): NoClaim("how the wide matrices are made"),
    ("inside#shapes", "each head attends on its own"): NoClaim("the shapes of the program"),
    ("inside#indivisible", "every head needs the same width"): NoClaim("what the network can be built with"),
    ("lessons#inside-heads-mistake", "Each head has a task"): NoClaim("the mistake that the lesson corrects"),
    ("loss#training-curves", "are never trained on"): NoClaim("how the held-out sentences were chosen"),
    ("masks#your-sentence", "it never learned to use that"): NoClaim("training masks these keys"),
    ("models_causes#patching", "that the model never meets together"): NoClaim('a possibility, "can be"'),
    ("models_causes#noise", "that it never does with text"): NoClaim('a possibility, "may"'),
    ("models_heads#replaced", "which it never was in training"): NoClaim("an output of exactly 0"),
    ("positions#overlap", "The slow ones barely change"): NoClaim("arithmetic: the figures are in the sentence"),
    ("positions#basis", "that hardly differ from each other"): NoClaim("arithmetic: waves longer than the sentence"),
    ("positions#vectors", "are always independent"): NoClaim("a theorem"),
    ("tokens#rows", "always gets the same row"): NoClaim("definition of an embedding table"),
    ("tokens#spelling", "has never learned what those bytes mean"): NoClaim("no training pair has these letters"),
    ("tokens#dimensions", "1 is never wrong"): NoClaim("definition of the score"),
    ("vision#what-this-checks", "never the numbers"): NoClaim("what the opacity changes"),
    ("vision_causes#lens-limits", "that the model itself never reads"): NoClaim("only CLS has a class"),
    ("vision_causes#patching-limits", "that the model never meets together"): NoClaim('a possibility, "can be"'),
    ("vision_causes#noise-limits", "that it never does with pictures"): NoClaim('a possibility, "may"'),
    ("vision.best", "do not include most things"): NoClaim("ten words name ten things"),
    ("vision_layers#card", "that training never saw"): NoClaim("how the held-out pictures were chosen"),
    ("error", "No head reads what another head wrote"): NoClaim("a network of one layer"),
    ("error", "which is never run"): NoClaim("what this program does"),
    ("error", "every head needs the same d_k"): NoClaim("what the network can be built with"),
    ("error", "the most probable token always stays"): NoClaim("definition of the sampling stages"),
    ("lesson.attention-ribbons.because.other", "a bar is always 1"): NoClaim("weights of a row sum to 1"),
    ("course.word.never", "Never"): NoClaim("an option of a question"),
    ("course.word.always", "Always"): NoClaim("an option of a question"),
    ("positions.residual.alt", "it never rises"): NoClaim("arithmetic: a projection on more columns"),
    ("docs/causal.md", "that later layers never met"): NoClaim("a condition of the method, with its section"),
    ("docs/causal.md", "that the network never meets together"): NoClaim("a limit of the method, with its paper"),
    ("docs/python.md", "is never changed"): NoClaim("what this program does"),
    ("docs/training.md", "are never warned of"): NoClaim("what this program does"),
    ("docs/training.md", "never in cross-attention"): NoClaim("how the networks are built"),
    ("docs/training.md", "never by validation pictures"): NoClaim("how the threshold was chosen"),
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

# Words of frequency of a Korean text whose English text has none; other Korean texts rest on the row of their English.
KOREAN: dict[tuple[str, str], NoClaim] = {
    ("attribution#why-they-disagree", "달라지는 것이 거의 없을 수"): NoClaim('a possibility, "can"'),
    ("decoding#stack-sinks", "많은 어텐션을 받는"): NoClaim("definition of a sink; its numbers follow"),
    ("glossary#sink", "많은 가중치를 받는"): NoClaim("definition of a sink"),
    ("glossary#softmax", "훨씬 많은 몫"): NoClaim("arithmetic of the function"),
    ("history#ladder-differences", "훨씬 많은 에폭"): NoClaim("the recipes, which the cards state"),
    ("README.ko.md", "많은 문장에서 헤드가 하는 일"): NoClaim("the title of a document, as in README.md"),
    ("pull.tied", "차이가 거의 없습니다"): NoClaim("the sentence has the margin"),
}

# Docstrings of the program: file and words
DOCSTRINGS: dict[tuple[str, str], NoClaim] = {
    ("model/hub/eager_attention.py", "nearly every architecture it has"): NoClaim("the code of a library"),
    ("model/hub/eager_attention.py", "the usual eager form"): NoClaim("the code of a library; an equation is named"),
    ("model/lessons/position_basis.py", "slow waves hardly differ"): NoClaim("arithmetic of long waves"),
    ("training/doubt_study.py", "most often"): NoClaim("definition of a count"),
    ("pages/loss/formed_heads.py", "the aligned token most often"): NoClaim(
        "the largest of shares that the page states"
    ),
}
