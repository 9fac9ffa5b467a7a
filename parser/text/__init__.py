"""What decks are written in. Nothing here knows a card or the model.

diagnostics : messages, `DeckError`, and `Where`, the way back from an object to its block
source : files, includes, and where each line came from
grammar : from text to blocks (deck.lark)
numbers : numbers as decks write them
rulers : fields of a line by their columns or commas, and the marks below a quoted line
units : dimensions, unit systems and the factors between them
expressions : functions of t and constants of parameters (expression.lark), as programs of a stack machine
known_keywords : keywords of Radioss that are known and not read
"""
