"""The program in processes that begin with their modules loaded: starting Python anew takes each a second and a half.

As a program it loads them, reads a request a line, and becomes in a fork of itself what is asked for.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import signal
import subprocess
import sys
import traceback
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

FAKE_PROGRAM = Path(__file__).with_name("fake_simulation.py")
SECONDS = 180  # that a program may take


class Programs:
    """Begins programs; each is a process of its own, with its own folder, streams and exit status."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory()
        self._process = subprocess.Popen(
            [sys.executable, __file__], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        atexit.register(self.close)

    def run(self, *arguments: str, fake: bool = False) -> subprocess.CompletedProcess[str]:
        """What `gsolve` does in the current folder and environment; fake: with the fake simulation."""
        out, err = (Path(self._folder.name, name) for name in ("out", "err"))
        request = {
            "arguments": arguments, "fake": fake, "folder": os.getcwd(), "environment": dict(os.environ),
            "out": str(out), "err": str(err),
        }  # fmt: skip
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        status = int(self._process.stdout.readline())
        return subprocess.CompletedProcess(arguments, status, out.read_text(), err.read_text())

    def close(self) -> None:
        """End the process that begins the others."""
        self._process.communicate()
        self._folder.cleanup()


@cache
def programs() -> Programs:
    """The one of this process."""
    return Programs()


def requested() -> dict[str, Any] | None:
    """Fork at each request; returns it in the fork, and None where no more come."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            return dict(json.loads(line))
        status = os.waitpid(child, 0)[1]
        print(os.waitstatus_to_exitcode(status), flush=True)
    return None


def become(request: dict[str, Any]) -> None:
    """Be the program that is asked for."""
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    streams = os.open(os.devnull, os.O_RDONLY), os.open(request["out"], flags), os.open(request["err"], flags)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    signal.alarm(SECONDS)
    sys.argv = [str(FAKE_PROGRAM) if request["fake"] else "gsolve", *request["arguments"]]
    if request["fake"]:
        runpy.run_path(str(FAKE_PROGRAM), run_name="__main__")
    else:
        from gsolve.solver.cli import main

        main()


def end(request: dict[str, Any]) -> None:
    """Be the program, and end as Python does, but without taking apart its modules: that is half a second."""
    status = 1
    try:
        become(request)
        status = 0
    except SystemExit as asked:
        status = int(asked.code or 0)
    except BaseException:
        traceback.print_exc()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    import gsolve.solver.cli.program
    import gsolve.solver.run.driver
    import gsolve.solver.run.simulation  # noqa: F401

    gc.freeze()  # or each fork would look through all of it, and copy it so
    if (request := requested()) is not None:
        end(request)
