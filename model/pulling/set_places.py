"""The token at which a pull was set, where changes that came before put another token there since.

A pull has a place, which is named by the token that is chosen there. When it was made, that was the token under the
changes before it. If a change is made or undone at an earlier place, or in the encoder, another token may be there.
"""

from collections.abc import Callable, Sequence

from ..text.tokenizer import Tokenizer
from ..tracing.head_interventions import HeadIntervention, OneHot, Pull
from ..tracing.interventions import HeadInterventions
from ..tracing.kinds import kind_of

Generate = Callable[[HeadInterventions], Sequence[int]]  # ids of the translation under some changes


def tokens_when_set(
    generate: Generate, tokenizer: Tokenizer, interventions: HeadInterventions
) -> tuple[str | None, ...]:
    """Return for each change the label of the token at which it was set; None where it is there still.

    Also None for changes that have no place of the decoder. What a change does to its own place does not count: the
    translation under the changes before it is compared with the one under all others.
    """
    changes = interventions.changes
    generated: dict[tuple[HeadIntervention, ...], Sequence[int]] = {}

    def token(others: tuple[HeadIntervention, ...], place: int) -> int | None:
        if others not in generated:
            generated[others] = generate(HeadInterventions(others))
        ids = generated[others]
        return ids[place] if place < len(ids) else None

    labels: list[str | None] = []
    for number, change in enumerate(changes):
        place = change.query if isinstance(change, Pull | OneHot) else None
        label = None
        if place is not None and kind_of(change.kind).stack == "decoder":
            before, others = changes[:number], (*changes[:number], *changes[number + 1 :])
            then, now = token(before, place), token(others, place)
            label = None if then is None or then == now else tokenizer.labels([then])[0]
        labels.append(label)
    return tuple(labels)
