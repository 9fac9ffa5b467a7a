"""What a mesh file says of itself: how many triangles it must give.

Readers of mesh files take what they find: of a file that was cut off in the middle they return the part that is there.
"""

from __future__ import annotations

import re

_STL_HEADER, _STL_TRIANGLE = 84, 50  # bytes
_CUT_OFF = "the file seems to have been cut off: export it or copy it again"
_AGAIN = "export it again, or as another of STL, OBJ, PLY and OFF"


class MeshFileError(Exception):
    """A file cannot be read as a mesh.

    message : what is wrong with the file, to follow "the file ..."; hint : what to do
    """

    def __init__(self, message: str, hint: str = _AGAIN) -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


def announced_triangles(data: bytes, kind: str) -> int:
    """How many triangles the contents of a file of a kind ("stl", "obj", "ply", "off") must give.

    Polygons count as the triangles that they are cut into; of a PLY file, which may have some, it is the least number.

    Raises
    ------
    MeshFileError
        the file is empty, was cut off, or contradicts itself
    """
    if not data or data.isspace():
        raise MeshFileError("is empty", "export it again")
    return {"stl": _of_stl, "obj": _of_obj, "ply": _of_ply, "off": _of_off}[kind](data)


def _of_stl(data: bytes) -> int:
    """Of a binary file the number in its header, to which its length must fit; of one of text its facets."""
    count = int.from_bytes(data[_STL_HEADER - 4 : _STL_HEADER], "little") if len(data) >= _STL_HEADER else 0
    fits = len(data) == _STL_HEADER + _STL_TRIANGLE * count
    if fits and len(data) >= _STL_HEADER:
        return count
    if data.lstrip()[:5].lower() == b"solid" and b"\0" not in data[:1000]:
        return _of_stl_text(data.lower())
    if len(data) < _STL_HEADER:
        raise MeshFileError(f"is no STL file: it has {len(data)} bytes, a header alone has {_STL_HEADER}")
    if b"\0" not in data[:1000]:
        raise MeshFileError(f"is no STL file: it begins with '{_shown(data[:200])}'")
    held = (len(data) - _STL_HEADER) / _STL_TRIANGLE
    message = f"is damaged: its header announces {count} triangles, and its length is that of {held:.6g}"
    raise MeshFileError(message, _CUT_OFF if held < count else _AGAIN)


def _of_stl_text(text: bytes) -> int:
    begun, ended = text.count(b"facet normal"), text.count(b"endfacet")
    last = text.rstrip().rpartition(b"\n")[2].strip()
    if begun != ended or not last.startswith(b"endsolid"):
        message = f"is damaged: {begun} triangles begin in it, {ended} end"
        if not last.startswith(b"endsolid"):
            message += ", and its last line is not endsolid"
        raise MeshFileError(message, _CUT_OFF)
    return ended


def _of_obj(data: bytes) -> int:
    """The triangles of its lines f, whose numbers must be those of its lines v."""
    text = without_breaks(data)
    vertices = len(re.findall(rb"(?m)^[ \t]*v[ \t]", text))
    count = 0
    for line in re.findall(rb"(?m)^[ \t]*f[ \t]([^\r\n#]*)", text):
        corners = line.split()
        if len(corners) < 3:
            raise MeshFileError(f"is damaged: a face of it has {len(corners)} corners (f {_shown(line)})", _CUT_OFF)
        for corner in corners:
            number = corner.split(b"/", 1)[0]
            if not number.lstrip(b"-").isdigit():
                raise MeshFileError(f"is damaged: a face of it is no list of numbers (f {_shown(line)})")
            if number[:1] == b"-":
                message = f"counts vertices backwards (f {_shown(line)}), which is not understood"
                raise MeshFileError(message, "export it with positive numbers, or as STL")
            if not 1 <= int(number) <= vertices:
                message = (
                    f"is damaged: a face of it has vertex {int(number)}, and there are {vertices} (f {_shown(line)})"
                )
                raise MeshFileError(message)
        count += len(corners) - 2
    if not vertices and not count:
        raise MeshFileError(
            f"is no OBJ file: it has neither vertices nor faces, and begins with '{_shown(data[:200])}'"
        )
    return count


def without_breaks(data: bytes) -> bytes:
    """Text without line ends after a backslash, which do not end a line of an OBJ file."""
    return data.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ")


def _of_ply(data: bytes) -> int:
    """The number of faces in its header; every element of a text file has a line."""
    if data[:3] != b"ply":
        raise MeshFileError("is no PLY file: it does not begin with ply")
    header, end, body = data.partition(b"end_header")
    if not end:
        raise MeshFileError("is damaged: its header has no end", _CUT_OFF)
    found = re.findall(rb"(?m)^[ \t]*element[ \t]+(\w+)[ \t]+(\d+)", header)
    counts = {name.decode("ascii", "replace"): int(number) for name, number in found}
    announced = sum(counts.values())
    held = len(body)
    if re.search(rb"(?m)^[ \t]*format[ \t]+ascii", header):
        held = sum(1 for line in body.splitlines() if line.strip())
    if held < announced:
        what = ", ".join(f"{number} of {name}" for name, number in counts.items())
        raise MeshFileError(f"is damaged: its header announces more ({what}) than it holds", _CUT_OFF)
    return counts.get("face", 0)


def _of_off(data: bytes) -> int:
    """The triangles of its faces, as many as the numbers at its beginning announce."""
    return sum(len(face) - 2 for face in parts_of_off(data)[1])


def parts_of_off(data: bytes) -> tuple[list[list[bytes]], list[list[bytes]]]:
    """The words of its vertices, three each, and of its faces, a corner each.

    Raises
    ------
    MeshFileError
        the file was cut off, or contradicts itself
    """
    lines = [line for line in (raw.partition(b"#")[0].strip() for raw in data.splitlines()) if line]
    keyword, _, rest = lines[0].partition(b"OFF") if lines else (b"", b"", b"")
    if not lines or b"OFF" not in lines[0] or len(keyword) > 4:
        raise MeshFileError("is no OFF file: it does not begin with OFF")
    lines = ([rest.strip()] if rest.strip() else []) + lines[1:]
    numbers = lines[0].split() if lines else []
    if len(numbers) < 2 or not all(number.isdigit() for number in numbers[:2]):
        raise MeshFileError("is damaged: the numbers of its vertices and faces are missing")
    vertices, faces = int(numbers[0]), int(numbers[1])
    if len(lines) < 1 + vertices + faces:
        message = (
            f"is damaged: it announces {vertices} vertices and {faces} faces, and has {len(lines) - 1} lines of them"
        )
        raise MeshFileError(message, _CUT_OFF)
    found = []
    for line in lines[1 + vertices : 1 + vertices + faces]:
        words = line.split()
        if not words[0].isdigit() or len(words) <= int(words[0]) or int(words[0]) < 3:
            raise MeshFileError(f"is damaged: a face of it has too few corners ({_shown(line)})", _CUT_OFF)
        found.append(words[1 : 1 + int(words[0])])
    return [line.split()[:3] for line in lines[1 : 1 + vertices]], found


def _shown(line: bytes) -> str:
    """A line of a file for a message: printable, not too long."""
    text = " ".join(line.decode("ascii", "replace").split())
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return text if len(text) <= 40 else f"{text[:37]}..."
