"""One record that stands in two places, as a merge of two branches that both moved it leaves: how it is
known, and what makes one of it.
"""

from __future__ import annotations

from shlex import join

from memgit.model.record import Record
from memgit.model.shell import memgit_in


def is_twin(record: Record, other: Record) -> bool:
    """Whether two records of one id are one: a copy that somebody made to write another record has another
    title soon.
    """
    return (
        record.title == other.title
        and record.kind == other.kind
        and record.address != other.address
        and not record.archived
    )


def merging(keep: str, *others: str, folder: str = ".") -> str:
    """The command that merges records into one, named by address or id; `folder` is where the knowledge root
    lies.
    """
    return f"{memgit_in(folder)} merge-records {join([keep, *others])}"
