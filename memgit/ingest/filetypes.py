"""What kind of text a file holds: by its name first, then by its content; and what in a folder is nobody's
knowledge.
"""

from __future__ import annotations

MARKDOWN = frozenset(["md", "markdown", "mdown", "mkd", "mdx", "qmd"])
PROSE = frozenset(["txt", "text", "rst", "adoc", "asciidoc", "org", "tex", "textile", "wiki", "man"])
CODE: dict[str, str] = {
    "py": "python",
    "pyi": "python",
    "js": "javascript",
    "mjs": "javascript",
    "cjs": "javascript",
    "jsx": "jsx",
    "ts": "typescript",
    "mts": "typescript",
    "tsx": "tsx",
    "go": "go",
    "rs": "rust",
    "java": "java",
    "kt": "kotlin",
    "kts": "kotlin",
    "scala": "scala",
    "swift": "swift",
    "c": "c",
    "h": "c",
    "cc": "cpp",
    "cpp": "cpp",
    "cxx": "cpp",
    "hh": "cpp",
    "hpp": "cpp",
    "cs": "csharp",
    "fs": "fsharp",
    "rb": "ruby",
    "php": "php",
    "pl": "perl",
    "pm": "perl",
    "lua": "lua",
    "r": "r",
    "jl": "julia",
    "ex": "elixir",
    "exs": "elixir",
    "erl": "erlang",
    "hs": "haskell",
    "ml": "ocaml",
    "mli": "ocaml",
    "clj": "clojure",
    "lisp": "lisp",
    "el": "elisp",
    "vim": "vim",
    "sh": "sh",
    "bash": "bash",
    "zsh": "zsh",
    "fish": "fish",
    "ps1": "powershell",
    "bat": "bat",
    "sql": "sql",
    "graphql": "graphql",
    "proto": "proto",
    "tf": "hcl",
    "hcl": "hcl",
    "nix": "nix",
    "css": "css",
    "scss": "scss",
    "less": "less",
    "html": "html",
    "htm": "html",
    "xml": "xml",
    "vue": "vue",
    "svelte": "svelte",
    "yaml": "yaml",
    "yml": "yaml",
    "toml": "toml",
    "ini": "ini",
    "cfg": "ini",
    "conf": "conf",
    "json": "json",
    "json5": "json",
    "cmake": "cmake",
    "mk": "make",
    "gradle": "groovy",
    "groovy": "groovy",
    "zig": "zig",
    "dart": "dart",
    "sol": "solidity",
    "asm": "asm",
    "s": "asm",
    "awk": "awk",
    "sed": "sed",
    "dockerfile": "dockerfile",
}
"""Extension to the name of the language as it stands after a code fence."""
NAMES: dict[str, str] = {
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "makefile": "make",
    "gnumakefile": "make",
    "cmakelists.txt": "cmake",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "vagrantfile": "ruby",
    "jenkinsfile": "groovy",
    "justfile": "make",
    "procfile": "yaml",
}
BINARY = frozenset(
    """
    png jpg jpeg gif bmp ico webp svg tif tiff avif heic psd ai eps pdf ps doc docx xls xlsx ppt pptx odt ods odp epub mobi zip gz
    tgz bz2 xz zst 7z rar tar jar war whl egg class pyc pyo pyd o a so dylib dll exe bin dat db sqlite sqlite3 mdb parquet feather
    npy npz pkl pickle h5 hdf5 onnx pt pth ckpt mp3 mp4 wav flac ogg webm mov avi mkv m4a ttf otf woff woff2 eot iso img dmg deb
    rpm apk wasm map lockb
    """.split()
)
JUNK_FOLDERS = frozenset(
    """
    node_modules bower_components vendor third_party __pycache__ venv env site-packages dist build out target coverage htmlcov
    _build site_packages bin obj pods deriveddata
    """.split()
)
"""Folders of what was fetched or made, case aside; those whose name begins with a dot are left out too."""
JUNK_FILES = frozenset(
    """
    license license.md license.txt licence licence.md licence.txt copying copying.md copying.txt copyright notice notice.md notice.txt
    code_of_conduct.md authors authors.md contributors contributors.md package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml
    poetry.lock uv.lock pipfile.lock cargo.lock composer.lock gemfile.lock go.sum go.work.sum flake.lock mix.lock thumbs.db _index.json
    memory-index.json
    """.split()
)
"""Files that every project has alike, or that tools write."""
SAMPLE_BYTES = 8192


def extension(name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    return ending.lower() if dot and stem else ""


def language(name: str) -> str:
    """How a file is read, by its name:

    `markdown`, `prose`, or the name of a programming or configuration language.
    """
    name = name.rpartition("/")[2]
    ending = extension(name)
    if ending in MARKDOWN:
        return "markdown"
    if name.lower() in NAMES:
        return NAMES[name.lower()]
    return CODE.get(ending, "prose")


def known_text(name: str) -> bool | None:
    """Whether a file is text as far as its name tells: yes, no, or None where only its content can."""
    ending = extension(name)
    if ending in MARKDOWN or ending in PROSE or ending in CODE or name.lower() in NAMES:
        return True
    return False if ending in BINARY else None


def looks_text(sample: bytes) -> bool:
    """Whether the first `SAMPLE_BYTES` of a file are text: no NUL, hardly any control characters,
    UTF-8 but for a cut end.
    """
    if b"\0" in sample:
        return False
    controls = sum(byte < 32 and byte not in (9, 10, 12, 13, 27) for byte in sample)
    if controls * 50 > len(sample):
        return False
    try:
        sample.decode()
    except UnicodeDecodeError as error:
        return len(sample) >= SAMPLE_BYTES and error.start >= len(sample) - 4
    return True


def junk(path: str) -> str | None:
    """Why a path of a folder is left out by its name alone, None where it is not: what was fetched or made,
    what hides, what all have.
    """
    *folders, name = path.split("/")
    for folder in folders:
        if folder.startswith("."):
            return f"it is in a hidden folder, {folder}"
        if folder.lower() in JUNK_FOLDERS:
            return f"it lies in {folder}, where what was fetched or made is"
    if name.startswith("."):
        return "it is a hidden file"
    if name.lower() in JUNK_FILES or name.lower().endswith((".min.js", ".min.css", ".lock")):
        return "it is what every project has, or what a tool writes"
    return None
