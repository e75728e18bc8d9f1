"""The built files of the browser side: what is served under which name, and what an older page gets."""

from __future__ import annotations

import json
import re

import pytest

from views.viewer import built_files


def test_every_module_and_script_is_there():
    manifest = json.loads((built_files.FOLDER / "manifest.json").read_text())
    assert manifest["modules"].keys() == manifest["scripts"].keys()
    for kind, files in manifest.items():
        for name, file in files.items():
            assert built_files.file_name(kind, name) == file
            assert built_files.read(file)
    with pytest.raises(KeyError):
        built_files.file_name("modules", "nothing")


def test_a_served_file_is_stored_for_ever_and_embedded_ones_are_not_served():
    file = built_files.file_name("modules", "player")
    content, stored = built_files.answer(file)
    assert stored and content == (built_files.FOLDER / file).read_text()
    assert built_files.answer(built_files.file_name("scripts", "player")) is None


def test_the_script_of_every_page_is_served_by_its_own_path_alone():
    """`document.currentScript`, which it reads, is null in a module."""
    file = built_files.file_name("page", "index")
    assert built_files.answer(file) is None
    text = built_files.page_script()
    assert text == (built_files.FOLDER / file).read_text() and "document.currentScript" in text
    assert not re.search(r"\b(import|export)\b\s*[\"'{*]", text)


def test_modules_import_only_served_files():
    for file in built_files.served_files():
        for imported in re.findall(r'from"\./([^"]+)"', built_files.read(file)):
            assert imported in built_files.served_files()


def test_a_page_of_another_version_is_loaded_again():
    content, stored = built_files.answer("player-00000000.js")
    assert not stored and "location.reload()" in content


@pytest.mark.parametrize(
    "file", ["nothing-00000000.js", "player.js", "manifest.json", "../manifest.json", "player-0000000.js", ""]
)
def test_no_version_has_such_a_file(file: str):
    assert built_files.answer(file) is None


def test_a_loader_imports_from_this_site():
    text = built_files.loader("player")
    file = built_files.file_name("modules", "player")
    assert f'new URL("viewer/{file}", site)' in text and "http" not in text
    assert len(text) < 250


def test_an_embedded_script_can_be_the_text_of_an_element():
    for name in json.loads((built_files.FOLDER / "manifest.json").read_text())["scripts"]:
        script = built_files.embedded_script(name)
        assert "</script" not in script.lower()
        assert "mountComponent=" in script or "mountComponent =" in script
