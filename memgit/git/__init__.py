"""The edge to git: the only package that imports pygit2 or starts git."""
