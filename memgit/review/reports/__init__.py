"""Renderings of a review, one module each; `formats` has the table."""
