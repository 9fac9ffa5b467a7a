"""Options of the shell in texts that a program in Python gets."""

from __future__ import annotations

import pytest
from gsolve.solver.core.python_words import in_python, with_arguments

DEFAULTS = {"t_end": None, "force": False, "output": None, "frames": None, "allow_user_code": False}


@pytest.mark.parametrize(
    ("shell", "python"),
    [
        ("run longer (/RUN, --t-end)", "run longer (/RUN, t_end)"),
        ("--t-end T goes on", "t_end=T goes on"),
        ("anew with --t-end 2.5e-3", "anew with t_end=2.5e-3"),
        ("--force overwrites, -o NAME writes elsewhere", "force=True overwrites, output=NAME writes elsewhere"),
        ("allow it with --allow-user-code: it can", "allow it with allow_user_code=True: it can"),
        ("it was run with --frames off, or", "it was run with frames='off', or"),
        ("-D zz=1: no parameter", "parameters zz=1: no parameter"),
        ("-D RATIO=1: no parameter", "parameters RATIO=1: no parameter"),
        ("gsolve resume x.h5 --t-end T; or --force", "gsolve resume x.h5 --t-end T; or force=True"),  # a whole command
        ("--settle and a--force stay", "--settle and a--force stay"),
    ],
)
def test_arguments_stand_where_options_were(shell: str, python: str) -> None:
    assert with_arguments(shell, DEFAULTS) == python


def test_what_a_caller_raises_is_left_alone() -> None:
    @in_python
    def call(*, force: bool = False) -> None:
        raise ValueError("--force")

    with pytest.raises(ValueError, match=r"^--force$"):
        call()
