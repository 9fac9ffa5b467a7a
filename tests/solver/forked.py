"""The program in processes that begin with their modules loaded: starting Python anew takes each a second and a half.

As a program it loads them, reads a request a line, and becomes in a fork of itself what is asked for.
"""

from __future__ import annotations

import atexit
import gc
import itertools
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


class Started:
    """A program that runs, as `subprocess.Popen` has it."""

    def __init__(self, programs: Programs, pid: int, out: Path, err: Path) -> None:
        self._programs, self.pid, self.returncode = programs, pid, -1
        self.stdout, self.stderr = out.open(), err.open()  # pipes that it opens in the same order

    def __enter__(self) -> Started:
        return self

    def __exit__(self, *error: object) -> None:
        self.stdout.close()
        self.stderr.close()
        if self.returncode == -1:
            self.wait()

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)  # it keeps its number until `wait`

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self) -> int:
        """Its exit status, once it has ended."""
        self.returncode = self._programs.status_of(self.pid)
        return self.returncode

    def communicate(self) -> tuple[str, str]:
        """All that it says yet."""
        said = self.stdout.read(), self.stderr.read()
        self.wait()
        return said


class Programs:
    """Begins programs; each is a process of its own, with its own folder, streams and exit status.

    loads : source of what the process does from which they are forked
    """

    def __init__(self, loads: str = "") -> None:
        self._folder = TemporaryDirectory()
        self._names = itertools.count()
        self._process = subprocess.Popen(
            [sys.executable, __file__, loads], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        atexit.register(self.close)

    def run(self, *arguments: str, fake: bool = False, code: str = "") -> subprocess.CompletedProcess[str]:
        """What `gsolve` does in the current folder and environment; fake: with the fake simulation; code: of others."""
        out, err = (Path(self._folder.name, name) for name in ("out", "err"))
        pid = self._begin(arguments, fake, code, out, err)
        return subprocess.CompletedProcess(arguments, self.status_of(pid), out.read_text(), err.read_text())

    def start(self, *arguments: str, fake: bool = False, code: str = "") -> Started:
        """The same, while it goes on."""
        number = next(self._names)
        out, err = (Path(self._folder.name, f"{name}_{number}") for name in ("out", "err"))
        os.mkfifo(out)
        os.mkfifo(err)
        return Started(self, self._begin(arguments, fake, code, out, err), out, err)

    def status_of(self, pid: int) -> int:
        """Exit status of a program, once it has ended."""
        return self._ask({"wait": pid})

    def _begin(self, arguments: tuple[str, ...], fake: bool, code: str, out: Path, err: Path) -> int:
        return self._ask({
            "arguments": arguments, "fake": fake, "code": code, "folder": os.getcwd(),
            "environment": dict(os.environ), "out": str(out), "err": str(err),
        })  # fmt: skip

    def _ask(self, request: dict[str, Any]) -> int:
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        return int(self._process.stdout.readline())

    def close(self) -> None:
        """End the process that begins the others."""
        atexit.unregister(self.close)
        self._process.communicate()
        self._folder.cleanup()


@cache
def programs() -> Programs:
    """The one of this process."""
    return Programs(LOADS)


LOADS = """
import gsolve.solver.bulk.imports
import gsolve.solver.cli.program
import gsolve.solver.run.driver
import gsolve.solver.run.simulation
"""


def requested() -> dict[str, Any] | None:
    """Fork at each request; returns it in the fork, and None where no more come."""
    for line in sys.stdin:
        request = dict(json.loads(line))
        if "wait" in request:
            print(os.waitstatus_to_exitcode(os.waitpid(request["wait"], 0)[1]), flush=True)
        elif child := os.fork():
            print(child, flush=True)
        else:
            return request
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
    sys.stdout = os.fdopen(1, "w")  # those that were there know what they wrote to before
    sys.stderr = os.fdopen(2, "w", 1, errors="backslashreplace")
    signal.alarm(SECONDS)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell switches it off for what runs behind
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    sys.argv = [str(FAKE_PROGRAM) if request["fake"] else "gsolve", *request["arguments"]]
    if request["code"]:
        exec(compile(request["code"], "<code>", "exec"), {"__name__": "__main__"})
    elif request["fake"]:
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
    exec(sys.argv[1], {"__name__": "loads"})
    gc.freeze()  # or each fork would look through all of it, and copy it so
    if (request := requested()) is not None:
        end(request)
