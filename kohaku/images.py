"""Pictures as browsers and models take them: in a URL that holds them."""

from __future__ import annotations

import base64

KINDS = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}
"""Those that all of them show, by their first bytes."""


def kind_of(image: bytes) -> str:
    """Which of these kinds a picture is; "" for none of them."""
    return next((kind for start, kind in KINDS.items() if image.startswith(start)), "")


def data_url(image: bytes) -> str:
    """A picture as a URL; "" for what is none of these kinds.

    >>> data_url(b"GIF89a"), data_url(b"<svg onload='alert(1)'/>")
    ('data:image/gif;base64,R0lGODlh', '')
    """
    kind = kind_of(image)
    return f"data:image/{kind};base64,{base64.b64encode(image).decode('ascii')}" if kind else ""
