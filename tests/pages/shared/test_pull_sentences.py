"""What is stated about a pulled weight and its control."""

import math

import pytest

from model.pulling.pulls import PullControl, PullSweep, heads_in_scope
from model.pulling.rows import PulledTranslation
from model.tracing.head_interventions import OneHot, Pull
from pages.shared import pull_sentences as sentences
from pages.shared.pull_sentences import PulledPlaces

LAYER = heads_in_scope("layer", ((3, 0),), 4, 2)
EVERYWHERE = heads_in_scope("all", (), 4, 2)
CROSS = PulledPlaces("cross", ("\u2009La", "\u2009robe", "</s>"), ("\u2009The", "\u2009dress", "</s>"), (5, 6, 3), 4, 2)
ENCODER = PulledPlaces("encoder", ("\u2009a", "\u2009b", "\u2009a"), ("\u2009a", "\u2009b", "\u2009a"), (5, 6, 3), 4, 2)


def result(ids=(5, 7, 3), chosen="\u2009petite", margin=0.4, text="La petite") -> PulledTranslation:
    return PulledTranslation(ids, text, chosen, 0.7, margin)


def control(pulled=None, keys=(0, 2), others=None, hidden=None) -> PullControl:
    former = result((5, 6, 3), "\u2009robe")
    return PullControl(pulled or result(), keys, others or tuple(former for _ in keys), hidden)


PULL = Pull("cross", LAYER, 1, 1, 2.5)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (PULL, "+2.50 on the score of \u201cdress\u201d at \u201crobe\u201d, layer 4"),
        (
            Pull("cross", ((3, 1), (0, 0)), 0, 0, -0.25),
            "\u22120.250 on the score of \u201cThe\u201d at \u201cLa\u201d, layer 1 head 1; layer 4 head 2",
        ),
        (
            Pull("cross", EVERYWHERE, 2, 1, -math.inf),
            "\u201crobe\u201d does not attend to \u201c</s>\u201d, all layers",
        ),
        (OneHot("cross", LAYER, 1, 1), "\u201crobe\u201d attends to \u201cdress\u201d alone, layer 4"),
        (OneHot("cross", LAYER, 1), "Every query attends to \u201cdress\u201d alone, layer 4"),
        (Pull("cross", LAYER, 1, 7, 1.0), "+1.00 on the score of \u201cdress\u201d at place 8, layer 4"),
    ],
)
def test_a_pull_names_its_tokens_and_heads(change, line):
    assert sentences.describe_pull(change, CROSS) == line


def test_a_token_that_occurs_twice_has_its_place():
    assert [ENCODER.query(place) for place in range(3)] == [
        "\u201ca\u201d (place 1)",
        "\u201cb\u201d",
        "\u201ca\u201d (place 3)",
    ]


def test_a_pull_states_the_token_at_which_it_was_set_if_that_is_another_now():
    assert sentences.describe_pull(PULL, CROSS, "\u2009rue").endswith("layer 4 (set at \u201crue\u201d)")
    assert sentences.describe_pull(PULL, CROSS, "robe") == sentences.describe_pull(PULL, CROSS)


def test_a_changed_word_is_stated_with_how_many_other_keys_give_it():
    none = sentences.control_sentences(control(), PULL, CROSS)
    assert none == (
        "You forced this weight.",
        "\u201cpetite\u201d in place of \u201crobe\u201d.",
        "None of the other 2 keys gives \u201cpetite\u201d.",
    )
    some = control(others=(result(), result((5, 6, 3), "\u2009robe")))
    also = "The same weight on another token also gives \u201cpetite\u201d for 1 of 2."
    assert sentences.describe_others(some, CROSS) == also
    one = control(keys=(0,))
    assert sentences.describe_others(one, CROSS) == "The one other key does not give \u201cpetite\u201d."
    assert sentences.describe_others(control(keys=()), CROSS) == ""


@pytest.mark.parametrize(
    ("heads", "sentence"),
    [
        (((3, 0),), "No change: the other heads and layers still carry the word."),
        (LAYER, "No change: the other layers still carry the word."),
        (EVERYWHERE, "No change, though every layer has this weight."),
    ],
)
def test_an_unchanged_word_is_stated_with_what_still_carries_it(heads, sentence):
    same = control(pulled=result((5, 6, 3), "\u2009robe"))
    pull = Pull("cross", heads, 1, 1, 2.5)
    assert sentences.control_sentences(same, pull, CROSS) == ("You forced this weight.", sentence)


@pytest.mark.parametrize(
    ("hidden", "sentence"),
    [
        (result((5, 6, 3), "\u2009robe"), "Hiding \u201cdress\u201d in every layer leaves \u201crobe\u201d."),
        (result((5, 7, 3), "\u2009petite"), "Hiding \u201cdress\u201d in every layer gives \u201cpetite\u201d, too."),
        (result((5, 9, 3), "\u2009jupe"), "Hiding \u201cdress\u201d in every layer gives \u201cjupe\u201d."),
    ],
)
def test_what_hiding_the_key_does_is_stated(hidden, sentence):
    assert sentences.describe_hidden(control(hidden=hidden), PULL, CROSS) == sentence


def test_pulls_of_the_encoder_speak_of_the_translation():
    pull = Pull("encoder", LAYER, 1, 0, 2.5)
    pulled, former = result((9, 3), None, math.nan, "B"), result((5, 6, 3), None, math.nan, "La robe")
    stated = sentences.control_sentences(control(pulled, (0, 2), (pulled, former), former), pull, ENCODER)
    assert stated[1:] == (
        "The translation becomes \u201cB\u201d.",
        "The same weight on another token gives this translation, too, for 1 of 2.",
        "Hiding \u201cb\u201d in every layer leaves the translation as it was.",
    )
    none = control(pulled, (0, 2), (former, former), result((8, 3), None, math.nan, "C"))
    assert sentences.control_sentences(none, pull, ENCODER)[2:] == (
        "None of the other 2 keys gives this translation.",
        "Hiding \u201cb\u201d in every layer gives \u201cC\u201d.",
    )


def test_nearly_tied_words_are_called_so_within_0_05():
    assert sentences.describe_tie(control(result(margin=0.05))) == ""
    assert sentences.describe_tie(control(result(margin=0.0312))) == (
        "Nearly tied: the two best tokens differ by 0.0312 in probability."
    )


def test_a_mean_says_that_no_head_has_its_weights():
    assert sentences.mean_of_heads(1) == ""
    assert sentences.mean_of_heads(8) == "This is the mean of 8 heads: no single head has these weights."


def test_a_sweep_states_its_words():
    row = {"r": result((5, 6, 3), "\u2009robe"), "p": result()}
    sweep = PullSweep(PULL, 0.2, (0, 0.5, 1), (-math.inf, 1, 9), tuple(row[letter] for letter in "rrp"))
    assert sentences.describe_sweep(sweep) == (
        "By the weight: \u201crobe\u201d from 0 to 0.500; \u201cpetite\u201d at 1.00."
    )
    silent = PullSweep(PULL, 0.2, (0,), (0,), (result(chosen=None),))
    assert sentences.describe_sweep(silent) == ""


def test_the_caption_of_a_file_has_sentence_pull_and_control():
    stated = sentences.control_sentences(control(), PULL, CROSS)
    caption = sentences.caption_of_pulls("The dress", [sentences.describe_pull(PULL, CROSS)], stated)
    assert caption == (
        "The dress Pulled: +2.50 on the score of \u201cdress\u201d at \u201crobe\u201d, layer 4. "
        "You forced this weight. "
        "\u201cpetite\u201d in place of \u201crobe\u201d. None of the other 2 keys gives \u201cpetite\u201d."
    )
    assert sentences.caption_of_pulls("x", ["a", "b"]) == "x Pulled: a; b. You forced 2 weights."


def test_the_loss_is_that_of_the_former_translation():
    assert sentences.describe_loss(0.13, 1.07) == (
        "Loss of the former translation: 0.130 before, 1.07 after (+0.940) nats per token."
    )


def test_places_of_a_trace_are_named_by_the_token_chosen_there(trace):
    cross, decoder, encoder = (PulledPlaces.of(trace, kind) for kind in ("cross", "decoder", "encoder"))
    assert cross.queries == trace.next_tokens and cross.keys == trace.source_tokens
    assert decoder.queries == trace.next_tokens and decoder.keys == trace.target_tokens
    assert encoder.queries == encoder.keys == trace.source_tokens
    assert cross.ids == trace.next_ids and (cross.layers, cross.heads) == (4, 8)
