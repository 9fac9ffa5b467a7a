"""Messages as a program in Python reads them: with its arguments where those of the shell name options.

What goes wrong is told by code that both ways share, in the words of the shell; whole commands stay as they are.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ParamSpec, TypeVar

from gsolve.parser.text.diagnostics import DeckError, Diagnostic

P = ParamSpec("P")
R = TypeVar("R")
SHELL = re.compile(
    r"gsolve (?:resume |[A-Z])[^:;,]*|(?<![\w-])(?:-D(?= \w+=)|(?P<output>-o(?= ))|--(?P<option>[a-z]+(?:-[a-z]+)*))"
    r"(?: (?P<value>[A-Z][\w.]*|[\d.]+(?:e[+-]?\d+)?\b|off\b|never\b))?"
)


def in_python(function: Callable[P, R]) -> Callable[P, R]:
    """Let the errors of a function name its arguments."""
    defaults = defaults_of(function)

    @functools.wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> R:
        try:
            return function(*arguments, **named)
        except DeckError as error:
            error.diagnostics[:] = [reworded(diagnostic, defaults) for diagnostic in error.diagnostics]
            raise
        except Exception as error:
            if type(error).__module__.startswith("gsolve."):
                error.args = tuple(with_arguments(x, defaults) if isinstance(x, str) else x for x in error.args)
            raise

    return call


def defaults_of(function: Callable[..., object]) -> dict[str, Any]:
    """Arguments of a function with their defaults."""
    return {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}


def with_arguments(text: str, defaults: Mapping[str, Any]) -> str:
    """A text with arguments in place of options, where a function has them; its defaults tell switches."""

    def argument(found: re.Match[str]) -> str:
        if found[0].startswith("gsolve"):
            return found[0]
        if found[0].startswith("-D"):
            return f"parameters{found[0][2:]}"  # a name in capitals looks like a value
        name, value = (found["option"] or "output").replace("-", "_"), found["value"]
        if name not in defaults:
            return found[0]
        if defaults[name] is False:
            return f"{name}=True" + (f" {value}" if value else "")
        if value is None:
            return name
        return f"{name}={value!r}" if value in ("off", "never") else f"{name}={value}"

    return SHELL.sub(argument, text)


def reworded(diagnostic: Diagnostic, defaults: Mapping[str, Any]) -> Diagnostic:
    """A message with arguments in place of options."""
    message, hint = (with_arguments(text, defaults) for text in (diagnostic.message, diagnostic.hint))
    return replace(diagnostic, message=message, hint=hint)
