"""TOML files that users write, read."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from kohaku.errors import KohakuError


def read_toml(path: Path, failure: type[KohakuError], *, missing: str) -> dict[str, Any]:
    """What a TOML file holds, with or without a BOM.

    Raises `failure` for a file that can't be read, with `missing` as its line where there is none.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise failure(missing) from None
    except OSError as error:
        raise failure(f"{path} can't be read: {error.strerror}") from None
    except RecursionError:
        raise failure(f"{path} is no TOML: it is nested too deep") from None
    except ValueError as error:  # tomllib's own, letters in another encoding, a number of too many digits
        raise failure(f"{path} is no TOML: {error}") from None
