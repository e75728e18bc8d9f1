"""What every page run does: garbage collection and imports."""

import gc
import subprocess
import sys

from tests.pages.conftest import PATIENCE, ROOT
from views import navigation

FIRST_VISIT = f"""
import sys
from streamlit.testing.v1 import AppTest
app = AppTest.from_file({str(ROOT / "app.py")!r}, default_timeout={PATIENCE}).run()
assert not app.exception and app.title[0].value == "Attention Atlas"
print(*sys.modules)
"""


def test_loaded_objects_are_frozen_for_the_garbage_collector(open_app):
    navigation._freeze_loaded_objects.cache_clear()
    gc.unfreeze()
    open_app()
    looked_through = {id(thing) for thing in gc.get_objects()}
    assert id(sys.modules["torch"].nn.Module) not in looked_through


def test_the_home_page_does_not_import_pandas():
    done = subprocess.run([sys.executable, "-c", FIRST_VISIT], capture_output=True, text=True, cwd=ROOT, check=True)
    loaded = done.stdout.split()
    assert "torch" in loaded
    assert {"pandas", "pyarrow", "transformers", "scipy", "matplotlib"}.isdisjoint(loaded)
