"""Korean particles follow the last sound of the word before them."""

import pytest

from views.text import particles


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        ("은/는", "토큰은 헤드는 쿼리는 값은 0은 1은 2는 3은 4는 5는 6은 7은 8은 9는 10은 0.25는 100은"),
        (
            "은/는",
            "head는 token은 model은 map은 cat은 book은 softmax는 gate는 scale은 encoder는 time은 string은 want는",
        ),
        ("은/는", "L은 M은 N은 R은 A는 S는 CLS는 RNN은 LSTM은 BLEU는 ViT는 ReLU는 élève는 petit은"),
        ("이/가", "행렬이 벡터가 50%가 90°가"),
        ("을/를", "가중치를 점수를 문장을"),
        ("과/와", "행과 열과 키와 Tab과"),
        ("으로/로", "토큰으로 헤드로 행렬로 1로 7로 3으로 model로 token으로 L로"),
        ("이라/라", "어텐션이라 헤드라"),
    ],
)
def test_particles(pair, words):
    after_consonant, after_vowel = pair.split("/")
    for expected in words.split():
        word = max((expected.removesuffix(form) for form in (after_consonant, after_vowel)), key=lambda cut: -len(cut))
        assert particles.with_particle(word, pair) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("**토큰**", "**토큰**은"),
        ("\u201chead\u201d", "\u201chead\u201d는"),
        ("`cat`", "`cat`은"),
        ("값(value)", "값(value)는"),
        ("\u6f22", "\u6f22은(는)"),
        ("?", "?은(는)"),
        ("", "은(는)"),
    ],
)
def test_marks_are_not_read_and_unknown_sounds_get_both_forms(word, expected):
    assert particles.with_particle(word, "은/는") == expected


def test_both_forms_of_each_pair():
    both = [particles.with_particle("?", pair)[1:] for pair in ("이/가", "을/를", "과/와", "으로/로", "이라/라")]
    assert both == ["이(가)", "을(를)", "과(와)", "(으)로", "(이)라"]


def test_a_format_may_end_in_particles():
    fill = particles.fill
    assert fill("{token:은/는} {share:.2f이/가} 됩니다.", {"token": "cat", "share": 0.25}) == "cat은 0.25가 됩니다."
    assert fill("{name!r:을/를}", {"name": "a"}) == "'a'를"
    assert fill("{count:,} a/b", {"count": 1000}) == "1,000 a/b"
    assert fill("{count} {size:이/가} {step} {seed}", {"count": 8000, "size": 1000, "step": 999, "seed": 2048}) == (
        "8,000 1,000이 999 2048"
    )
    assert [particles.without_particle(spec) for spec in (".2f이/가", "은/는", ",")] == [".2f", "", ","]
    with pytest.raises(KeyError):
        fill("{nobody:은/는}", {"token": "cat"})
