from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from indexer.readers.pdf import read
from kohaku.tree import Kind

Tagged = tuple[str, str, int]  # element, text, size

PROSE = [
    ("P", "The first line of the text is long enough to be prose on the page,", 11),
    ("P", "a second line goes on with it and says nothing else of any note,", 11),
    ("P", "a third line ends it where the paragraph is to end.", 11),
]


def tagged(path: Path, lines: list[Tagged], roles: str = "", root: str = "", marked: str = "true") -> Path:
    """A PDF of one page, each line an element of its structure tree."""
    file = pymupdf.open()
    page = file.new_page(width=600, height=800)
    page.insert_font("helv")
    page.insert_text((50, 40), " ")
    elements = [file.get_new_xref() for _ in lines]
    tree = file.get_new_xref()
    drawn, y = [], 740
    for number, (_, text, size) in enumerate(lines):
        y -= 40 if number and lines[number - 1][0] != lines[number][0] else 13
        drawn.append(f"/Span <</MCID {number}>> BDC BT /helv {size} Tf 50 {y} Td ({text}) Tj ET EMC")
    file.update_stream(page.get_contents()[0], "\n".join(drawn).encode())
    for number, (xref, (name, _, _)) in enumerate(zip(elements, lines, strict=True)):
        file.update_object(xref, f"<</Type/StructElem/S/{name}/P {tree} 0 R/Pg {page.xref} 0 R/K {number}>>")
    kids = " ".join(f"{xref} 0 R" for xref in elements)
    parents = f"/ParentTree<</Nums[0[{kids}]]>>"
    file.update_object(
        tree, root.format(tree=tree) or f"<</Type/StructTreeRoot/K[{kids}]/RoleMap<<{roles}>>{parents}>>"
    )
    file.xref_set_key(page.xref, "StructParents", "0")
    file.xref_set_key(file.pdf_catalog(), "StructTreeRoot", f"{tree} 0 R")
    file.xref_set_key(file.pdf_catalog(), "MarkInfo", f"<</Marked {marked}>>")
    file.save(path)
    file.close()
    return path


def sections(path: Path) -> list[tuple[int, str]]:
    return [(block.level, block.text) for block in read(path).blocks if block.kind is Kind.SECTION]


def plain_heads(*names: str) -> list[Tagged]:
    """Heads that look like the text around them."""
    return [line for n, name in enumerate(names) for line in [(name, f"Name of a part {'abcdefg'[n]}", 11), *PROSE]]


def test_headings_that_only_the_structure_tree_tells_are_found_with_their_levels(tmp_path: Path) -> None:
    path = tagged(tmp_path / "a.pdf", plain_heads("H1", "H2", "H2", "H1"))
    assert sections(path) == [
        (1, "Name of a part a"),
        (2, "Name of a part b"),
        (2, "Name of a part c"),
        (1, "Name of a part d"),
    ]


def test_names_of_a_files_own_are_looked_up_among_its_roles(tmp_path: Path) -> None:
    path = tagged(tmp_path / "a.pdf", plain_heads("Chapter#20head", "Topic", "Topic"), "/Chapter#20head/H1/Topic/H2")
    assert [level for level, _ in sections(path)] == [1, 2, 2]


def test_styles_named_headings_are_believed_where_they_are_mapped_to_paragraphs(tmp_path: Path) -> None:
    path = tagged(tmp_path / "a.pdf", plain_heads("Heading#201", "Heading#202"), "/Heading#201/P/Heading#202/P")
    assert [level for level, _ in sections(path)] == [1, 2]


@pytest.mark.parametrize(
    "lines",
    [
        [("H2", text, size) for _, text, size in plain_heads("P", "P", "P")],  # every line
        [*plain_heads("P", "P"), *(("H3", text, size) for _, text, size in PROSE)],  # a paragraph to stand out
        plain_heads("P", "P", "P"),
    ],
)
def test_tags_on_text_make_no_headings(tmp_path: Path, lines: list[Tagged]) -> None:
    assert sections(tagged(tmp_path / "a.pdf", lines)) == []


def test_looks_tell_the_levels_where_tags_turn_them_round(tmp_path: Path) -> None:
    heads = [("H3", "Large", 20), ("H1", "Less large", 14), ("H1", "As large", 14), ("H3", "Next", 20)]
    lines = [line for name, text, size in heads for line in [(name, f"{text} a head", size), *PROSE]]
    assert [level for level, _ in sections(tagged(tmp_path / "a.pdf", lines))] == [1, 2, 2, 1]


def test_a_few_tags_among_many_headings_change_nothing(tmp_path: Path) -> None:
    names = ["H4", "P", "P", "P", "H1", "P", "P"]
    lines = [line for n, name in enumerate(names) for line in [(name, f"{n + 1} A head {'abcdefg'[n]}", 14), *PROSE]]
    assert [level for level, _ in sections(tagged(tmp_path / "a.pdf", lines))] == [1] * len(names)


@pytest.mark.parametrize(
    "root",
    [
        "<</Type/StructTreeRoot>>",
        "<</Type/StructTreeRoot/K {tree} 0 R>>",
        "<</Type/StructTreeRoot/K[99999 0 R 0 0 R]/RoleMap 99999 0 R>>",
        "[]",
    ],
)
def test_a_tree_that_is_empty_or_goes_round_in_circles_costs_nothing(tmp_path: Path, root: str) -> None:
    lines: list[Tagged] = [("H1", "Large head", 20), *PROSE]
    assert sections(tagged(tmp_path / "a.pdf", lines, root=root)) == [(1, "Large head")]


def test_a_tree_that_a_file_does_not_vouch_for_is_not_looked_at(tmp_path: Path) -> None:
    assert sections(tagged(tmp_path / "a.pdf", plain_heads("H1", "H2"), marked="false")) == []
