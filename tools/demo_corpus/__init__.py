"""A hand-written lexicalised grammar of English that draws the demo corpus: a module for each kind of phrase."""
