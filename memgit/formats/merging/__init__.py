"""Three-way merge of records as pure functions of text."""
