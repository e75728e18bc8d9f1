"""The image contains only what the app needs, and its base images are pinned."""

from __future__ import annotations

import re
import tomllib

from tests.deploy import image

NEEDED = ("LICENSE", "app.py", "requirements.txt", ".streamlit", "assets", "model", "pages", "server", "views")


def test_the_app_image_contains_only_the_runtime_files():
    runtime = image.tracked(*NEEDED)
    assert image.files("app") & image.tracked() == runtime
    untracked = image.files("app") - runtime
    # files that are not under version control yet may be new sources, never leftovers of a run
    assert all(name.endswith((".py", ".js", ".css", ".md", ".json", ".jpg")) for name in untracked), untracked


def test_no_runtime_file_imports_what_the_image_lacks():
    for name in image.files("app"):
        if name.endswith(".py"):
            source = (image.ROOT / name).read_text(encoding="utf-8")
            assert not re.search(r"^\s*(from|import) (training|tests|benchmarks)\b", source, re.MULTILINE), name


def test_leftover_files_are_excluded():
    for name in ("model/__pycache__/tap.cpython-311.pyc", "assets/translator/checkpoint.safetensors", "views/x.part"):
        assert not image.is_sent(name)
    for name in (
        ".git/config",
        ".venv/bin/python",
        "tests/conftest.py",
        "benchmarks/page.py",
        ".ci/run",
        "secrets.toml",
    ):
        assert not image.is_sent(name)
    assert image.is_sent("pages/inside/heads.py")


def test_the_proxy_image_contains_its_configuration():
    assert image.files("proxy") == image.tracked("deploy/nginx")


def test_base_images_are_pinned_and_programs_run_without_root():
    for target in ("app", "proxy"):
        stage = image.instructions(target)
        base = stage[0][1].split()[0]
        assert re.fullmatch(r"(python:3\.\d+\.\d+-slim-\w+|debian:\w+-\d{8}-slim)", base), base
        user = [rest for name, rest in stage if name == "USER"]
        assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", user[-1])
        assert [name for name, _ in stage].index("USER") < [name for name, _ in stage].index("CMD")


def test_the_image_listens_on_all_interfaces_and_config_toml_does_not():
    settings = tomllib.loads((image.ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))
    assert settings["server"]["address"] == "localhost"
    assert image.environment()["STREAMLIT_SERVER_ADDRESS"] == "0.0.0.0"
    # with a name to print, Streamlit does not look up its external address
    assert settings["browser"]["serverAddress"] == "localhost"
    assert image.command() == ["python", "-m", "streamlit", "run", "app.py"]
