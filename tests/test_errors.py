"""Every error that is raised says what to do next: read from the source, so that a new one can't forget it."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kohaku import errors

ROOT = Path(__file__).parent.parent
STEP = re.compile(
    r"(?:[:;?] |, or |else )(?:`|Give|add|ask|check|delete|did you mean|end|export|get|give|index|it can be given|keep"
    r"|leave|make|move|name|pip install|put|raise|rename|repair|run|save|search gives|see|send|set|should|split"
    r"|the same command|there are|try|unpack|upgrade|use|wait|write|your)\b"
    r"|\{[A-Z]+\}$|_(?:nearest|because)\(|\bguess\("
)
TOLD = re.compile(r"\{(?:error|said|what|lack|line|instead)\}$|^\{[^{}]*\}$")  # another's message, which has its own
BY_PROGRAM = {"ReplyError", "Abandoned"}  # met by the program, which asks again, or by nobody
OWN = {name for name, one in inspect.getmembers(errors, inspect.isclass) if "__init__" in vars(one)}
NAMES = {name for name, _ in inspect.getmembers(errors, inspect.isclass)} - BY_PROGRAM - OWN


def _text(part: ast.expr) -> str:
    """A message's text, its placeholders as they are written."""
    if isinstance(part, ast.Constant):
        return str(part.value).replace("{", "(")  # that of no placeholder: the f before it was forgotten
    if isinstance(part, ast.JoinedStr):
        return "".join(_text(one) for one in part.values)
    if isinstance(part, ast.FormattedValue):
        return f"{{{ast.unparse(part.value)}}}"
    return f"{{{ast.unparse(part)}}}"


def raised() -> Iterator[tuple[str, str]]:
    """Where an error of ours is raised, and its message."""
    for room in ("kohaku", "indexer", "retriever", "answerer"):
        for path in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                    name = ast.unparse(node.exc.func).rpartition(".")[2]
                    if name in NAMES and node.exc.args:
                        yield f"{path.relative_to(ROOT)}:{node.lineno}", _text(node.exc.args[0])


def test_every_error_says_what_to_do_next() -> None:
    found = list(raised())
    assert len(found) > 120
    assert [one for one in found if not STEP.search(one[1]) and not TOLD.search(one[1])] == []


@pytest.mark.parametrize("name", sorted(OWN - {"KohakuError"}))
def test_errors_with_words_of_their_own_do_so_too(name: str) -> None:
    kind = getattr(errors, name)
    arguments = dict.fromkeys(inspect.signature(kind).parameters, 3)
    assert STEP.search(str(kind(**arguments)))
