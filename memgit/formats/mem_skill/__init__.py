"""Mem Skill's entry files: many records to a file, one section each."""
