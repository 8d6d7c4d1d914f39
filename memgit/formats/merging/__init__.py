"""Three-way merge of records as pure functions of text."""

DELETED = "deleted by "
"""How the words for what one side deleted and the other changed begin."""
