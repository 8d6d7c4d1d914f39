from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.model.slug import MAX_BYTES, MAX_LENGTH, RESERVED, slug

TITLES = [
    ("Responsive grid without media queries", "responsive-grid-without-media-queries"),
    ("C++ & Rust: FFI", "c-rust-ffi"),
    ("日本語の題名", "日本語の題名"),
    ("Büro für Häfen", "büro-für-häfen"),
    ("../x", "x"),
    ("a/b\\c", "a-b-c"),
    ("x.", "x"),
    ("  -- dashes --  ", "dashes"),
    ("हिन्दी", "हिन्दी"),
]


@pytest.mark.parametrize(("title", "wanted"), TITLES)
def test_letters_of_every_script_are_kept(title: str, wanted: str) -> None:
    assert slug(title) == wanted


@pytest.mark.parametrize("title", ["CON", "aux", "Nul", "com1", "LPT9"])
def test_reserved_windows_names_get_a_hash(title: str) -> None:
    made = slug(title)
    assert made not in RESERVED
    assert made.startswith(title.lower() + "-")


def test_two_titles_of_emoji_alone_differ() -> None:
    assert slug("🌊⚓") != slug("🗂️📦")
    assert slug("🌊⚓").startswith("r-")


def test_a_composed_and_a_decomposed_title_give_one_name() -> None:
    assert slug("cafe\u0301") == slug("caf\u00e9")


def test_ascii_only_drops_accents_and_falls_back_to_a_hash() -> None:
    assert slug("Büro für Häfen", ascii_only=True) == "buro-fur-hafen"
    assert slug("日本語", ascii_only=True).startswith("r-")


@given(st.text(max_size=400), st.booleans())
def test_a_slug_is_always_one_safe_file_name(title: str, ascii_only: bool) -> None:
    made = slug(title, ascii_only=ascii_only)
    assert made
    assert made not in (".", "..")
    assert len(made) <= MAX_LENGTH + 7
    assert len(made.encode()) <= MAX_BYTES + 7
    assert not set(made) & set('/\\<>:"|?*#\0\n\r\t .')
    assert made[0] != "-"
    assert made[-1] != "-"
    assert made.split("-")[0] not in RESERVED or made not in RESERVED
    assert slug(title, ascii_only=ascii_only) == made


@given(st.text(st.characters(max_codepoint=127), max_size=70), st.booleans())
def test_a_title_of_ascii_is_no_special_case(title: str, ascii_only: bool) -> None:
    # A letter beyond ASCII in front takes the long way, which must come to the same.
    longer = slug(f"é {title}", ascii_only=ascii_only)
    if (
        len(longer) < MAX_LENGTH
        and not slug(title).startswith("r-")
        and slug(title).split("-")[0] not in RESERVED
    ):
        assert longer == ("e-" if ascii_only else "é-") + slug(title, ascii_only=ascii_only)
