"""The causal methods of the networks' classes: what they prepare, and one real case of the shipped translator."""

import numpy as np
import pytest
import torch

from attention_atlas import frame
from model import InputError, Translator
from model.causal.causal_error import CausalError
from model.causal.head_replacement import measure_means
from model.causal.metrics import LogitDifference, Probability, TargetLoss
from model.causal.repeated_ids import score_heads_on_text
from model.classifier import VisionClassifier
from tests.model.images import tiny_vision
from tests.model.random_language_model import random_model

CAT, DOG = "I have a black cat at home.", "I have a black dog at home."
CLEAN, CORRUPT = "I want to go", "I want to eat"  # of equal length


@pytest.fixture(scope="module")
def translator():
    return Translator.load()


@pytest.fixture(scope="module")
def language():
    return random_model(3)


@pytest.fixture(scope="module")
def classifier():
    return VisionClassifier(tiny_vision(3).requires_grad_(False))


@pytest.fixture(scope="module")
def pictures():
    generator = np.random.default_rng(0)
    return generator.random((2, 12, 12, 3)).astype(np.float32)


def test_the_word_whose_translation_changes_is_proposed(translator):
    pair = translator.prepare_experiment(CAT, DOG)
    words = [translator.tokenizer.decode([id_]) for id_ in (pair.metric.index, pair.metric.other)]
    assert words == ["chat", "chien"]
    assert pair.clean_labels["decoder"] == pair.corrupt_labels["decoder"]
    assert translator.tokenizer.decode(pair.clean[1][0].tolist()) == translator.translate(CAT).split(" chat")[0]


def test_patching_the_word_restores_its_translation(translator):
    result = translator.patch(CAT, DOG)
    labels = translator.prepare_experiment(CAT, DOG).corrupt_labels["encoder"]
    place = [label.strip() for label in labels].index("dog")
    assert result.receiver < 0 < result.donor
    assert result.restored[0, place] == pytest.approx(1, abs=1e-4)  # the embedding is all in which they differ
    np.testing.assert_allclose(np.delete(result.effects[0], place), 0, atol=1e-4)
    check = result.check
    assert max(check.everything, check.nothing, check.drift) < 1e-5 and check.effect_of_nothing == 0
    table = frame(result, "restored")
    assert list(table.columns) == ["layer", "position", "position_place", "value"]
    assert table[(table.layer == 0) & (table.position == labels[place])].value.item() == result.restored[0, place]
    with pytest.raises(ValueError, match="name one of metric, effect, restored"):
        frame(result, ["metric", "effect"])


def test_the_parts_of_a_real_logit_sum_to_it(translator):
    trace = translator.trace(CAT)
    for position in (0, 3, -1):
        result = translator.logit_attribution(trace, position=position)
        assert result.index == trace.next_ids[position] and abs(result.remainder) < 1e-4
        assert result.logit == pytest.approx(trace.logits[position, result.index], abs=1e-4)
    lens = translator.logit_lens(trace)
    assert lens.difference < 1e-5 and lens.top_ids[-1, :, 0].tolist() == list(trace.next_ids)
    assert lens.positions == trace.target_tokens


def test_the_shipped_means_are_of_the_shipped_weights(translator):
    means = translator.head_means
    assert means is not None and means.inputs == 2000
    assert {kind: tuple(tensor.shape) for kind, tensor in means.means.items()} == dict.fromkeys(
        ("encoder", "decoder", "cross"), (4, 8, 32)
    )
    result = translator.replace_heads(translator.trace(CAT), "mean", pairs_among=0)
    assert result.replacement == "mean" and max(np.abs(table).max() for table in result.effects.values()) > 0.01


def test_stated_targets_are_measured_by_their_loss(translator, language):
    pair = translator.prepare_experiment(CAT, DOG, "J'ai un chat.")
    assert pair.metric == TargetLoss(tuple(translator.read_ids("J'ai un chat.")))
    assert pair.clean[1].shape[1] == len(pair.metric.ids)
    pair = language.prepare_experiment("The cat", "A dog and", "runs.")
    count = len(language.read_ids("runs."))
    assert pair.metric.at == tuple(range(-count, 0)) and pair.metric.ids == tuple(language.read_ids("runs."))
    assert pair.clean[0].shape[1] == len(language.check("The cat")) + count - 1
    trace = language.trace_completion("The cat", pair.metric.ids)
    result = language.replace_heads(trace, pairs_among=2)
    losses = language.score(trace)[trace.prompt_length - 1 :]
    assert result.reference == pytest.approx(losses.mean(), abs=1e-5)


def test_equal_answers_need_a_metric(translator):
    with pytest.raises(CausalError, match="state a metric, or change one of the inputs"):
        translator.patch(CAT, CAT)
    result = translator.patch(CAT, CAT, TargetLoss((5,), (0,)), "head_output")
    assert np.abs(result.effects).max() < 2e-5 and np.isnan(result.restored).all()  # rows of a batch round differently
    with pytest.raises(InputError):
        translator.patch(" ", DOG)


def test_all_methods_of_the_language_model(language):
    pair = language.prepare_experiment(CLEAN, CORRUPT)
    assert isinstance(pair.metric, LogitDifference) and pair.metric.position == -1
    result = language.patch(CLEAN, CORRUPT, site="head_output", by_position=True)
    assert result.grid.values.shape == (3, 4, pair.clean[0].shape[1]) and result.check.everything < 1e-5
    paths = language.path_patch(CLEAN, CORRUPT, inputs=["values"])
    assert paths.check.recomputed < 1e-4 and paths.count == 3 * 16
    trace = language.trace_completion("The cat sees a dog", (9, 10))
    noise = language.patch_noise(trace, [1], samples=3, site="feed_forward_output")
    assert noise.samples == 3 and noise.grid.unit == "nats"
    for replacement in ("mean", "resample"):
        ablation = language.replace_heads(trace, replacement, others=[trace], samples=2, pairs_among=2)
        assert ablation.pairs.shape == (2, 2)
    gradients = language.integrated_gradients(trace, position=2, tolerance=0.01)
    assert set(gradients.attributions) == {"decoder"} and gradients.labels["decoder"] == trace.target_tokens
    assert not gradients.attributions["decoder"][3:].any()  # what follows cannot matter
    assert language.head_scores(length=5, rows=2).scores["decoder"]["induction"].shape == (3, 4)
    assert language.composition().chance < 1 and language.copying_scores()["decoder"].shape == (3, 4)
    assert language.logit_lens(trace).difference < 1e-5
    with pytest.raises(CausalError, match="no output position 99"):
        language.integrated_gradients(trace, position=99)


def test_a_text_that_is_repeated_is_scored_from_its_second_half(language):
    ids = language.tokenizer.encode("The cat sees a dog")
    scores = score_heads_on_text(language.resumable, ids)
    count = len(ids)
    weights = language.trace_completion("The cat sees a dog", [*ids, 3]).decoder_attention  # the same sequence
    for name, back in (("induction", count - 1), ("duplicate", count)):
        read = [weights[..., query, query - back] for query in range(count, 2 * count)]
        np.testing.assert_allclose(scores.scores["decoder"][name], np.mean(read, axis=0), atol=1e-6)
    assert np.isnan(scores.standard_errors["decoder"]["induction"]).all() and scores.row_sum_error < 1e-6
    for wrong in (ids[:1], ids * 60):
        with pytest.raises(CausalError, match="needs 2 to"):
            score_heads_on_text(language.resumable, wrong)


def test_all_methods_of_the_picture_classifier(classifier, pictures):
    clean, other = pictures
    mixed = classifier.replace_patches(clean, other, [4, 8])
    assert np.array_equal(mixed[4:8, 4:8], other[4:8, 4:8]) and np.array_equal(mixed[8:, 8:], other[8:, 8:])
    assert np.array_equal(np.delete(mixed, range(4, 12), axis=0), np.delete(clean, range(4, 12), axis=0))
    pair = classifier.prepare_experiment(clean, mixed)
    answers = [classifier.trace(pixels).answer for pixels in (clean, mixed)]
    expected = Probability(answers[0]) if answers[0] == answers[1] else LogitDifference(*answers)
    assert pair.metric == expected
    result = classifier.patch(clean, mixed, Probability(0))
    patches = [place for place in range(10) if np.abs(result.effects[0, place]) > 1e-6]
    assert patches == [5, 9]  # CLS is position 0
    assert result.grid.axes[1].labels[5] == "row 2, column 2"
    trace = classifier.trace(clean)
    lens = classifier.logit_lens(trace, top=2)
    assert lens.positions[0] == "CLS" and lens.top_ids[-1, 0, 0] == trace.answer
    assert abs(classifier.logit_attribution(trace).remainder) < 1e-4
    assert abs(classifier.integrated_gradients(trace).gap) < 0.01
    assert classifier.path_patch(clean, mixed).check.recomputed < 1e-5
    with pytest.raises(CausalError, match="Choose patches from 0 to 8"):
        classifier.replace_patches(clean, other, [9])
    with pytest.raises(CausalError, match="state a metric instead"):
        classifier.patch(clean, other, target="dog")
    with pytest.raises(CausalError, match="Only networks that read tokens"):
        classifier.head_scores()


def test_means_of_a_corpus_are_found_by_the_hash_of_the_weights(language, tmp_path):
    trace = language.trace_completion("The cat", (9, 10))
    with pytest.raises(CausalError, match="needs the outputs of other inputs"):
        language.replace_heads(trace, "mean")
    means = measure_means(language.resumable, [language.read_trace(trace).inputs])
    own = random_model(3)
    own.folder, own.weights_sha256 = tmp_path, "abc"
    means.save(tmp_path, "abc")
    stored = own.replace_heads(trace, "mean", pairs_among=0)
    drawn = language.replace_heads(trace, "mean", others=[trace], pairs_among=0)
    np.testing.assert_allclose(stored.effects["decoder"], drawn.effects["decoder"], atol=1e-5)
    own.weights_sha256 = "other"
    assert own.head_means is None


def test_the_weights_stay_as_they_are(language):
    before = {name: tensor.clone() for name, tensor in language.network.state_dict().items()}
    language.patch(CLEAN, CORRUPT)
    after = language.network.state_dict()
    assert all(torch.equal(tensor, after[name]) for name, tensor in before.items())


def test_what_is_no_trace_of_the_model_is_refused(translator, language, classifier):
    trace = translator.trace("I am here.")
    for model, other in ((translator, "I am here."), (language, trace), (classifier, trace), (translator, None)):
        for method in (model.logit_lens, model.logit_attribution, model.integrated_gradients):
            with pytest.raises(CausalError, match=rf"model.trace\(...\) returns it; this is a {type(other).__name__}"):
                method(other)
