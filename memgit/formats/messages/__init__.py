"""Commit messages: written, read, and joined by a squash."""
