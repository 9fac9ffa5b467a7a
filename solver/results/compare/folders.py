"""Two folders of results: files of one relative name beside each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ..files import OutputError
from .pair import Comparison, compare


@dataclass(slots=True)
class FolderComparison:
    """What came of comparing the result files below folder B with those below A, the reference.

    a, b : the folders
    files : what came of each that both have, by its relative name; a text where it cannot be compared
    missing, new : files that only A, only B has
    """

    a: str
    b: str
    files: dict[str, Comparison | str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)

    @property
    def refused(self) -> list[str]:
        """Files that cannot be compared."""
        return [name for name, found in self.files.items() if isinstance(found, str)]

    @property
    def equal(self) -> bool:
        """Whether B has all files of A, and each is equal to within the tolerance."""
        return not self.missing and all(isinstance(found, Comparison) and found.equal for found in self.files.values())


def compare_folders(a: Path, b: Path, *, rtol: float, atol: float, at_end: bool) -> FolderComparison:
    """Compare all result files below two folders.

    Raises
    ------
    OutputError
        there is no result below A
    """
    names_a, names_b = _results_below(a), _results_below(b)
    if not names_a:
        raise OutputError(f"there is no result file (.h5) below {a}")
    found = FolderComparison(str(a), str(b))
    found.missing = [name for name in names_a if name not in names_b]
    found.new = [name for name in names_b if name not in names_a]
    for name in names_a:
        if name in names_b:
            try:
                found.files[name] = compare(a / name, b / name, rtol=rtol, atol=atol, at_end=at_end)
            except OutputError as error:
                found.files[name] = str(error)
    return found


def _results_below(folder: Path) -> list[str]:
    """Relative names of the result files, without those that a run is just making."""
    paths = (path.relative_to(folder) for path in folder.rglob("*.h5"))
    return sorted(path.as_posix() for path in paths if not path.name.startswith("."))
