"""Messages are translated by the catalogue of the user's language, by id."""

import pytest

from views.text import catalogue, prose
from views.text.catalogue import Message, nearest_language, say, say_count, say_error, using_language

KOREAN = """
msgctxt "test.greeting"
msgid "Hello, {name}."
msgstr "안녕하세요, {name}."

msgctxt "test.tokens"
msgid "{count} token"
msgid_plural "{count} tokens"
msgstr[0] "토큰 {count}개"

msgid "This text has {count} tokens."
msgstr "이 글은 토큰이 {count}개입니다."
"""


@pytest.fixture
def korean(tmp_path, monkeypatch):
    """A folder of texts with one more language."""
    (tmp_path / "ko").mkdir()
    (tmp_path / "ko" / "atlas.po").write_text(KOREAN, encoding="utf-8")
    (tmp_path / "ko" / "complete").touch()
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "page.md").write_text(
        "# Title\n\nLead.\n\n## one\n\nOne.\n\n## two\n\n{count} twos.\n", encoding="utf-8"
    )
    (tmp_path / "ko" / "page.md").write_text("# 제목\n\n머리.\n\n## one\n\n하나.\n", encoding="utf-8")
    monkeypatch.setattr(catalogue, "TEXT", tmp_path)
    monkeypatch.setattr(prose, "TEXT", tmp_path)
    for cached in (catalogue._catalogue, catalogue.languages, prose._blocks):
        cached.cache_clear()
    yield
    monkeypatch.undo()
    for cached in (catalogue._catalogue, catalogue.languages, prose._blocks):
        cached.cache_clear()


class Refusal(ValueError):
    template, values = "This text has {count} tokens.", {"count": 7}


def test_english_texts_are_in_the_code():
    assert say("test.greeting", "Hello, {name}.", name="Ada") == "Hello, Ada."
    assert [say_count("test.tokens", "{count} token", "{count} tokens", count) for count in (0, 1, 2)] == [
        "0 tokens",
        "1 token",
        "2 tokens",
    ]
    assert say_error(ValueError("as {it} is")) == "as {it} is"
    assert say_error(Refusal()) == "This text has 7 tokens."


def test_another_language_comes_from_its_catalogue(korean):
    greeting = Message("test.greeting", "Hello, {name}.")
    with using_language("ko"):
        assert greeting(name="Ada") == "안녕하세요, Ada."
        assert say_count("test.tokens", "{count} token", "{count} tokens", 1) == "토큰 1개"
        assert say_error(Refusal()) == "이 글은 토큰이 7개입니다."
        assert say("test.other", "Not translated.") == "Not translated."
        assert say("test.elsewhere", "Hello, {name}.", name="Ada") == "Hello, Ada.", (
            "the id decides, not the English text"
        )
    assert greeting(name="Ada") == "Hello, Ada."


def test_missing_teaching_text_is_shown_in_english(korean):
    with using_language("ko"):
        assert (prose.title("page"), prose.lead("page"), prose.block("page", "one")) == ("제목", "머리.", "하나.")
        assert prose.block("page", "two", count=2) == "2 twos."


def test_a_damaged_catalogue_falls_back_to_english(korean):
    path = catalogue.TEXT / "ko" / "atlas.po"
    for damaged in (b"\xff\xfe\x00", b'msgid "Hello\nmsgstr', b"\x00" * 100, b'msgid "a"\nmsgstr[7] "b"\n', b""):
        path.write_bytes(damaged)
        catalogue._catalogue.cache_clear()
        with using_language("ko"):
            assert say("test.greeting", "Hello, {name}.", name="Ada") == "Hello, Ada."
            assert say_count("test.tokens", "{count} token", "{count} tokens", 2) == "2 tokens"


@pytest.mark.parametrize("wrong", ["{nam}, 안녕", "{name, 안녕", "{}, 안녕", "{name!x}, 안녕", "{name:d}, 안녕"])
def test_a_translation_with_wrong_placeholders_is_shown_in_english(korean, wrong: str):
    path = catalogue.TEXT / "ko" / "atlas.po"
    path.write_text(KOREAN.replace("안녕하세요, {name}.", wrong), encoding="utf-8")
    with using_language("ko"):
        assert say("test.greeting", "Hello, {name}.", name="Ada") == "Hello, Ada."
        assert say_count("test.tokens", "{count} token", "{count} tokens", 1) == "토큰 1개"


def test_a_stale_translation_is_shown_in_english(korean):
    path = catalogue.TEXT / "ko" / "atlas.po"
    path.write_text(KOREAN.replace('msgctxt "test.greeting"', '#, fuzzy\nmsgctxt "test.greeting"'), encoding="utf-8")
    with using_language("ko"):
        assert say("test.greeting", "Hello, {name}.", name="Ada") == "Hello, Ada."
        assert say_count("test.tokens", "{count} token", "{count} tokens", 1) == "토큰 1개"


def test_a_translation_may_add_particles(korean):
    path = catalogue.TEXT / "ko" / "atlas.po"
    path.write_text(KOREAN.replace("안녕하세요, {name}.", "{name:은/는} 왔습니다."), encoding="utf-8")
    with using_language("ko"):
        assert say("test.greeting", "Hello, {name}.", name="수진") == "수진은 왔습니다."
        assert say("test.greeting", "Hello, {name}.", name="Ada") == "Ada는 왔습니다."


def test_an_incomplete_language_is_shown_to_those_who_name_it_alone(korean):
    assert nearest_language("ko-KR") == "ko" and list(catalogue.offered_languages()) == ["en", "ko"]
    (catalogue.TEXT / "ko" / catalogue.COMPLETE).unlink()
    assert nearest_language("ko-KR") == "en" and list(catalogue.offered_languages()) == ["en"]
    assert "ko" in catalogue.languages()
    with using_language("ko"):
        assert list(catalogue.offered_languages()) == ["en", "ko"]


def test_a_folder_that_is_no_language_is_ignored(korean):
    (catalogue.TEXT / "no language").mkdir()
    (catalogue.TEXT / "no language" / "atlas.po").write_text("", encoding="utf-8")
    assert list(catalogue.languages()) == ["en", "ko"]


def test_damaged_teaching_text_is_shown_in_english(korean):
    page = catalogue.TEXT / "ko" / "page.md"
    with using_language("ko"):
        page.write_text("# 제목\n\n## two\n\n{number}개.\n", encoding="utf-8")
        assert (prose.title("page"), prose.block("page", "two", count=2)) == ("제목", "2 twos.")
        prose._blocks.cache_clear()
        page.write_bytes(b"# \xff\xfe\n")
        assert (prose.title("page"), prose.block("page", "one")) == ("Title", "One.")


def test_a_browser_gets_the_nearest_language(korean):
    assert catalogue.languages() == {"en": "English", "ko": "한국어"}
    assert [nearest_language(preferred) for preferred in ("ko-KR", "ko", "KO", "fr-CA", "en-GB", "", None, "x")] == [
        "ko", "ko", "ko", "en", "en", "en", "en", "en"
    ]  # fmt: skip


def test_the_pseudo_language_is_offered_to_tests_only(monkeypatch):
    catalogue.languages.cache_clear()
    assert catalogue.PSEUDO not in catalogue.languages()
    monkeypatch.setenv(catalogue.PSEUDO_SWITCH, "1")
    catalogue.languages.cache_clear()
    assert catalogue.PSEUDO in catalogue.languages()
    catalogue.languages.cache_clear()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Layer", "\u27e6Layer\u27e7"),
        ("", ""),
        ("- a\n- b", "\u27e6\n\n- a\n- b\n\n\u27e7"),
        ("One.\n\nTwo.", "\u27e6\n\nOne.\n\nTwo.\n\n\u27e7"),
    ],
)
def test_the_pseudo_language_puts_everything_in_brackets(text: str, expected: str):
    with using_language(catalogue.PSEUDO):
        assert say("test.any", text) == expected


def test_an_error_among_the_values_of_another_is_translated_too(korean):
    class Outer(ValueError):
        template, values = "Hello, {reason}", {"reason": Refusal()}

    with using_language("ko"):
        assert say_error(Outer()) == "Hello, 이 글은 토큰이 7개입니다."


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("-ln p per token", "\u2212ln\u00a0p per token"),
        ("the mean \u2212ln p, the drop of ln p", "the mean \u2212ln\u00a0p, the drop of ln\u00a0p"),
        ("\u2212log p\uac00", "\u2212log\u00a0p\uac00"),
        ("a -log p", "a \u2212log\u00a0p"),
        ("$-\\ln p$ in Kln p, -ln parts", "$-\\ln p$ in Kln p, -ln parts"),
    ],
)
def test_no_line_takes_a_part_of_a_logarithm(text: str, whole: str):
    assert catalogue.with_whole_logs(text) == whole


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("{share}입니다.", "97.3\u00a0%\u2060입니다."),
        ("{share:을/를} 받고, 70 %를 더합니다.", "97.3\u00a0%\u2060를 받고, 70\u00a0%\u2060를 더합니다."),
        ("{share} 이상, b % a", "97.3\u00a0% 이상, b % a"),
    ],
)
def test_no_line_begins_with_the_particle_of_a_percentage(text: str, whole: str):
    assert say("test.share", text, share="97.3\u00a0%") == whole


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
        assert catalogue.with_particle(word, pair) == expected


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
    assert catalogue.with_particle(word, "은/는") == expected


def test_both_forms_of_each_pair():
    both = [catalogue.with_particle("?", pair)[1:] for pair in ("이/가", "을/를", "과/와", "으로/로", "이라/라")]
    assert both == ["이(가)", "을(를)", "과(와)", "(으)로", "(이)라"]


def test_a_format_may_end_in_particles():
    fill = catalogue.fill
    assert fill("{token:은/는} {share:.2f이/가} 됩니다.", {"token": "cat", "share": 0.25}) == "cat은 0.25가 됩니다."
    assert fill("{name!r:을/를}", {"name": "a"}) == "'a'를"
    assert fill("{count:,} a/b", {"count": 1000}) == "1,000 a/b"
    assert fill("{count} {size:이/가} {step} {seed}", {"count": 8000, "size": 1000, "step": 999, "seed": 2048}) == (
        "8,000 1,000이 999 2048"
    )
    assert [catalogue.without_particle(spec) for spec in (".2f이/가", "은/는", ",")] == [".2f", "", ","]
    with pytest.raises(KeyError):
        fill("{nobody:은/는}", {"token": "cat"})
