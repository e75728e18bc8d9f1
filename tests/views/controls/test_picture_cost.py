"""Reading a picture takes little time and bounded memory, and writes nothing."""

from __future__ import annotations

import json
import struct
import subprocess
import sys

import pytest
from PIL import Image

from tests.processes import ROOT
from tests.tiers import nightly
from tests.views.controls.odd_pictures import HTML, SVG, encoded, jpeg_of_scans, photo, png_bomb
from tests.views.controls.reading_pictures import FAST
from views.controls import pictures
from views.controls.pictures import read_picture

_MEASURED = """
import json, resource, sys, time
from views.controls.pictures import PictureError, read_picture
content = sys.stdin.buffer.read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
began = time.process_time()
try:
    answer = list(read_picture(content).size)
except PictureError as error:
    answer = str(error)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([answer, (peak - before) / 1024, time.process_time() - began]))
"""


def cost(content: bytes) -> tuple[object, float, float]:
    """Result, peak of the added memory in MB, and seconds of reading, in a separate process."""
    ran = subprocess.run(
        [sys.executable, "-c", _MEASURED], input=content, cwd=ROOT, capture_output=True, check=True, timeout=120
    )
    return tuple(json.loads(ran.stdout))


def test_a_smaller_bomb_is_a_picture():
    assert read_picture(png_bomb(2000)).size == (2000, 2000)


def test_a_bomb_is_refused_before_it_is_decoded():
    bomb = png_bomb(30_000)
    assert len(bomb) < 1_000_000
    answer, megabytes, seconds = cost(bomb)
    assert answer == pictures.TOO_LARGE()
    assert megabytes < 30
    assert seconds < 1


@pytest.mark.parametrize(
    ("form", "mode", "most"),
    [("PNG", "RGB", 160), ("JPEG", "RGB", 60), nightly("PNG", "RGBA", 160), nightly("PNG", "P", 100)]
    + [nightly("TIFF", "CMYK", 260), nightly("TIFF", "F", 260), nightly("GIF", "P", 160), nightly("BMP", "1", 100)]
    + [nightly("WEBP", "RGB", 450)],
)
def test_memory_for_25_megapixels(form, mode, most):
    content = encoded(Image.new(mode, (5000, 5000)), form, **FAST.get(form, {}))
    answer, megabytes, _ = cost(content)
    assert answer == [5000, 5000]
    assert megabytes < most


def test_nothing_is_written(tmp_path, monkeypatch):
    """Opening any file for writing, or making a temporary one, fails the test."""
    script = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from views.controls.pictures import PictureError, read_picture
from PIL import Image; Image.init()
import os
def watch(event, args):
    if event == "open" and (args[1] not in ("r", "rb", None) or args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)):
        sys.stderr.write(f"wrote {{args}}"); os._exit(3)
    if event in ("tempfile.mkstemp", "tempfile.mkdtemp", "os.mkdir", "subprocess.Popen", "os.system", "socket.connect"):
        sys.stderr.write(event); os._exit(4)
sys.addaudithook(watch)
import struct
data = sys.stdin.buffer
while head := data.read(4):
    try:
        read_picture(data.read(struct.unpack("<I", head)[0]))
    except PictureError:
        pass
"""
    contents = [encoded(photo(), form) for form in pictures.FORMATS]
    contents += [content[: len(content) // 2] for content in contents] + [HTML, SVG, jpeg_of_scans(300)]
    contents += [encoded(photo(), "TIFF", compression="tiff_lzw"), encoded(photo(32, 32), "EPS")]
    fed = b"".join(struct.pack("<I", len(content)) + content for content in contents)
    ran = subprocess.run([sys.executable, "-c", script], input=fed, cwd=tmp_path, capture_output=True, timeout=120)
    assert ran.returncode == 0, ran.stderr.decode()
    assert list(tmp_path.iterdir()) == []
