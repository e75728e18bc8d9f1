"""The packages that are installed: `attention_atlas`, below it `model` and `views`. All else is in pyproject.toml."""

from setuptools import find_packages, setup

BELOW = sorted(name for top in ("model", "views") for name in (top, *(f"{top}.{each}" for each in find_packages(top))))

setup(packages=["attention_atlas", "attention_atlas.assets", *(f"attention_atlas.{name}" for name in BELOW)])
