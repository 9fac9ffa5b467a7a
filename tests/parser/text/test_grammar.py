"""The block structure."""

from gsolve.parser.text.grammar import split_blocks

UNTITLED = ("NODE", "DT", "DTIX", "RUN")


def test_titles_cards_and_comments() -> None:
    text = "# top\n/GRNOD/NODE/1\n# about the title\n title \n# about the ids\n 1\n#in between\n 2\n/END\n"
    deck = split_blocks(text, untitled=UNTITLED)
    assert deck.stray == ""
    first, last = deck.blocks
    assert (first.header, first.header_line) == ("/GRNOD/NODE/1\n", 2)
    assert (first.title, first.title_line) == ("title", 4)
    assert (first.body, first.body_line) == (" 1\n#in between\n 2\n", 6)
    assert (last.header, last.title, last.body) == ("/END\n", "", "")


def test_untitled_keywords_have_data_at_once() -> None:
    deck = split_blocks("/NODE\n 1\n/node/2\n 2\n/DTIX\n0 0\n/DT\n0.9\n/NODES\nx\ny\n", untitled=UNTITLED)
    assert [block.title for block in deck.blocks] == ["", "", "", "", "x"]
    assert [block.body for block in deck.blocks] == [" 1\n", " 2\n", "0 0\n", "0.9\n", "y\n"]


def test_a_title_may_be_blank_but_not_missing() -> None:
    deck = split_blocks("/PART/1\n\n 1\n/PART/2\n/PART/3\nt\n", untitled=UNTITLED)
    assert [(block.title, block.body) for block in deck.blocks] == [("", " 1\n"), ("", ""), ("t", "")]


def test_headers_may_be_indented_and_blank_lines_belong_to_cards() -> None:
    deck = split_blocks("  /BCS/1\nt\n\n 1\n", untitled=UNTITLED)
    assert deck.blocks[0].header == "  /BCS/1\n"
    assert deck.blocks[0].body == "\n 1\n"


def test_text_before_the_first_keyword_is_kept_apart() -> None:
    deck = split_blocks("# comment\nhello\n/END\n", untitled=UNTITLED)
    assert (deck.stray, deck.stray_line) == ("hello\n", 2)


def test_engine_blocks_have_no_titles() -> None:
    deck = split_blocks("/TFILE/3\n0.1\n/TITLE\nx\n", untitled=UNTITLED, engine=True)
    assert [(block.title, block.body) for block in deck.blocks] == [("", "0.1\n"), ("", "x\n")]


def test_a_text_of_comments_is_an_empty_deck() -> None:
    assert split_blocks("# a\n# b\n", untitled=UNTITLED).blocks == []
