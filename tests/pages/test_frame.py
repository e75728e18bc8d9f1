"""What surrounds every page."""

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


def test_what_a_page_loaded_is_not_looked_through_after_each_run(open_app):
    navigation._freeze_loaded_objects.cache_clear()
    gc.unfreeze()
    open_app()
    looked_through = {id(thing) for thing in gc.get_objects()}
    assert id(sys.modules["torch"].nn.Module) not in looked_through


def test_the_first_visit_waits_for_no_table_library():
    done = subprocess.run([sys.executable, "-c", FIRST_VISIT], capture_output=True, text=True, cwd=ROOT, check=True)
    loaded = done.stdout.split()
    assert "torch" in loaded
    assert {"pandas", "pyarrow", "transformers", "scipy", "matplotlib"}.isdisjoint(loaded)
