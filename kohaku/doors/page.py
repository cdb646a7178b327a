"""A page of ours as one HTML file: a template filled in with everything escaped, and nothing loaded from elsewhere.

No text of a document becomes markup or script: a Content-Security-Policy allows only the style and the script that
stand in the file, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from kohaku.doors.display import plain
from kohaku.text import storable


def page(name: str, *, has_script: bool = False, **values: object) -> str:
    """The HTML of a template of that name beside this file, with its style (and script) within.

    Values may hold any text: it is escaped, and control characters are written out.
    """
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    style, script = part(f"{name}.css"), part(f"{name}.js") if has_script else ""
    environment = Environment(
        loader=FunctionLoader(part),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(f"{name}.html").render(
        **values, style=_trusted(style), script=_trusted(script), policy=_policy(style, script)
    )


def part(name: str) -> str:
    """A file beside this one: a template, a style or a script."""
    return (files("kohaku.doors") / name).read_text(encoding="utf-8")


def _shown(value: object) -> object:
    """A value as a page can hold it; what is trusted stays as it is."""
    return storable(plain(str(value))) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _policy(style: str, script: str) -> str:
    scripts = f" script-src '{_hash(script)}';" if script else ""
    return (
        f"default-src 'none'; img-src data:; style-src '{_hash(style)}';{scripts} base-uri 'none'; form-action 'none'"
    )


def _trusted(text: str) -> str:
    """Text of ours that goes into the page as it is."""
    from markupsafe import Markup

    return Markup(text)


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}"
