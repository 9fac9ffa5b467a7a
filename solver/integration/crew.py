"""Parts of a step that several threads take on together.

A thread that runs a large subsystem shares out a kernel part by part: it and the others that have nothing else to do
take one part after the other until none is left.  Parts are the same for any number of threads, and none needs what
another one does: so results are the same, too, whoever does them.

Only a thread that the system puts aside in the middle of a part has to be waited for.  Where that happens processors
are short: the one that had to wait does all parts itself for a while, and for twice as long if it happens again.
"""

from __future__ import annotations

from ..core.bodies import Ints
from ..core.jit.atomics import add, now, read, replace, rest, write
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from .status import COMPLETED
from .system import (
    ADDRESS,
    ALONE,
    CLOSED,
    FIRST,
    HELPERS,
    ON_PART,
    PAUSE,
    STATUS,
    SUBSYSTEM_OF_PART,
    TICKET,
    UNFINISHED,
    System,
)

PARTS = 2**16  # fewer than that at a time
PATIENCE = 100_000  # nanoseconds after which a thread that has nothing to do rests
SHORTEST_PAUSE, LONGEST_PAUSE = 64, 1024  # times that a thread shares nothing out after that


@kernel
def share_out(system: System, s: int, address: int, first: int, last: int) -> int:
    """Let a kernel do the parts [first, last) of subsystem s; COMPLETED, or another status that it gave back."""
    words, status = system.crew.own, COMPLETED
    if words[HELPERS] == 0 or words[ALONE] > 0:
        words[ALONE] = max(words[ALONE] - 1, 0)
        for part in range(first, last):
            done = call(address, ON_PART, system, s, part)
            status = done if done != COMPLETED else status
        return status
    begin = now()
    write(words, ADDRESS, address)
    write(words, SUBSYSTEM_OF_PART, s)
    write(words, FIRST, first)
    write(words, STATUS, COMPLETED)
    write(words, UNFINISHED, last - first)
    write(words, TICKET, (read(words, TICKET) // PARTS + 1) * PARTS + last - first)
    while take_part(system, words):
        pass
    end = now()
    # the parts that others still do take as long as those done here, or they are not being done at all
    if wait_for_others(words, end + 2 * (end - begin) + PATIENCE):
        words[PAUSE] = max(words[PAUSE] - 1, 0)
    else:
        words[PAUSE] = min(max(2 * words[PAUSE], SHORTEST_PAUSE), LONGEST_PAUSE)
        words[ALONE] = words[PAUSE]
    return read(words, STATUS)


@kernel
def wait_for_others(words: Ints, most: int) -> bool:
    """Wait until all parts are done; whether they were so at time `most`."""
    in_time = True
    while read(words, UNFINISHED) > 0:
        if now() > most:
            in_time = False
            rest()
    return in_time


@kernel
def take_part(system: System, words: Ints) -> bool:
    """Do one of the parts that are left; False where none is.

    words : of the thread that shares them out
    """
    ticket = read(words, TICKET)
    left = ticket % PARTS
    if left == 0:
        return False
    address, s, first = read(words, ADDRESS), read(words, SUBSYSTEM_OF_PART), read(words, FIRST)
    if not replace(words, TICKET, ticket, ticket - 1):
        return True  # somebody else has taken it
    status = call(address, ON_PART, system, s, first + left - 1)
    if status != COMPLETED:
        write(words, STATUS, status)
    add(words, UNFINISHED, -1)
    return True


@kernel
def help_others(system: System) -> int:
    """Take parts from all that share some out, until nobody will any more."""
    crews, idle_since = system.crew.all, now()
    while read(crews[0], CLOSED) == 0:
        found = False
        for k in range(len(crews)):
            found = take_part(system, crews[k]) or found
        if found:
            idle_since = now()
        elif now() > idle_since + PATIENCE:
            rest()
    return COMPLETED
