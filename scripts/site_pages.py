"""For `mkdocs build`: the site's pages that stand elsewhere in the repository, and the links to and from them."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ELSEWHERE = {
    "changelog.md": "CHANGELOG.md",
    "published-sweeps.md": "scripts/sweeps/README.md",
    "sample-corpus.md": "data/README.md",
}
"""Pages by their name on the site, with the file that they are in the repository."""

LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds what is not in docs/."""
    root = Path(config.config_file_path).parent
    for page, source in ELSEWHERE.items():
        files.append(File.generated(config, page, content=(root / source).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links say where things are in the repository; on the site they say where they are there."""
    return moved(markdown, page.file.src_uri)


def moved(markdown: str, page: str) -> str:
    """A page's text with its links as the site needs them; one that leads to no page stays, and is complained of.

    >>> moved("[what](sweeps.md) [these](../scripts/sweeps/README.md)", "sweeps.md")
    '[what](sweeps.md) [these](published-sweeps.md)'
    >>> moved("[more](../../docs/sweeps.md#the-file)", "published-sweeps.md")
    '[more](sweeps.md#the-file)'
    """
    folder = posixpath.dirname(ELSEWHERE.get(page, f"docs/{page}"))
    pages = {source: name for name, source in ELSEWHERE.items()}

    def there(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, link[1]))
        return pages.get(target) or (target.removeprefix("docs/") if target.startswith("docs/") else link[1])

    return LINK.sub(there, markdown)
