"""Forges: what a CI job there is about, and the one comment in which a review stands.

The network is reached here alone and in `web`.
"""
