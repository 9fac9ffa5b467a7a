"""Summaries for machines: plain JSON values out of what gsolve works with."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gsolve.parser.text.diagnostics import Diagnostic


def plain(value: Any) -> Any:
    """The value in JSON's own types; NaN and infinity, which JSON does not have, become null."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain({key: part for key, part in asdict(value).items() if part not in ("", 0, None)})
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    return str(value)


def summary_text(summary: Mapping[str, Any]) -> str:
    """The summary as JSON text."""
    return json.dumps(plain(summary), indent=2, ensure_ascii=False, allow_nan=False)


def messages_text(messages: Iterable[Diagnostic]) -> str:
    """Messages as JSON text, without the fields that are empty."""
    text = json.dumps(plain(list(messages)), ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode()  # names of files need not be text


def messages_in(text: str) -> tuple[Diagnostic, ...]:
    """Messages of a JSON text."""
    from gsolve.parser.text.diagnostics import Diagnostic

    return tuple(Diagnostic(**item) for item in json.loads(text))
