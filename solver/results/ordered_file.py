"""The file under HDF5: what a reader or a kill finds at any moment opens.

HDF5 writes its bookkeeping in no useful order: headers that point to blocks which are not on disk yet.  Here the
writes of a flush wait until it is over.  Then what is new goes first, which nothing points to; then the superblock
with the new end of the file; then what was there before and may point to the new.  A process that dies in between
leaves a file in which some of the newest samples may be missing (NaN), and no more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class OrderedFile:
    """A new file with the methods that HDF5 needs of a Python file.

    HDF5 cannot recover from a failed write: it would crash the process when it closes the file.  So a failure is
    kept in `error`, and all writes after it are dropped.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        self._position = self._end = self._flushed_end = 0
        self._holding = False
        self._held: list[tuple[int, bytes]] = []
        self.error: OSError | None = None

    def fileno(self) -> int:
        return self._descriptor

    @contextmanager
    def in_order(self) -> Iterator[None]:
        """All that is written inside goes to disk at the end, in an order that is safe."""
        self._holding = True
        try:
            yield
        finally:
            self._holding = False
            held, self._held = self._held, []
            for offset, data in sorted(held, key=self._order):
                self._put(offset, data)
            self._flushed_end = self._end

    def _order(self, write: tuple[int, bytes]) -> int:
        """0 for what lies beyond the end of the last flush, 1 for the superblock, 2 for all else."""
        offset, _ = write
        return 0 if offset >= self._flushed_end else 1 if offset == 0 else 2

    def _put(self, offset: int, data: bytes | memoryview) -> None:
        try:
            while len(data) and self.error is None:
                count = os.pwrite(self._descriptor, data, offset)
                offset, data = offset + count, data[count:]
        except OSError as error:
            self.error = error

    def begin(self, data: bytes) -> None:
        """Put the bytes of a whole file there, to go on from; raises the OSError of a write that failed."""
        self.write(memoryview(data))
        if self.error is not None:
            raise self.error

    def set_aside(self, size: int) -> None:
        """posix_fallocate where there is one; raises OSError where there is no room."""
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(self._descriptor, 0, size)

    def close(self) -> None:
        """Cut off what was set aside beyond the end, and close."""
        try:
            os.ftruncate(self._descriptor, self._end)
        finally:
            os.close(self._descriptor)

    # ---- called by HDF5 --------------------------------------------------------------------------------------

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._position = offset + (0, self._position, self._end)[whence]
        return self._position

    def tell(self) -> int:
        return self._position

    def write(self, data: memoryview) -> int:
        """Write at the position, now or when what is held goes to disk."""
        count = len(data)
        if self._holding:
            self._held.append((self._position, bytes(data)))
        else:
            self._put(self._position, data)
        self._position += count
        self._end = max(self._end, self._position)
        return count

    def readinto(self, buffer: memoryview) -> int:
        """Read at the position, what is held included."""
        offset, size = self._position, len(buffer)
        data = os.pread(self._descriptor, size, offset)
        buffer[: len(data)] = data
        buffer[len(data) :] = bytes(size - len(data))
        for start, held in self._held:
            first, last = max(start, offset), min(start + len(held), offset + size)
            if first < last:
                buffer[first - offset : last - offset] = held[first - start : last - start]
        self._position += size
        return size

    def read(self, size: int = -1) -> bytes:
        """Read at the position."""
        buffer = bytearray(max(0, self._end - self._position) if size < 0 else size)
        self.readinto(memoryview(buffer))
        return bytes(buffer)

    def truncate(self, size: int) -> int:
        """HDF5 would cut off what is set aside for what comes; `close` does that."""
        self._end = max(self._end, size)
        return size

    def flush(self) -> None:
        """Nothing waits here but inside `in_order`."""
