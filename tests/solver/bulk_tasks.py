"""Tasks for worker processes, which import them by name."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from gsolve.solver.bulk.one_case import CaseAnswer, CaseTask
from gsolve.solver.bulk.workers import Link


def work(task: tuple[str, Any], link: Link) -> Any:
    """Whatever the first word of a task says."""
    what, value = task
    if what == "double":
        return 2 * value
    if what == "process":
        return os.getpid()
    if what == "raise":
        raise ValueError(value)
    if what == "die":
        os.kill(os.getpid(), value)
    if what == "exit":
        os._exit(value)
    if what == "log":
        with open(value, "a") as file:
            print(os.getpid(), file=file)
        return None
    if what == "hang":
        time.sleep(60)
    if what == "until stopped":
        while not (reason := link.reason_to_stop()):
            link.tell(0.5)
            time.sleep(0.01)
        return reason
    if what == "signal":
        os.kill(os.getpid(), signal.SIGTERM)
        return link.reason_to_stop()
    if what == "touch":
        Path(value).touch()
        time.sleep(60)
    return None


def case(task: CaseTask, link: Link) -> CaseAnswer:
    """A case that is logged: 3 dies the first time, 5 fails, 7 waits until it is stopped, the others give (x - 2)^2."""
    log, x = Path(task.options.command_line), float(task.defines["x"])
    with open(log, "a") as file:
        print(f"{x:g}", file=file)
    if x == 3 and not (mark := log.with_suffix(".died")).exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if x == 5:
        return CaseAnswer("failed", "the run diverged", "the run diverged")
    if x == 7:
        while not (reason := link.reason_to_stop()):
            time.sleep(0.01)
        return CaseAnswer("stopped", f"stopped by {reason}")
    return CaseAnswer("completed", responses={"y": (x - 2) ** 2})
