"""The layout of a message."""

import json
from pathlib import Path

from gsolve.parser import Diagnostic, format_diagnostic, read_deck, to_dict
from parser_decks import deck, read

FULL = Diagnostic(
    "error",
    "Mass1 is not a number",
    file="a.rad",
    line=7,
    column=18,
    keyword="/GJOINT/GEAR",
    id=3,
    title="first",
    field="Mass1",
    found="abc",
    allowed="a number",
    hint="write one",
    excerpt="  abc",
    ruler="[-]\n  ^^^",
)


def test_everything_a_message_can_say() -> None:
    assert format_diagnostic(FULL) == (
        "a.rad:7:18: error: Mass1 is not a number\n"
        '  in /GJOINT/GEAR/3 "first", field Mass1\n'
        "  |   abc\n"
        "  | [-]\n"
        "  |   ^^^\n"
        "  found:   abc\n"
        "  allowed: a number\n"
        "  hint:    write one"
    )


def test_a_message_without_a_place() -> None:
    assert format_diagnostic(Diagnostic("warning", "careful")) == "warning: careful"


def test_messages_as_data() -> None:
    data = json.loads(json.dumps(to_dict(FULL)))
    assert (data["severity"], data["line"], data["field"], data["id"]) == ("error", 7, "Mass1", 3)


def test_blocks_of_the_model_point_at_their_fields(tmp_path: Path) -> None:
    text = deck("/GJOINT/GEAR/1\ngear\n# comment\n1,2,,,2,3\n                 1.5                 0.1\n1,0.1\n")
    joint = read(tmp_path, text).gear_joints[0]
    found = joint.where.diagnose("error", "too light", field="Mass1", hint="more")
    assert (found.line, found.column, found.found) == (17, 18, "1.5")
    assert found.excerpt == "                 1.5                 0.1"
    assert found.ruler.split("\n")[0].startswith("[------Mass1-------][-----Inertia1-----]")
    free = joint.where.diagnose("error", "too fast", field="FscaleV")
    assert (free.line, free.column, free.ruler) == (16, 3, "  ^")
    whole = joint.where.diagnose("warning", "odd joint")
    assert (whole.line, whole.column, whole.excerpt) == (13, 0, "/GJOINT/GEAR/1")


def test_a_field_that_was_left_out_points_at_its_columns(tmp_path: Path) -> None:
    text = deck("/GRNOD/NODE/1\na\n1\n/FUNCT/1\nf\n0,1\n/IMPVEL/1\nv\n1,X,,,1\n")
    motion = read(tmp_path, text).imposed_motions[0]
    assert motion.where.diagnose("error", "no", field="Fscale_y").excerpt == "/IMPVEL/1"


def test_records_of_a_list_point_at_their_line(tmp_path: Path) -> None:
    spring = "/PROP/TYPE4/1\ns\n1.0\n100.0\n0\n1.0\n/PART/1\np\n1\n/SPRING/1\n# two\n1,1,2\n2,2,3\n"
    path = tmp_path / "a.rad"
    path.write_text(deck(spring))
    second = read_deck(path).springs[1]
    found = second.where.diagnose("error", "no", field="N2")
    assert (second.where.id, found.id) == (2, 1)  # the element, and the part of the header
    assert (found.line, found.column, found.found) == (25, 5, "3")
