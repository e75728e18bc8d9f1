"""The oldest version of each range in requirements.txt is chosen; nothing is installed here."""

from __future__ import annotations

import pytest

from tests.dependency_ranges import oldest, package_requirements, requirements


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ("pandas>=2.2,<4", "pandas==2.2.*"),
        ("pillow>=11,<14", "pillow==11.0.*"),
        ("sentencepiece>=0.2.1,<0.3", "sentencepiece==0.2.1"),
        ("torch==2.13.0", "torch==2.13.0"),
        ('uvloop>=0.21,<1; sys_platform != "win32"', 'uvloop==0.21.*; sys_platform != "win32"'),
    ],
)
def test_the_oldest_series_of_a_range(requirement: str, expected: str):
    assert oldest(requirement) == expected


def test_every_package_is_installed_in_its_oldest_version():
    assert len(requirements()) > 10
    assert all("==" in line and ">=" not in line for line in requirements())


def test_the_package_is_tried_at_both_ends_and_beside_other_tools():
    assert "transformers==5.0.*" in package_requirements("oldest") and "tokenizers" in package_requirements("oldest")
    assert "transformers>=5.0,<6" in package_requirements("newest")
    assert any(line.startswith("captum") for line in package_requirements("beside"))
