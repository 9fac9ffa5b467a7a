"""What a file imports, by its lines: all of its syntax takes ten times as long to read."""

from __future__ import annotations

import ast
import re

LONG_STRING = re.compile(r'""".*?"""', re.DOTALL)
STATEMENT = re.compile(
    r"^[ \t]*((?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+(?:\((?:[^)#]|#[^\n]*)*\)|[\w.][^\n]*)[^\n]*)$", re.MULTILINE
)


def import_statements(text: str) -> list[ast.Import | ast.ImportFrom]:
    """Those at the top, in functions and under TYPE_CHECKING."""
    lines = STATEMENT.findall(LONG_STRING.sub('""', text))
    return [node for node in ast.parse("\n".join(lines)).body if isinstance(node, ast.Import | ast.ImportFrom)]
