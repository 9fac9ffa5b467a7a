"""How blocks are read, whatever their keyword. Cards are data, declared by `keywords`.

From the lowest up:

layout : the words in which cards are declared, `Keyword`, and the look-up of layouts by version
block : one block of a deck, and the way back from it to the text
reading : what all readers share: text, layouts, parameters, messages
card_reader : one line into values
table_reader : many lines of one card into columns
compiled_layout : layouts made ready for reading
unresolved : what builders leave for later ones
context : `Reading`, and the model being built with the ids known so far: what builders get
reader : a whole block: cards, lists, defaults, ranges, references, units
keyword_table : all keywords that can be read, by name; filled in `keywords.registry`
headers : from headers to blocks with their declarations
"""
