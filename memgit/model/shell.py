"""Parts of a command line as a person types them in a shell, for the commands that a message names."""

from __future__ import annotations


def memgit_in(folder: str) -> str:
    """How a command of memgit begins that is meant for the knowledge root in a folder; empty or `.` is the
    folder that one is in.
    """
    return "memgit" if folder in ("", ".") else f"memgit -C {typed_path(folder)}"


def typed_path(path: str) -> str:
    """A path, safe as an argument of memgit and git; `$'…'` (bash, ksh, zsh) where it holds what cannot be
    typed.
    """
    from shlex import quote  # only who has something to fix

    path = f"./{path}" if path.startswith(("-", ":")) else path
    if path.replace("\t", " ").isprintable():
        return quote(path)
    escaped = (
        chr(byte) if 0x20 <= byte < 0x7F and byte not in b"'\\" else f"\\x{byte:02x}"
        for byte in path.encode("utf-8", "surrogateescape")
    )
    return f"$'{''.join(escaped)}'"
