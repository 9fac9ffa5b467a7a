"""What MkDocs needs to know of this repository; mkdocs.yml names this file.

The site has the tree of the repository, so that one link leads to the same page on the site and in the plain
repository: `../decks/gear_pair` from a chapter of the manual is the page made of decks/gear_pair/README.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

REPOSITORY = Path(__file__).parents[2]
FOLDERS = (
    "docs",
    "docs/tutorial",
    "decks",
    "bench",
    "editors",
    "tests/data",
    "tests/parser/bad_decks",
    "tests/solver/bad_decks",
)
WITH_DECKS = {"decks", "docs/tutorial"}
FROM_EXAMPLES = {".rad", ".inc", ".toml", ".csv", ".py", ".c", ".off", ".stl", ".obj", ".ply"}
BESIDE_PAGES = {".png", ".svg", ".gif", ".webp", ".css", ".js"}
# What the theme loads where pages are opened without a server.
SEARCH_SHIM = re.compile(r"https://[\w./-]+/iframe-worker/shim")
LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")


def published() -> Iterator[Path]:
    """Pages, pictures, and what belongs to an example deck."""
    yield from REPOSITORY.glob("*.md")
    yield REPOSITORY / "LICENSE"
    for folder in FOLDERS:
        wanted = {".md", *BESIDE_PAGES} | (FROM_EXAMPLES if folder in WITH_DECKS else set())
        yield from (path for path in (REPOSITORY / folder).rglob("*") if path.suffix in wanted and path.is_file())


def anchor_of(heading: str, separator: str) -> str:
    """The name under which plain repositories offer a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", separator)


def math(source: str, *_: Any, **__: Any) -> str:
    """A block marked as `math` becomes MathML, which a browser draws without a script."""
    return f'<div class="math">{convert(source.strip(), display="block")}</div>'


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """What a line of mkdocs.yml cannot say: blocks marked as `math`, names of headings, a page for each example."""
    fence = {"name": "math", "class": "math", "format": math}
    config.mdx_configs["pymdownx.superfences"] = {"custom_fences": [fence]}
    config.mdx_configs["toc"]["slugify"] = anchor_of
    (examples,) = [part["Examples"] for part in config.nav if "Examples" in part]
    examples += [page.relative_to(REPOSITORY).as_posix() for page in sorted(REPOSITORY.glob("decks/*/README.md"))]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The files of the theme, and those of the repository at their places in it."""
    theme = [file for file in files if file.src_dir != config.docs_dir]
    own = [
        File(path.relative_to(REPOSITORY).as_posix(), str(REPOSITORY), config.site_dir, config.use_directory_urls)
        for path in sorted(set(published()))
    ]
    return Files([*theme, *own])


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links to folders lead to their pages; the page of an example lists its files."""
    here = (REPOSITORY / page.file.src_uri).parent

    def to_page(link: re.Match[str]) -> str:
        target, anchor = link[1], link[2] or ""
        folder = "://" not in target and (here / target).is_dir()
        return f"]({target.rstrip('/')}/README.md{anchor})" if folder else link[0]

    text = LINK.sub(to_page, markdown)
    if here.parent == REPOSITORY / "decks":
        beside = [path.name for path in sorted(here.iterdir()) if path.suffix in FROM_EXAMPLES]
        text += "\n\n**Files:** " + ", ".join(f"[{name}]({name})" for name in beside) + "\n"
    return text


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """No page loads anything from elsewhere."""
    return SEARCH_SHIM.sub(get_relative_url("docs/site/iframe_worker.js", page.url), output)


def on_post_template(output_content: str, template_name: str, config: MkDocsConfig) -> str:
    """The page of an address that does not exist."""
    return SEARCH_SHIM.sub("docs/site/iframe_worker.js", output_content)
