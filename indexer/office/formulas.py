"""Office's formulas as text in one line."""

from __future__ import annotations

from indexer.office.xml import Element, child, children, name_of, value

ENOUGH = 60  # levels of parts in parts: no formula has more, and a hostile one would exhaust the stack


def formula(element: Element, depth: int = 0) -> str:
    """A formula (m:oMath) as people type one: E = m c^2, (a + b)/(2), sqrt(x), sum_(i=1)^(n) x_i."""
    name = name_of(element)
    if name == "m:t":
        return element.text or ""
    if depth > ENOUGH or name in ("m:rPr", "m:ctrlPr"):
        return ""
    if name == "m:f":
        return f"{_group(element, 'm:num', depth)}/{_group(element, 'm:den', depth)}"
    if name in ("m:sSup", "m:sSub", "m:sSubSup"):
        return _part(element, "m:e", depth) + _scripts(element, depth)
    if name == "m:rad":
        degree = _part(element, "m:deg", depth)
        return f"{f'root_{degree}' if degree else 'sqrt'}({_part(element, 'm:e', depth)})"
    if name == "m:nary":
        sign = value(child(element, "m:naryPr/m:chr"), "m:val") or "∫"
        return f"{sign}{_scripts(element, depth)} {_part(element, 'm:e', depth)}"
    if name == "m:d":
        begin, end = value(child(element, "m:dPr/m:begChr"), "m:val"), value(child(element, "m:dPr/m:endChr"), "m:val")
        inner = ", ".join(formula(part, depth + 1) for part in children(element, "m:e"))
        return f"{'(' if begin is None else begin}{inner}{')' if end is None else end}"
    if name == "m:mr":  # a matrix's row
        return ", ".join(formula(part, depth + 1) for part in children(element, "m:e")) + "; "
    return "".join(formula(part, depth + 1) for part in element)


def _part(element: Element, name: str, depth: int) -> str:
    found = child(element, name)
    return "" if found is None else formula(found, depth + 1).strip()


def _group(element: Element, name: str, depth: int) -> str:
    text = _part(element, name, depth)
    return text if text.isalnum() else f"({text})"


def _scripts(element: Element, depth: int) -> str:
    marks = (("_", "m:sub"), ("^", "m:sup"))
    return "".join(f"{mark}{_group(element, name, depth)}" for mark, name in marks if _part(element, name, depth))
