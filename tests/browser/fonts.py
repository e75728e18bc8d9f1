"""The fonts of the browser in tests: those of Python's packages alone, so that every machine draws the same.

Pages name the font that Streamlit ships. What it lacks, Korean above all, is drawn with fonts of the machine; on one
without any, a text is as wide as its empty boxes.
"""

from __future__ import annotations

import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from xml.sax.saxutils import escape

PACKAGES = (  # package and the folder of its fonts
    ("matplotlib", "mpl-data/fonts/ttf"),  # DejaVu, which most distributions have
    ("koreanize_matplotlib", "fonts"),  # NanumGothic
    ("fontpkg_noto_sans_arabic", "files"),
    ("fontpkg_noto_sans_devanagari", "files"),
    ("fontpkg_noto_sans_khmer", "files"),
    ("fontpkg_noto_sans_tamil", "files"),
    ("fontpkg_noto_sans_telugu", "files"),
    ("fontpkg_noto_sans_thai", "files"),
)
GENERIC = {"sans-serif": "DejaVu Sans", "serif": "DejaVu Serif", "monospace": "DejaVu Sans Mono"}


def font_folders() -> list[Path]:
    """Return the folders of the packages' fonts.

    Raises:
        FileNotFoundError: a package is not installed.
    """
    folders = []
    for package, folder in PACKAGES:
        found = find_spec(package)
        places = [Path(place) / folder for place in (found.submodule_search_locations or ())] if found else []
        if not any(place.is_dir() for place in places):
            raise FileNotFoundError(f"Install requirements-dev.txt: browser tests need the fonts of {package}.")
        folders += places
    return folders


@cache
def fonts_config() -> str:
    """Write a configuration of fontconfig that names these fonts, and return its path, for FONTCONFIG_FILE."""
    folder = Path(tempfile.mkdtemp(prefix="fonts-"))
    folders = "".join(f"<dir>{escape(str(each))}</dir>" for each in font_folders())
    names = "".join(
        f"<alias><family>{family}</family><prefer><family>{font}</family></prefer></alias>"
        for family, font in GENERIC.items()
    )
    path = folder / "fonts.conf"
    path.write_text(f"<fontconfig>{folders}<cachedir>{escape(str(folder))}</cachedir>{names}</fontconfig>")
    return str(path)
