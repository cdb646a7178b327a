"""KohakuRAG's config files → our settings. They are Python, and are read, never run."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kohaku.errors import ReadError, SettingsError
from kohaku.settings import load

Setting = tuple[str, Any]

PARAGRAPHS = {"averaged": "mean", "full": "direct", "both": "both"}
PROVIDERS = {"openrouter": "https://openrouter.ai/api/v1"}

# What each of their names becomes; None for a value that has no setting of ours.
MAPPED: Mapping[str, Callable[[Any], Setting | None]] = {
    "model": lambda value: ("model", value),
    "planner_model": lambda value: ("planner_model", value),
    "planner_max_queries": lambda value: ("queries", value),
    "max_retries": lambda value: ("retries", value),
    "max_concurrent": lambda value: ("concurrency", value) if isinstance(value, int) and value > 0 else None,
    "rerank_strategy": lambda value: ("fusion", value),
    "paragraph_embedding_mode": lambda value: ("paragraph_vectors", PARAGRAPHS.get(value, value)),
    "llm_provider": lambda value: ("base_url", PROVIDERS[value]) if value in PROVIDERS else None,
    "vision_model": lambda value: ("caption_model", value),
    "with_images": lambda value: ("captions", True) if value else None,
    "ref_mode": lambda value: ("vote", value),
    "tiebreak": lambda value: ("tiebreak", value),
    "ignore_blank": lambda value: ("blanks", "filter") if value else None,
}
FLAGS = {"db": "--db", "questions": "--questions", "output": "--out", "metadata": "--metadata"}


@dataclass(frozen=True, slots=True)
class Translated:
    """A config in our words: settings, flags of the command line, and their names that have no counterpart."""

    settings: Mapping[str, Any]
    flags: Mapping[str, str]
    left: tuple[str, ...]

    @property
    def toml(self) -> str:
        """The settings as kohaku.toml has them; flags and what is left out stand in comments."""
        lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in self.settings.items()]
        given = [f"{flag} {json.dumps(value, ensure_ascii=False)}" for flag, value in self.flags.items()]
        comments = [f"# flags: {' '.join(given)}"] if given else []
        comments += [f"# without a counterpart, see docs/migration.md: {', '.join(self.left)}"] if self.left else []
        return "\n".join((*lines, *comments))


def translated(path: Path) -> Translated:
    """A config file of KohakuRAG's as settings; ReadError where it is no Python, or a value is none of ours."""
    constants = _constants(path)
    settings: dict[str, Any] = {}
    left: list[str] = []
    for name, value in constants.items():
        if name in FLAGS or value is None:
            continue
        setting = MAPPED[name](value) if name in MAPPED else None
        if setting is None:
            left.append(name)
        else:
            settings[setting[0]] = setting[1]
    try:
        load(settings)
    except SettingsError as error:
        raise ReadError(f"{path}: {error}") from None
    flags = {flag: constants[name] for name, flag in FLAGS.items() if isinstance(constants.get(name), str)}
    return Translated(settings, flags, tuple(left))


def _constants(path: Path) -> dict[str, Any]:
    """The names at the top of a Python file that are given constants."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ReadError(f"{path} can't be read as a config of KohakuRAG's ({error}): give another file") from None
    found: dict[str, Any] = {}
    for line in tree.body:
        named = (
            line.targets if isinstance(line, ast.Assign) else [line.target] if isinstance(line, ast.AnnAssign) else []
        )
        value = line.value if isinstance(line, ast.Assign | ast.AnnAssign) else None
        if (
            isinstance(value, ast.UnaryOp)
            and isinstance(value.op, ast.USub)
            and isinstance(value.operand, ast.Constant)
        ):
            value = ast.Constant(-value.operand.value) if isinstance(value.operand.value, int | float) else None
        if isinstance(value, ast.Constant):
            found.update({name.id: value.value for name in named if isinstance(name, ast.Name)})
    return found
