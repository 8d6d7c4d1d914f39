"""The table of systems fits the layouts and kinds that there are."""

from __future__ import annotations

import pytest

from memgit.adopt.systems import EXPORTS, SYSTEMS
from memgit.app.config import BASES, make_layout
from memgit.formats.codecs import NAMES
from memgit.model.kinds import FIELDS, KINDS


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_is_adopted_has_a_layout(name: str) -> None:
    assert SYSTEMS[name].layout in BASES
    assert list(SYSTEMS[name].find([], lambda path: None, "")) == []


@pytest.mark.parametrize("name", EXPORTS)
def test_every_kind_has_a_place_where_it_is_exported_to(name: str) -> None:
    export, layout = EXPORTS[name], make_layout(name)
    for kind in KINDS:
        becomes = kind if kind in export.kinds else export.rest
        places = layout.of(becomes)
        assert places
        for place in places:
            assert place.form in NAMES
            assert (export.fields(place) or frozenset()) <= FIELDS.keys()
