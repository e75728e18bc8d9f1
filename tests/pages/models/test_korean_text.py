"""Korean text in an opened model: syllables with their share of a token, whole words by spaces."""

from tests.pages.models.opened_model_page import open_maps


def test_syllables_state_their_share_and_words_are_those_between_spaces(open_app, listed):
    app = open_app("models", model="gpt2", text="나는 학교에 간다.", lang="ko")
    assert not app.exception and not app.warning
    header, _ = open_maps(app)
    shares = [f"{syllable} {place}/3" for syllable in "나는" for place in (1, 2, 3)]
    assert header["queries"][1:7] == header["keys"][1:7] == shares
    words = [word for word in header["grouped"]["keys"] if word != "\u2423"]
    assert words[1:-1] == ["나는", "학교에", "간다."]
