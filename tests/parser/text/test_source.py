"""Files, includes and line numbers."""

from pathlib import Path

import pytest
from gsolve.parser import DeckError
from gsolve.parser.text.source import read_source, read_text


def write(path: Path, data: bytes | str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return str(path)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"/END", "/END\n"),
        (b"a\r\nb\r\n", "a\nb\n"),
        (b"a\rb", "a\nb\n"),
        (b"\xef\xbb\xbf/BEGIN\n", "/BEGIN\n"),
        ("# Größe\n".encode(), "# Größe\n"),
        ("# Größe\n".encode("latin-1"), "# Größe\n"),
    ],
)
def test_line_ends_and_encodings(tmp_path: Path, data: bytes, text: str) -> None:
    assert read_text(write(tmp_path / "a.rad", data)) == text


def test_missing_file_is_a_deck_error(tmp_path: Path) -> None:
    with pytest.raises(DeckError) as caught:
        read_text(str(tmp_path / "none.rad"))
    assert caught.value.diagnostics[0].message == "cannot read the file: No such file or directory"


def test_includes_are_put_in_place_and_lines_keep_their_origin(tmp_path: Path) -> None:
    main = write(tmp_path / "main.rad", "one\n#include 'parts/inner.inc'\ntwo\n")
    inner = write(tmp_path / "parts" / "inner.inc", "in 1\n  #INCLUDE deep.inc\nin 3\n")
    deep = write(tmp_path / "parts" / "deep.inc", "deep\n")
    source = read_source(main)
    assert source.text == "one\nin 1\ndeep\nin 3\ntwo\n"
    assert [source.place(line) for line in range(1, 6)] == [(main, 1), (inner, 1), (deep, 1), (inner, 3), (main, 3)]
    assert source.files == [main, inner, deep]


def test_an_include_may_be_found_beside_the_main_file(tmp_path: Path) -> None:
    main = write(tmp_path / "main.rad", "#include parts/a.inc\n")
    write(tmp_path / "parts" / "a.inc", "#include common.inc\n")
    write(tmp_path / "common.inc", "common\n")
    assert read_source(main).text == "common\n"


def test_end_and_enddata_end_an_include_only(tmp_path: Path) -> None:
    main = write(tmp_path / "main.rad", "#include a.inc\n#include b.inc\nmain\n/END\n#enddata\nafter\n")
    write(tmp_path / "a.inc", "a\n/END\nnot read\n#include missing.inc\n")
    write(tmp_path / "b.inc", "b\n#enddata\nnot read\n")
    source = read_source(main)
    assert source.text == "a\nb\nmain\n/END\n#enddata\nafter\n"
    assert not source.diagnostics
    assert source.place(3) == (main, 3)


def test_end_with_more_letters_does_not_end_an_include(tmp_path: Path) -> None:
    main = write(tmp_path / "main.rad", "#include a.inc\n")
    write(tmp_path / "a.inc", "/END/ENGINE\na\n")
    assert read_source(main).text == "/END/ENGINE\na\n"


def test_the_same_file_may_be_included_twice(tmp_path: Path) -> None:
    main = write(tmp_path / "main.rad", "#include a.inc\n#include a.inc\n")
    write(tmp_path / "a.inc", "a\n")
    source = read_source(main)
    assert source.text == "a\na\n"
    assert not source.diagnostics


def test_a_longer_cycle_names_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("main.rad"), "#include a.inc\n")
    write(Path("a.inc"), "\n#include b.inc\n")
    write(Path("b.inc"), "#include a.inc\n")
    (diagnostic,) = read_source("main.rad").diagnostics
    assert (diagnostic.file, diagnostic.line, diagnostic.column) == ("b.inc", 1, 10)
    assert diagnostic.hint == "a.inc -> b.inc -> a.inc"


def test_an_include_without_a_name(tmp_path: Path) -> None:
    (diagnostic,) = read_source(write(tmp_path / "main.rad", "#include\n")).diagnostics
    assert diagnostic.message == "#include names no file"


def test_the_fingerprint_is_that_of_the_resolved_text(tmp_path: Path) -> None:
    write(tmp_path / "a.inc", "a\n")
    first = read_source(write(tmp_path / "main.rad", "#include a.inc\n"))
    second = read_source(write(tmp_path / "plain.rad", "a\r\n"))
    assert first.text == second.text
