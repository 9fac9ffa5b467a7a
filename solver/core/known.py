"""What a process has found before and is asked for again, as where it runs one machine many times."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from typing import Any, Generic, TypeVar

Found = TypeVar("Found")


class Known(Generic[Found]):
    """Results by what they were found from; beyond `most` of them those asked for longest ago are forgotten.

    Threads may share it: of two that miss the same result both find it.

    size : of a result, by which `most` of all counts; each counts 1 if it is not given.  What is larger than `most` is
        not kept
    """

    def __init__(self, most: int, size: Callable[[Found], float] = lambda _: 1) -> None:
        self._most, self._size = most, size
        self._results: OrderedDict[Hashable, Found] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, find: Callable[[], Found]) -> Found:
        """The result of a key, found now where it is not known."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key]
        found = find()
        if self._size(found) > self._most:
            return found
        with self._lock:
            self._results[key] = found
            while sum(map(self._size, self._results.values())) > self._most:
                self._results.popitem(last=False)
        return found

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._results.clear()

    def __len__(self) -> int:
        return len(self._results)


def digest_of(arrays: Iterable[Any]) -> bytes:
    """Short, and the same for equal arrays of equal types alone: what is found from them is known by it."""
    import numpy as np  # not with the module: `gsolve --help` has no other use for it

    digest = hashlib.blake2b(digest_size=32)
    for array in arrays:
        digest.update(np.array(array.shape).tobytes())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.digest()


def bytes_of(arrays: Iterable[Any]) -> int:
    """Memory of some arrays."""
    import numpy as np

    return sum(np.asarray(array).nbytes for array in arrays)
