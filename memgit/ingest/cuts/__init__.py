"""Texts in pieces, by what they are: Markdown, prose, chats, outlines, code."""
