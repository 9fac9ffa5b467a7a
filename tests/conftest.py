"""What holds for the whole suite."""

from __future__ import annotations

import os
import sys

# Where byte code is not kept, each of the some hundred processes that tests start compiles all modules of gsolve anew,
# half a second each.  Set before the workers of pytest-xdist start, which inherit it.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# colorama is there with what the tests need: numba paints its errors then, also those that it drops while it compiles.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")
