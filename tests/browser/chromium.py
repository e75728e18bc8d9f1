"""The browser for tests and benchmarks: one that is installed, best without a window, or Playwright's own."""

from __future__ import annotations

import os
import shutil

from playwright.sync_api import Browser, Playwright

from tests.browser.fonts import fonts_config

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",  # containers run as root, where the sandbox cannot start
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def installed_chromium() -> str | None:
    """Return the path of a Chromium on this machine: the environment variable CHROMIUM, else the usual names."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def launch_chromium(playwright: Playwright, *flags: str) -> Browser:
    """Start Chromium without a window, with a fresh profile."""
    variables = os.environ | {"FONTCONFIG_FILE": fonts_config()}
    return playwright.chromium.launch(executable_path=installed_chromium(), args=[*FLAGS, *flags], env=variables)
