"""The file under HDF5: what a reader or a kill finds at any moment opens.

HDF5 writes its bookkeeping in no useful order: headers that point to blocks which are not on disk yet.  Here the
writes of a flush wait until it is over.  Then what is new goes first, which nothing points to; then the superblock
with the new end of the file; then what was there before and may point to the new.  A process that dies in between
leaves a file in which some of the newest samples may be missing (NaN), and no more.

HDF5 has several calls for a Python file with each dataset, which take longer than all else that a short run does with
its results.  So it works on a file in memory as long as that is small, of which a flush writes what is new, and the
pages of what was there before that differ, in the same order.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import h5py
from h5py import h5f, h5p

PAGE = 4096  # bytes that are compared, and written, at once
GROWTH = 1 << 18  # of a file in memory
_NUMBERS = count()


class OrderedHdf5:
    """A new HDF5 file, of the content of another one.

    file : for h5py; another one once `leave_memory` was called
    is_in_memory : whether HDF5 works on a copy

    Raises
    ------
    OSError
        the file cannot be created
    """

    def __init__(self, path: Path, content: bytes) -> None:
        name = f"gsolve results in memory {next(_NUMBERS)}"  # HDF5 takes files of one name for one
        self.file = h5py.File(h5f.open(name.encode(), h5f.ACC_RDWR, fapl=_in_memory(content)))
        self.is_in_memory = True
        self._disk = OrderedFile(path)
        self._written = b""  # what of the file in memory is on disk

    def fileno(self) -> int:
        return self._disk.fileno()

    @property
    def error(self) -> OSError | None:
        """Of a write that failed: all after it are dropped."""
        return self._disk.error

    def set_aside(self, size: int) -> None:
        """Have the system set `size` bytes aside; raises OSError where there is no room."""
        self._disk.set_aside(size)

    def leave_memory(self) -> None:
        """Let HDF5 work on disk; datasets and attributes are to be opened again.  Raises OSError as `flushed`."""
        with self.flushed():
            pass
        self.file.close()
        self.is_in_memory, self._written = False, b""
        # No lock, so that a run can be looked at while it goes on.
        self.file = h5py.File(self._disk, "r+", locking=False, rdcc_nbytes=0)
        _forbid_eviction(self.file)

    @contextmanager
    def flushed(self) -> Iterator[None]:
        """All that is written inside, and what HDF5 holds, goes to disk; raises the OSError of a write that failed."""
        if self.is_in_memory:
            yield
            h5f.flush(self.file.id)
            content = self.file.id.get_file_image()
            self._disk.go_on(self._written, content)
            self._written = content
        else:
            with self._disk.in_order():
                yield
                self.file.flush()
        if self._disk.error is not None:
            raise self._disk.error

    def close(self) -> None:
        """Close, and write what was not flushed if HDF5 works on disk."""
        with self._disk.in_order():
            self.file.close()
        with suppress(OSError):  # what stays set aside beyond the end harms nobody
            self._disk.close()


def _in_memory(content: bytes) -> Any:
    """How HDF5 opens a file of that content that is nowhere else."""
    access = h5p.create(h5p.FILE_ACCESS)
    access.set_fapl_core(GROWTH, False)
    access.set_file_image(content)
    access.set_cache(0, 0, 0, 0.0)  # chunks go to their places at once
    access.set_libver_bounds(h5f.LIBVER_EARLIEST, h5f.LIBVER_LATEST)
    access.set_fclose_degree(h5f.CLOSE_STRONG)
    return access


def _forbid_eviction(file: h5py.File) -> None:
    """Keep changed metadata in memory until `flush` writes them all."""
    config = file.id.get_mdc_config()
    config.evictions_enabled = False
    config.incr_mode = config.flash_incr_mode = config.decr_mode = 0  # off, which HDF5 asks for here
    file.id.set_mdc_config(config)


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

    def go_on(self, before: bytes, data: bytes) -> None:
        """Put the bytes of a whole file there, which has those of `before`."""
        known, view = len(before), memoryview(data)
        self._put(known, view[known:])
        for first in range(0, known, PAGE):  # the superblock is on the first one
            last = min(first + PAGE, known)
            if data[first:last] != before[first:last]:
                self._put(first, view[first:last])
        self._end = self._flushed_end = len(data)

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
