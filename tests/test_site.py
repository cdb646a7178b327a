"""The documentation makes a site that needs no network, and what comes from the code is as the code is."""

from __future__ import annotations

import doctest
import re
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").glob("*.md"))


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> ModuleType:
    """A module of scripts/."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "scripts"), *sys.path])
    return import_module(request.param)


@pytest.mark.parametrize("script", ["reference"], indirect=True)
@pytest.mark.parametrize("name", ["settings.md", "commands.md"])
def test_the_pages_from_the_code_are_as_it_is(script: ModuleType, name: str) -> None:
    written = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert written == script.PAGES[name](), "run scripts/reference.py"


@pytest.mark.parametrize("script", ["site_pages"], indirect=True)
def test_links_of_the_repository_become_those_of_the_site(script: ModuleType) -> None:
    assert doctest.testmod(script) == (0, 2)


@pytest.mark.filterwarnings("default")  # of mkdocs and its plugins
def test_the_site_is_whole_and_loads_nothing_from_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(tmp_path / "site")))  # strict: a broken link raises
    pages = {page.stem for page in (tmp_path / "site").glob("*.html")}
    assert {page.stem for page in PAGES} | {"changelog", "sample-corpus", "published-sweeps"} <= pages
    loading = re.compile(r'<(?:script|img|iframe|source)[^>]*\ssrc="(https?:[^"]*)|<link[^>]*\shref="(https?:[^"]*)')
    for page in (tmp_path / "site").glob("*.html"):
        assert loading.findall(page.read_text(encoding="utf-8")) == [], page.name


def test_pictures_of_the_documentation_are_small() -> None:
    heavy = {p.name: p.stat().st_size for p in (ROOT / "docs" / "pictures").iterdir() if p.stat().st_size > 80_000}
    assert heavy == {}


def test_what_is_built_is_what_is_checked() -> None:
    assert "mkdocs build" in (ROOT / "scripts" / "check").read_text()
    assert "/site/" in (ROOT / ".gitignore").read_text().splitlines()
