"""Translations that ship are neither stale nor wrong, and those of a complete language are complete."""

from functools import cache

import pytest
from babel.messages.catalog import Catalog

from tools import messages, texts, translated_prose
from views import navigation
from views.controls import sentence_input
from views.text import catalogue, prose
from views.text.catalogue import TEXT, say, using_language

texts_of_the_code = cache(messages.texts_of_the_code)
LANGUAGES = texts.translations(TEXT)
REMEDY = (
    "Run `make messages`, then translate the texts named here anew, or delete their translations: docs/translating.md."
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_translation_that_ships_is_stale_or_wrong(language):
    report = texts.report(TEXT, language, texts_of_the_code())
    assert (report.stale, report.unrecorded, report.wrong) == ([], [], []), REMEDY


@pytest.mark.parametrize("language", [language for language in LANGUAGES if catalogue.is_complete(language)])
def test_nothing_is_missing_in_a_complete_language(language):
    assert texts.report(TEXT, language, texts_of_the_code()).missing == []


# A third language, made by a folder alone.

ENGLISH_PAGE = "# Loss\n\nThe lead of {n}.\n\n## one\n\nOne **bold**.\n\n## two\n\nTwo, a [token](term:token).\n"
CATALOGUE = """
msgctxt "language"
msgid "Language"
msgstr "Lingvo"

msgctxt "test.changed"
msgid "Before."
msgstr "Antaŭe."

msgctxt "test.unused"
msgid "Unused."
msgstr "Ne uzata."

msgctxt "test.wrong"
msgid "{count} heads"
msgstr "{kount} **"kapoj"**oj"
""".replace('**"kapoj"**oj', '**\\"kapoj\\"**oj')
CODE = Catalog(locale="en", fuzzy=False)
for id, text in (
    ("language", "Language"),
    ("test.changed", "After."),
    ("test.wrong", "{count} heads"),
    ("new", "New."),
):
    CODE.add(text, context=id)


@pytest.fixture
def esperanto(tmp_path, monkeypatch):
    for code, page in (("en", ENGLISH_PAGE), ("eo", "# Perdo\n\nLa {n}.\n\n## one\n\nUnu.\n\n## old\n\nMalnova.\n")):
        (tmp_path / code).mkdir()
        (tmp_path / code / "loss.md").write_text(page, encoding="utf-8")
    (tmp_path / "eo" / "atlas.po").write_text(CATALOGUE, encoding="utf-8")
    for module in (catalogue, prose, messages):
        monkeypatch.setattr(module, "TEXT", tmp_path)
    monkeypatch.setattr(messages, "ROOT", tmp_path.parent)
    monkeypatch.setattr(messages, "texts_of_the_code", lambda: CODE)
    cached = (catalogue.languages, catalogue._catalogue, prose._blocks)
    for each in cached:
        each.cache_clear()
    yield tmp_path
    monkeypatch.undo()
    for each in cached:
        each.cache_clear()


def test_a_folder_alone_adds_a_language(esperanto):
    assert catalogue.languages() == {"en": "English", "eo": "Esperanto"}
    assert list(catalogue.offered_languages()) == ["en"]
    (esperanto / "eo" / catalogue.COMPLETE).touch()
    assert list(catalogue.offered_languages()) == ["en", "eo"]
    assert catalogue.nearest_language("eo-XX") == "eo"
    with using_language("eo"):
        loss = next(page for page in navigation.PAGES if page.id == "loss")
        assert (loss.label(), prose.block("loss", "one")) == ("Perdo", "Unu.")
        assert say("language", "Language") == "Lingvo"
        assert sentence_input.Untranslated("Le chat")() == "Le chat"


def test_the_report_names_what_is_missing_stale_unused_and_wrong(esperanto, capsys):
    report = texts.report(esperanto, "eo", CODE)
    assert report.missing == ["new", "loss.md, two"]
    assert report.stale == ["test.changed"]
    assert report.unrecorded == ["loss.md, title and lead", "loss.md, one"]
    assert report.unused == ["test.unused", "loss.md, old"]
    assert report.wrong[0] == "test.wrong: its placeholders are kount, not count" and len(report.wrong) == 3
    assert (report.texts, report.translated["messages"]) == ({"messages": 4, "blocks": 3}, 2)
    assert texts.main(["eo"]) == 1
    assert "eo: 2 of 4 messages, 0 of 3 blocks translated" in capsys.readouterr().out


def test_a_block_is_stale_after_its_english_text_has_changed(esperanto):
    messages.main()
    report = texts.report(esperanto, "eo", CODE)
    assert (report.unrecorded, report.translated["blocks"], report.unused) == ([], 2, ["loss.md, old"])
    with using_language("eo"):
        assert (prose.title("loss"), prose.block("loss", "one")) == ("Perdo", "Unu."), "hashes are not shown"
    english = esperanto / "en" / "loss.md"
    english.write_text(ENGLISH_PAGE.replace("One", "1"), encoding="utf-8")
    messages.main()
    assert texts.report(esperanto, "eo", CODE).stale == ["test.changed", "loss.md, one"]
    english.write_text(ENGLISH_PAGE.replace("# Loss", "# The loss"), encoding="utf-8")
    assert texts.report(esperanto, "eo", CODE).stale == ["test.changed", "loss.md, title and lead"]
    stale = [block for block in translated_prose.blocks(esperanto, "eo") if block.state == "stale"]
    assert [(block.id, block.translation) for block in stale] == [("", "Perdo\n\nLa {n}.")]
