"""Example pulls of the stage: each moves one ribbon of cross-attention in layer 4 to another English token.

`tests/fixed_examples.py` has the whole translation before and after each, and its control.
"""

from dataclasses import dataclass
from urllib.parse import urlencode

from ..controls import sentence_input
from ..text.catalogue import Message, say

ADDRESS = "pull"  # in the address: the text of the pulls
_LAYER_4 = "pull:cross:4.1.2.3.4.5.6.7.8"  # all eight heads


@dataclass(frozen=True)
class ExamplePull:
    """A sentence and a pull that changes a word of its translation."""

    label: Message
    sentence: str
    pull: str  # all heads of layer 4; the key and the query, from 1; the number that gives the key the mean weight 0.75

    @property
    def query(self) -> str:
        """The query part of an address of the home page that shows the pull."""
        return f"?{urlencode({'text': self.sentence, ADDRESS: self.pull})}"


EXAMPLES = (
    ExamplePull(
        Message("stage.example.black", "Make the dog black"),
        "The black cat sleeps and the white dog eats.",
        f"{_LAYER_4}:2.8.8.304452677167285",
    ),
    ExamplePull(
        Message("stage.example.sad", "Make today sad"),
        "Yesterday I was sad but today I am happy.",
        f"{_LAYER_4}:4.9.5.253899960066614",
    ),
    ExamplePull(
        Message("stage.example.window", "Open the window"),
        "The door is open but the window is closed.",
        f"{_LAYER_4}:4.9.5.695163733486578",
    ),
    ExamplePull(
        Message("stage.example.old", "Make the woman old"),
        "The old man talks to the young woman.",
        f"{_LAYER_4}:2.8.7.044011550343104",
    ),
    ExamplePull(
        Message("stage.example.new", "Make the old car new"),
        "He bought a new house and sold his old car.",
        f"{_LAYER_4}:4.11.7.828260416662945",
    ),
    ExamplePull(
        Message("stage.example.three", "Three brothers"),
        "I have two brothers and three sisters.",
        f"{_LAYER_4}:6.4.4.979203167770133",
    ),
    ExamplePull(
        Message("stage.example.doctor", "Mother becomes a doctor"),
        "My father is a doctor and my mother is a teacher.",
        f"{_LAYER_4}:5.9.7.397414730926997",
    ),
    ExamplePull(
        Message("stage.example.hot", "Heat the moon"),
        "The sun is hot and the moon is cold.",
        f"{_LAYER_4}:4.10.5.663932439012965",
    ),
    # The contrast: many other tokens, pulled as hard, change the word as well.
    ExamplePull(
        Message("stage.example.animal", "Give \u201cit\u201d the animal"),
        sentence_input.TIRED,
        f"{_LAYER_4}:2.15.8.846930057372665",
    ),
)


def proposed(sentence: str) -> list[tuple[str, str]]:
    """Return labels and links of two examples to try: the one of this sentence, or the first, and one more.

    After an example comes the next one, so that they run through all; after another sentence the contrast.
    """
    sentences = [example.sentence for example in EXAMPLES]
    own = sentences.index(sentence) if sentence in sentences else None
    chosen = (0, -1) if own is None else (own, (own + 1) % len(EXAMPLES))
    return [(EXAMPLES[index].label(), EXAMPLES[index].query) for index in chosen]


def links() -> list[tuple[str, str]]:
    """Return labels and addresses of the first example and of the contrast, for another page."""
    return [
        (say("stage.example.open", "On the stage: {pull}", pull=example.label()), f".{example.query}")
        for example in (EXAMPLES[0], EXAMPLES[-1])
    ]
