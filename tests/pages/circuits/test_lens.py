"""The section *Lens* shows what every layer would say, as the model computes it."""

from tests.pages.charts import check_caption
from tests.pages.reading import table
from views.text import literal
from views.text.numbers import grouped, percent, three_digits


def shown(translator, ids) -> list[str]:
    return [literal.visible(literal.token(label)) for label in translator.tokenizer.labels(ids)]


def test_every_layer_says_what_the_model_computes(open_app, translator, trace):
    app = open_app("circuits", part="lens", position="6")
    lens = translator.logit_lens(trace)
    rows = table(app, "Most probable token, by layer")
    assert rows[0][2:] == ["input", *(f"layer {layer}" for layer in range(1, len(lens.ranks)))]
    for place, row in enumerate(rows[1:]):
        answers = shown(translator, lens.top_ids[:, place, 0].tolist())
        probabilities = map(percent, lens.top_probabilities[:, place, 0].tolist())
        assert row[2:] == [answer + share for answer, share in zip(answers, probabilities, strict=True)]
    one = table(app, "All layers at one position")
    assert [row[1] for row in one[1:]] == list(map(three_digits, lens.probabilities[:, 5]))
    assert [row[2] for row in one[1:]] == list(map(grouped, lens.ranks[:, 5].tolist()))
    assert check_caption(app, "read out in this way")


def test_the_last_layer_says_the_translation(open_app, translator, trace):
    rows = table(open_app("circuits", part="lens"), "Most probable token, by layer")
    following = shown(translator, trace.next_ids)
    assert all(row[-1].startswith(token) for row, token in zip(rows[1:], following, strict=True))
